"""Mondrian: against anonypy on Adult, and against DuckDB's own GROUP BY on a large file."""

import tempfile
import time
from pathlib import Path

import duckdb

from shoal.anonymize import Mondrian
from shoal.datasets import SEVEN, adult, adult_schema
from shoal.metrics import gcp
from shoal.privacy import KAnonymity
from shoal.schema import Column, Schema

NAMES = ("age", *SEVEN)


def main(quick: bool) -> list[tuple[object, ...]]:
    schema = _schema()
    rows = _against_anonypy(schema, n_rows=2_000 if quick else None)
    rows += _against_duckdb(schema, copies=7 if quick else 332)
    return rows


def _schema() -> Schema:
    full = adult_schema("own", quasi_identifiers=NAMES)
    columns = {name: full[name] for name in (*NAMES, "income")}
    return Schema({**columns, "age": Column("quasi-identifier", "numeric")})


def _against_anonypy(schema: Schema, n_rows: int | None) -> list[tuple[object, ...]]:
    import anonypy
    import pandas as pd

    data = adult().select([*NAMES, "income"])
    frame = pd.DataFrame({name: list(data[name]) for name in data.names})[:n_rows]
    method = Mondrian(schema, KAnonymity(10))
    method.fit(frame)  # compiles
    ours = min(_seconds(lambda: method.fit(frame).release_.table) for _ in range(5))
    theirs_frame = frame.copy()
    for name in SEVEN:
        theirs_frame[name] = theirs_frame[name].astype("category")
    peer = anonypy.Preserver(theirs_frame, list(NAMES), "income")
    theirs = _seconds(lambda: peer.anonymize_k_anonymity(10))
    lost = gcp(method.release_.recoded)
    best = Mondrian(schema, KAnonymity(10), spread=0, priority=0, loss=1)
    least = gcp(best.fit(frame).release_.recoded)
    return [
        (f"Adult, {len(frame)} rows, k=10, s (peer: anonypy)", ours, theirs, theirs / ours),
        ("of which solving, s", method.release_.seconds["solve"], None, None),
        ("mean NCP, default, against loss=1", lost, least, lost / least),
    ]


def _against_duckdb(schema: Schema, copies: int) -> list[tuple[object, ...]]:
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

        ours, theirs = _seconds(release), _seconds(bare)
        cells = method.release_.recoded.cells.n_groups
        return [(f"{n} rows, {cells} cells, Parquet to Parquet, s", ours, theirs, ours / theirs)]


def _seconds(run) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started
