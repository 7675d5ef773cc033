"""Run benchmarks one after another, each in a process of its own."""

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import IO, Any

from benchmarks._row import Row, missing

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Done:
    """A benchmark that ran, or tried to.

    Parameters
    ----------
    name : str
        `bench_NAME.py`.
    rows : tuple of Row
        What it measured, up to where it failed.
    seconds : float
        How long it took, start of the process included.
    megabytes : float or None
        Most memory that its process held.
    failure : str
        Why it did not finish; empty when it did.
    """

    name: str
    rows: tuple[Row, ...]
    seconds: float
    megabytes: float | None = None
    failure: str = ""

    def to_dict(self) -> dict[str, Any]:
        """All fields, as JSON takes them."""
        return {
            "name": self.name,
            "seconds": self.seconds,
            "megabytes": self.megabytes,
            "failure": self.failure,
            "rows": [row.to_dict() for row in self.rows],
        }


def names_in(folder: Path = HERE) -> list[str]:
    """The benchmarks of a folder."""
    return sorted(path.stem.removeprefix("bench_") for path in folder.glob("bench_*.py"))


def run_all(
    names: Sequence[str],
    full: bool,
    limit: float | None,
    progress: Callable[[str, bool], None],
    folder: Path = HERE,
) -> Iterator[Done]:
    """Run each; one that fails is a row that says so, and the next is begun.

    `progress` is told what goes on, and whether it was the end of a benchmark.
    """
    for at, name in enumerate(names, 1):
        head = f"[{at}/{len(names)}] {name}"
        progress(f"{head}: starting", False)

        def each(row: Row, head: str = head) -> None:
            progress(f"{head}: {row.what}", False)

        done = _run(name, full, limit, each, folder)
        ended = done.failure or f"{len(done.rows)} rows"
        progress(f"{head}: {ended} in {done.seconds:.0f} s", True)
        yield done


def _run(
    name: str, full: bool, limit: float | None, each: Callable[[Row], None], folder: Path
) -> Done:
    call = [sys.executable, "-m", "benchmarks._child", f"{folder.name}.bench_{name}"]
    paths = [str(HERE.parent), str(folder.parent), os.environ.get("PYTHONPATH", "")]
    started = perf_counter()
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
        child = subprocess.Popen(
            [*call, *(["--full"] if full else [])],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            encoding="utf-8",
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))},
            start_new_session=True,  # so that its own children can be ended with it
        )
        late = threading.Event()
        timer = threading.Timer(limit or 0, _end, (child, late))
        if limit:
            timer.start()
        rows, last = _read(child, each)
        status = child.wait()
        timer.cancel()
        failure = "" if "seconds" in last and not status else _failure(status, errors)
    if late.is_set():
        failure = f"stopped after {limit:g} s"
    if failure:
        rows.append(missing("did not finish", failure))
    taken = perf_counter() - started
    return Done(name, tuple(rows), taken, last.get("megabytes"), failure)


def _read(child: "subprocess.Popen[str]", each: Callable[[Row], None]) -> tuple[list[Row], Any]:
    rows: list[Row] = []
    last: dict[str, Any] = {}
    assert child.stdout is not None
    with child.stdout as lines:
        for line in lines:
            last = json.loads(line)
            if "row" in last:
                rows.append(Row.from_dict(last["row"]))
                each(rows[-1])
    return rows, last


def _end(child: "subprocess.Popen[str]", late: threading.Event) -> None:
    late.set()
    os.killpg(child.pid, 9)


def _failure(status: int, errors: IO[str]) -> str:
    """The last line that was said, which names the error."""
    errors.seek(0)
    said = [line.strip() for line in errors if line.strip()]
    return said[-1][:200] if said else f"ended with status {status}"
