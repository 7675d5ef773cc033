"""Releasing files: the scale-up set (Adult repeated), from 1 to 100 million rows, and import time.

Every command runs in a process of its own, as a user would start it, after one warm-up; the peer
is a bare DuckDB `GROUP BY` of the same columns, a join of its result to the rows, and a write.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import duckdb

from benchmarks._row import Row
from benchmarks._timing import seconds
from shoal.datasets import adult
from shoal.datasets._adult import SCALE_UP_COLUMNS, adult_schema
from shoal.datasets._scale import scale_up

_RELEASE = """
import json, sys
from time import perf_counter
from benchmarks._timing import peak_megabytes
started = perf_counter()
from shoal.anonymize import BottomUpGeneralization
from shoal.privacy import KAnonymity
from shoal.schema import Schema
imported = perf_counter()
method = BottomUpGeneralization(Schema.from_toml(sys.argv[2]), KAnonymity(int(sys.argv[4])))
method.fit(sys.argv[1]).release_.write(sys.argv[3], force=True)
done = perf_counter()
print(json.dumps({
    "import": imported - started, "whole": done - started, **method.release_.seconds,
    "cells": method.release_.recoded.cells.n_groups,
    "gigabytes": peak_megabytes() / 1024,
}))
"""
BARE = """
import sys, duckdb
from time import perf_counter
started = perf_counter()
connection = duckdb.connect()
connection.execute("SET enable_progress_bar = false")
keys = ", ".join('"' + name + '"' for name in sys.argv[3:])
source, target = sys.argv[1:3]
count = f"SELECT {keys}, count(*) AS n FROM '{source}' GROUP BY ALL"
joined = f"SELECT t.*, g.n FROM '{source}' t JOIN g USING ({keys})"
connection.execute(f"CREATE TABLE g AS {count}")
connection.execute(f"COPY ({joined}) TO '{target}' (FORMAT parquet)")
print(perf_counter() - started)
"""


def main(quick: bool = False) -> Iterator[Row]:
    yield _import_time()
    people = adult("all")
    schema = adult_schema("own", quasi_identifiers=SCALE_UP_COLUMNS)
    wanted = {name: column for name, column in schema.items() if column.role != "identifier"}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        type(schema)(wanted).to_toml(folder / "schema.toml")
        sigma = 3 if quick else 30
        table = scale_up(people, folder / "scale.parquet", sigma=sigma, rho=3, afresh=True)
        yield from _compare(
            f"scale-up set x {sigma}, K = 150, file to file", table, folder, list(wanted)
        )
        for millions in () if quick else (1, 10, 100):
            large = folder / "rows.parquet"
            copies = millions * 10**6 // (sigma * people.n_rows) + 1
            columns = ", ".join(f'"{name}"' for name in wanted)
            duckdb.sql(
                f"COPY (SELECT {columns} FROM '{table}', range({copies}) LIMIT {millions}000000) "
                f"TO '{large}' (FORMAT parquet)"
            )
            yield from _compare(f"{millions} million rows", large, folder, list(wanted))


def _compare(what: str, table: Path, folder: Path, names: list[str]) -> list[Row]:
    schema, out = str(folder / "schema.toml"), str(folder / "out.parquet")
    call = [sys.executable, "-c", _RELEASE, str(table), schema, out, "150"]
    bare = [sys.executable, "-c", BARE, str(table), str(folder / "bare.parquet"), *names]
    _run(call)
    ours = json.loads(_run(call))
    peer = float(_run(bare))
    return [
        Row(what, ours["whole"], peer, "bare DuckDB"),
        Row(f"{what}: compress", ours["compress"], note=f"{ours['cells']:,} cells"),
        Row(f"{what}: solve", ours["solve"]),
        Row(f"{what}: peak memory", ours["gigabytes"], unit="GB"),
    ]


def _run(call: list[str]) -> str:
    return subprocess.run(call, capture_output=True, text=True, check=True).stdout


def _import_time() -> Row:
    ours, bare = (
        seconds(lambda code=code: _run([sys.executable, "-c", code]), 3)
        for code in ("import shoal", "pass")
    )
    return Row("start Python and import shoal", ours, bare, "Python alone")
