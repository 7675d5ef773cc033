"""Tables whose rows are all different, file to file: seconds, processor, memory and loss.

Five columns of a hospital (date of birth, sex, ZIP code, admission, weight), k = 10.  Every release
is made by a process of its own, as a user would start it, after one that compiles; the peer is a
bare DuckDB `GROUP BY` of the same columns, a join of its result to the rows, and a write.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks._row import Row
from benchmarks.bench_foundation import BARE
from shoal.datasets import write_hospital
from shoal.datasets._hospital import hospital_schema

_RELEASE = """
import json, sys, time
from benchmarks._timing import peak_megabytes
import shoal
from shoal.schema import Schema
source, schema, out, method = sys.argv[1:5]
began = time.perf_counter()
release = shoal.release(source, Schema.from_toml(schema), k=10, method=method)
release.write(out, force=True)
print(json.dumps({
    "whole": time.perf_counter() - began,
    "processor": time.process_time(),
    "gigabytes": peak_megabytes() / 1024,
    "loss": release.metrics.loss,
}))
"""
_LARGE = ((1, "mondrian"), (1, "local"), (3, "local"), (10, "mondrian"))
"""Millions of rows, and the method."""


def main(quick: bool = False) -> Iterator[Row]:
    cases = ((0.02, "mondrian"), (0.02, "local")) if quick else _LARGE
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        hospital_schema().to_toml(folder / "schema.toml")
        for method in ("mondrian", "local"):  # compiles, or loads what is kept
            _release(write_hospital(folder / "few.parquet", 20_000), folder, method)
        for millions, method in cases:
            n_rows = int(millions * 10**6)
            table = folder / f"{n_rows}.parquet"
            if not table.exists():
                write_hospital(table, n_rows)
            yield from _rows(f"{n_rows:,} different rows, {method}", table, folder, method)


def _rows(what: str, table: Path, folder: Path, method: str) -> Iterator[Row]:
    ours = _release(table, folder, method)
    names = hospital_schema().quasi_identifiers
    peer = float(_run(BARE, str(table), str(folder / "bare.parquet"), *names))
    yield Row(what, ours["whole"], peer, "bare DuckDB")
    yield Row(f"{what}: processor", ours["processor"])
    yield Row(f"{what}: peak memory", ours["gigabytes"], unit="GB")
    yield Row(f"{what}: loss", ours["loss"], unit="")


def _release(table: Path, folder: Path, method: str) -> dict[str, float]:
    schema, out = str(folder / "schema.toml"), str(folder / "out.parquet")
    made: dict[str, float] = json.loads(_run(_RELEASE, str(table), schema, out, method))
    return made


def _run(code: str, *words: str) -> str:
    call = [sys.executable, "-c", code, *words]
    return subprocess.run(call, capture_output=True, text=True, check=True).stdout
