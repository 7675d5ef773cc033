"""The judge of written releases: its time beside the write that it judges and a bare DuckDB copy.

A census is released from Parquet; the judge reads the written file and the source again, compares
every cell and counts the groups.  The write it stands beside is the engine's alone.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import duckdb

from benchmarks._row import Row
from shoal.anonymize import BottomUpGeneralization
from shoal.anonymize._recheck import recheck
from shoal.datasets import census
from shoal.datasets._census import census_schema
from shoal.privacy import KAnonymity


def main(quick: bool = False) -> Iterator[Row]:
    millions = 1 if quick else 10
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        source = folder / "people.parquet"
        small = census(20_000).to_file(folder / "small.csv")
        copies = millions * 10**6 // 20_000
        with duckdb.connect() as connection:
            connection.execute(
                f"COPY (SELECT t.* FROM read_csv('{small}') t, range({copies})) TO '{source}'"
            )
        for suffix in (".csv", ".parquet"):
            yield from _measure(source, folder / f"r{suffix}", millions)


def _measure(source: Path, target: Path, millions: int) -> Iterator[Row]:
    release = BottomUpGeneralization(census_schema(), KAnonymity(50)).fit(source).release_
    started = perf_counter()
    witness = release.compressed.write(release.recoded, release.output, target)
    written = perf_counter()
    parts = (release.schema, release.privacy, release.output, release.recoded)
    recheck(target, *parts, witness)
    judged = perf_counter()
    with duckdb.connect() as connection:
        connection.execute(f"COPY (FROM '{source}') TO '{target.with_stem('bare')}'")
    copied = perf_counter() - judged
    what = f"{millions} million rows to {target.suffix}"
    took = judged - written
    yield Row(f"judge, {what}", took, written - started, "the write that it judges")
    yield Row(f"judge, {what}, bare", took, copied, "a bare DuckDB copy")
