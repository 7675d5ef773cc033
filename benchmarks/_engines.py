"""The same products, x ln x, by other engines: MPyC here, SPU in an environment of its own.

SPU holds other packages at versions of its own, so that `make spu` gives it `.venv-spu`; its rows
come from a child process of that environment's interpreter, and one command makes one table.
"""

import importlib.util
import json
import multiprocessing
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks._row import Row, missing

ROOT = Path(__file__).parents[1]
SPU_PYTHON = ROOT / ".venv-spu" / "bin" / "python"
LIMIT = 1800.0

Figures = tuple[float, float]  # seconds of wall time, and of the busiest party's processor


def rows(ours: Figures, batch: int) -> Iterator[Row]:
    """Ours beside each engine that is there; a row that says why for each that is not."""
    what = f"x ln x in a batch of {batch:,}"
    if importlib.util.find_spec("mpyc") is None:
        yield missing(what, "mpyc is not installed", "MPyC, three parties")
    else:
        yield _row(what, ours, _three(_mpyc_end, batch), "MPyC, three parties", "any integers")
    try:
        found = _spu_figures(batch)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        yield missing(what, f"SPU did not run: {type(error).__name__}", "SPU")
        return
    if not found:
        yield missing(what, "SPU is not installed: make spu", "SPU")
    for name, peer in found.items():
        yield _row(what, ours, peer, name, "its lines are plain; fixed point")


def _row(what: str, ours: Figures, peer: Figures, name: str, note: str) -> Row:
    busiest = f"processor of the busiest party: {ours[1] * 1e6:.0f} and {peer[1] * 1e6:.0f} µs"
    return Row(what, ours[0], peer[0], name, note=f"{busiest}; {note}")


def _spu_figures(batch: int) -> dict[str, Figures]:
    """What SPU takes, from a child where it is installed; nothing where it is nowhere."""
    if importlib.util.find_spec("spu") is not None:
        python = sys.executable
    elif SPU_PYTHON.exists():
        python = str(SPU_PYTHON)
    else:
        return {}
    done = subprocess.run(
        [python, "-m", "benchmarks._engines", str(batch)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        timeout=LIMIT,
        check=True,
    )
    found = json.loads(done.stdout.splitlines()[-1])
    return {name: (wall, cpu) for name, (wall, cpu) in found.items()}


def main(batch: int) -> None:
    """Measure SPU's protocols, as processes on loopback, and print the figures as JSON."""
    from benchmarks.bench_secure import two

    done = two("spu", {"addresses": addresses(2)}, (batch,))
    found = {
        "SPU's Cheetah, two parties": (done["each"], done["cpu"]),
        "SPU's ABY3, three parties": _three(_aby3_end, batch),
    }
    print(json.dumps(found), flush=True)


def addresses(count: int) -> list[str]:
    """Ports of this machine that nobody uses."""
    servers = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    found = [f"127.0.0.1:{server.getsockname()[1]}" for server in servers]
    for server in servers:
        server.close()
    return found


def _three(end: Callable[[int, list[str], int], Figures], batch: int) -> Figures:
    """Three parties as processes; the slowest one's time, and the busiest one's."""
    places = addresses(3)
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        ends = [pool.apply_async(end, (i, places, batch)) for i in range(3)]
        walls, cpus = zip(*(one.get(timeout=LIMIT) for one in ends), strict=True)
    return max(walls), max(cpus)


def _mpyc_end(index: int, places: list[str], batch: int) -> Figures:
    from shoal.secure import MPyCParty
    from shoal.secure.logarithm._logarithm import TaylorLogarithm
    from shoal.secure.miners._mpyc_scores import MPyCLogs

    with MPyCParty(index, places, timeout=LIMIT) as party:
        logs = MPyCLogs(party, TaylorLogarithm(17, 3))
        counts = np.random.default_rng(1).integers(0, 2**15, batch)
        party.tell(1)  # all are here
        start, cpu = perf_counter(), process_time()
        products, _, _ = logs.of(party.total(counts, logs.bits))
        party.run(party.runtime.output(products))
        return (perf_counter() - start) / batch, (process_time() - cpu) / batch


def _aby3_end(index: int, places: list[str], batch: int) -> Figures:
    from shoal.secure.miners._aby3 import ABY3Party

    with ABY3Party(index, places, timeout=LIMIT) as party:
        done = spu_products(party, batch)
        return done["each"], done["cpu"]


def spu_products(party: Any, batch: int) -> dict[str, Any]:
    """One party's end of SPU's products, compiled before they are measured."""
    import jax.numpy as jnp

    def function(*parts: Any) -> Any:
        share = sum(parts)
        return share * jnp.log(share)

    shares = np.random.default_rng(1).random(batch).astype(np.float32) / 4 + 0.01
    party.compute(function, shares)
    start, cpu = perf_counter(), process_time()
    party.compute(function, shares)
    each, cpu = (perf_counter() - start) / batch, (process_time() - cpu) / batch
    return {"each": each, "cpu": cpu, "result": None}


if __name__ == "__main__":
    main(int(sys.argv[1]))
