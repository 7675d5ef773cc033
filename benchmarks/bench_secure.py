"""Secure two-party mining: two processes on loopback with mutual TLS, 128-bit labels.

The peer is what was published in 2008 (Ryger, Kardes, Wright): 5 s per logarithm of 17 bits with 3
terms, 2.5 hours for a Bayes net of 100,000 rows and 6 fields; and, where nothing was published, the
aim that this project set itself.  Seconds of wall time at the slower party; bytes are counted in
both directions.
"""

import csv
import multiprocessing
import os
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks._engines import rows as other_engines, spu_products
from benchmarks._row import Row, missing
from shoal.parties import connect, listen, make_keys
from shoal.secure import FirstParty, SecondParty, SecureBayesNet, SecureID3, Settings, TablePart
from shoal.secure.logarithm._logarithm import TaylorLogarithm

PUBLISHED, AIM = "published, 2008", "our aim"


def main(quick: bool = False) -> Iterator[Row]:
    for products, bits in (("transfer", 3072), ("paillier", 3072), ("paillier", 2048)):
        label = products if products == "transfer" else f"{products} {bits}"
        batch = 50 if quick else 10_000 if products == "transfer" else 500
        done = two("logarithms", {"products": products, "key_bits": bits}, (batch,))
        yield Row(f"{label}: set-up", done["setup"], 2.0, AIM)
        yield Row(f"{label}: one logarithm, warm", done["one"], 5.0, PUBLISHED)
        peer = (0.0001, AIM) if products == "transfer" and not quick else (5.0, PUBLISHED)
        yield Row(f"{label}: logarithm in a batch of {batch:,}", done["each"], *peer)
        yield Row(f"{label}: the same, processor time of the busier party", done["cpu"])
        yield Row(f"{label}: traffic per logarithm", done["bytes"], unit="bytes")
        yield Row(f"{label}: x ln x beyond it", done["product"])
        if products == "transfer":
            whole = done["each"] + done["product"], done["cpu"] + done["product_cpu"]
            yield from other_engines(whole, batch)
    size = 10_000 if quick else 100_000
    done = two("scalar", {}, (size,))
    yield Row(f"scalar product of {size:,} rows", done["seconds"], 0.1, AIM)
    done = two("network", {}, (size,))
    what, published = f"Bayes net {size:,} x 6", None if quick else 9000.0
    yield Row(what, done["seconds"], published, PUBLISHED, note=f"{done['logs']:,} logarithms")
    yield Row(f"{what}: traffic", done["bytes"] / 1e6, unit="MB")
    if not quick:
        yield Row(f"{what}, against the aim", done["seconds"], 2.0, AIM)
    yield from _adult(quick)


def _adult(quick: bool) -> Iterator[Row]:
    if not _adult_file().exists():
        yield missing("ID3, Adult", "the data is not here")
        return
    for depth, aim in ((1, None),) if quick else ((2, None), (3, 5.0)):
        done = two("tree", {}, (depth,))
        what = f"ID3, Adult, depth {depth}"
        yield Row(what, done["seconds"], aim, AIM, note=f"{done['logs']:,} logarithms")
        yield Row(f"{what}: traffic", done["bytes"] / 1e6, unit="MB")
    for k in () if quick else (10, 100):
        done = two("large", {}, (k,))
        _same_as_published(k, done["result"])
        note = f"{done['logs']:,} logarithms, {done['comparisons']:,} comparisons; the pooled tree"
        yield Row(f"ID3 with k={k}, Adult, depth 3", done["seconds"], note=note)


def _same_as_published(k: int, secure: dict[str, Any]) -> None:
    """Raise unless the tree of two halves is that of the pooled rows."""
    from shoal.models import KAnonymousTreeClassifier

    raw = _adult_rows()
    pooled = KAnonymousTreeClassifier(privacy=k, max_depth=3, splits="multiway").fit(
        raw[:, :-1], raw[:, -1]
    )
    tree = pooled.tree_.to_dict()
    nodes, views, classes = tree["nodes"], tree["views"], pooled.classes_.tolist()

    def compare(node: int, other: dict[str, Any]) -> None:
        if nodes["slot"][node] < 0:
            if other != {"class": classes[int(np.argmax(nodes["counts"][node]))]}:
                raise AssertionError("the leaves differ")
            return
        view = views[nodes["slot"][node]]
        if other.get("attribute") != f"a{view['attribute']}":
            raise AssertionError("the attributes differ")
        first, width = nodes["first"][node], nodes["width"][node]
        children = zip(view["labels"], nodes["child"][first : first + width], strict=True)
        for label, child in children:
            if child >= 0:
                compare(child, other["children"][label])

    compare(0, secure)


def two(task: str, settings: dict[str, Any], arguments: tuple[Any, ...]) -> dict[str, Any]:
    """Run a task in two processes; the second party's figures, after both agree."""
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as free:
        for name in ("first", "second"):
            make_keys(name, folder)
        port = free.getsockname()[1]
        free.close()
        context = multiprocessing.get_context("spawn")
        with context.Pool(2) as pool:
            ends = [
                pool.apply_async(_end, (task, name, folder, port, settings, arguments))
                for name in ("first", "second")
            ]
            one, two = (end.get(timeout=3600) for end in ends)
    if one["result"] != two["result"]:
        raise AssertionError(f"{task}: the parties disagree")
    return {**two, **{k: max(one[k], two[k]) for k in one if isinstance(one[k], float)}}


def _end(
    task: str, name: str, folder: str, port: int, settings: dict[str, Any], arguments: Any
) -> dict[str, Any]:
    other = "second" if name == "first" else "first"
    files = {
        "key": Path(folder, f"{name}.key"),
        "certificate": Path(folder, f"{name}.crt"),
        "peer": Path(folder, f"{other}.crt"),
        "timeout": 600.0,
    }
    open_, kind = (listen, FirstParty) if name == "first" else (connect, SecondParty)
    with open_(("127.0.0.1", port), **files) as channel:
        start = perf_counter()
        party = _spu_party(name, channel, settings) or kind(channel, Settings(**settings))
        setup = perf_counter() - start
        done = TASKS[task](party, *arguments)
        traffic = channel.transcript.to_dict()
    total = traffic["bytes_sent"] + traffic["bytes_received"]
    return {"setup": setup, "bytes": total, "turns": traffic["rounds"], **done}


def _spu_party(name: str, channel: Any, settings: dict[str, Any]) -> Any:
    """SPU's end of a line, where addresses of its own are given."""
    if "addresses" not in settings:
        return None
    from shoal.secure.miners._spu import FirstSPUParty, SecondSPUParty

    kind = FirstSPUParty if name == "first" else SecondSPUParty
    return kind(channel, tuple(settings["addresses"]))


def _logarithms(party: Any, batch: int) -> dict[str, Any]:
    logarithm = TaylorLogarithm(17, 3)
    rng = np.random.default_rng(1)
    counts = rng.integers(0, 2**16, batch, dtype=np.uint32)
    logarithm.shares(party, counts[:1])  # warm: circuits built, tables of powers made
    start = perf_counter()
    logarithm.shares(party, counts[:1])
    one = perf_counter() - start
    before = party.channel.transcript.to_dict()
    start, cpu = perf_counter(), process_time()
    logs = logarithm.shares(party, counts)
    each, cpu = (perf_counter() - start) / batch, (process_time() - cpu) / batch
    after = party.channel.transcript.to_dict()
    start, product_cpu = perf_counter(), process_time()
    logarithm.x_log_x(party, logs)
    product = (perf_counter() - start) / batch
    product_cpu = (process_time() - product_cpu) / batch
    traffic = sum(after[k] - before[k] for k in ("bytes_sent", "bytes_received"))
    return {
        "one": one,
        "each": each,
        "cpu": cpu,
        "product": product,
        "product_cpu": product_cpu,
        "bytes": traffic / batch,
        "result": None,
    }


def _scalar(party: Any, size: int) -> dict[str, Any]:
    bits = np.random.default_rng(2).integers(0, 2, (1, size)).astype(bool)
    party.count_products(bits)
    start = perf_counter()
    party.count_products(bits)
    return {"seconds": perf_counter() - start, "result": None}


def _network(party: Any, size: int) -> dict[str, Any]:
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, (size, 6))
    for child, parent in ((1, 0), (3, 1), (4, 2), (5, 3)):
        copy = rng.random(size) < 0.4
        codes[copy, child] = codes[copy, parent]
    mine = (np.arange(6) % 2 == 0) == party.is_first
    part = TablePart(
        [f"c{i}" for i in range(6)], [["0", "1"]] * 6, np.where(mine, codes, -1), "cells"
    )
    start = perf_counter()
    model = SecureBayesNet(max_parents=3).fit(part, party)
    return {
        "seconds": perf_counter() - start,
        "logs": model.n_logarithms_,
        "result": model.structure_.to_dict(),
    }


def _adult_file() -> Path:
    folder = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[1] / "../shared/data"))
    return folder / "adult" / "adult.data"


def _adult_rows() -> Any:
    with _adult_file().open(newline="") as file:
        rows = [row for row in csv.reader(file, skipinitialspace=True) if len(row) == 15]
    return np.array(rows)[:, [1, 3, 5, 6, 7, 8, 9, 13, 14]]


def _large(party: Any, k: int) -> dict[str, Any]:
    return _tree(party, 3, k=k, terms=4)


def _tree(party: Any, depth: int, **options: Any) -> dict[str, Any]:
    pairs = [np.unique(column, return_inverse=True) for column in _adult_rows().T]
    codes = np.stack([c for _, c in pairs], axis=1).astype(np.int32)
    names = [f"a{i}" for i in range(8)] + ["class"]
    part = TablePart(names, [v.tolist() for v, _ in pairs], codes[0 if party.is_first else 1 :: 2])
    start = perf_counter()
    model = SecureID3("class", max_depth=depth, **options).fit(part, party)
    return {
        "seconds": perf_counter() - start,
        "logs": model.n_logarithms_,
        "comparisons": model.n_comparisons_,
        "result": model.tree_.to_dict(),
    }


TASKS = {
    "logarithms": _logarithms,
    "scalar": _scalar,
    "network": _network,
    "tree": _tree,
    "large": _large,
    "spu": spu_products,
}
