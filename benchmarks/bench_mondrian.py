"""Mondrian: against anonypy on Adult, and against DuckDB's own GROUP BY on a large file."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import duckdb

from benchmarks._row import Row
from benchmarks._timing import seconds
from shoal.anonymize import Mondrian
from shoal.datasets import adult
from shoal.datasets._adult import SCALE_UP_COLUMNS, adult_schema
from shoal.privacy import KAnonymity
from shoal.schema import Column, Schema

NAMES = ("age", *SCALE_UP_COLUMNS)


def main(quick: bool = False) -> Iterator[Row]:
    schema = _schema()
    yield from _against_anonypy(schema, n_rows=2_000 if quick else None)
    yield _against_duckdb(schema, copies=7 if quick else 332)


def _schema() -> Schema:
    full = adult_schema("own", quasi_identifiers=NAMES)
    columns = {name: full[name] for name in (*NAMES, "income")}
    return Schema({**columns, "age": Column("quasi-identifier", "numeric")})


def _against_anonypy(schema: Schema, n_rows: int | None) -> Iterator[Row]:
    import pandas as pd

    data = adult().select([*NAMES, "income"])
    frame = pd.DataFrame({name: list(data[name]) for name in data.names})[:n_rows]
    frame = frame.astype(
        dict.fromkeys(SCALE_UP_COLUMNS, "category")
    )  # as anonypy asks; one frame for both
    method = Mondrian(schema, KAnonymity(10))
    method.fit(frame)  # compiles
    ours = seconds(lambda: method.fit(frame).release_.table, 50)
    theirs, note = _anonypy(frame)
    yield Row(f"Adult, {len(frame)} rows, k=10", ours, theirs, "anonypy", note=note)
    yield Row("of which solving", method.release_.seconds["solve"])
    lost = method.release_.metrics.gcp
    best = Mondrian(schema, KAnonymity(10), spread=0, priority=0, loss=1)
    least = best.fit(frame).release_.metrics.gcp
    yield Row("mean NCP by default", lost, least, "loss=1", "")


def _anonypy(frame) -> tuple[float | None, str]:
    """Its seconds for the same rows, or why there are none."""
    try:
        import anonypy
    except ImportError:
        return None, "anonypy is not installed"
    peer = anonypy.Preserver(frame.copy(), list(NAMES), "income")
    return seconds(lambda: peer.anonymize_k_anonymity(10)), ""


def _against_duckdb(schema: Schema, copies: int) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "people.parquet"
        seed = adult().select([*NAMES, "income"]).path()
        duckdb.sql(
            f"COPY (SELECT a.* REPLACE (CAST(a.age + CASE WHEN hash(a.age, i) % 20 = 0 "
            f"THEN hash(i, occupation) % 5 ELSE 0 END AS INTEGER) AS age) "
            f"FROM read_csv('{seed}') a, range({copies}) t(i)) TO '{source}' (FORMAT parquet)"
        )
        n = duckdb.sql(f"SELECT count(*) FROM '{source}'").fetchall()[0][0]
        method = Mondrian(schema, KAnonymity(10))
        out = Path(folder) / "release.parquet"

        def release() -> None:
            method.fit(source).release_.write(out, force=True)

        def bare() -> None:
            listed = ", ".join(f'"{name}"' for name in NAMES)
            copy = Path(folder) / "copy.parquet"
            duckdb.sql(f"SELECT {listed}, count(*) FROM '{source}' GROUP BY ALL").fetchnumpy()
            duckdb.sql(
                f"COPY (SELECT {listed}, income FROM '{source}') TO '{copy}' (FORMAT parquet)"
            )

        release()  # loads the kernels
        ours, theirs = seconds(release), seconds(bare)
        cells = method.release_.recoded.cells.n_groups
        what = f"{n:,} rows, Parquet to Parquet"
        return Row(what, ours, theirs, "bare DuckDB", note=f"{cells:,} cells")
