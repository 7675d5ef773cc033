"""What least labels tell, before and after public lines, and what that costs.

    python benchmarks/bench_refine.py

prints the table of docs/evidence/refine.md: `shoal attack refine` on Lung, Adult and a made-up
census, with k = 10 (5 on Lung, which is small).
"""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pandas as pd

from shoal.anonymize import FullDomain, LocalRecoding, Mondrian, Release
from shoal.attacks import refine_attack
from shoal.datasets import adult, census, lung
from shoal.datasets._adult import adult_schema
from shoal.datasets._census import census_schema
from shoal.schema import Schema

LUNG = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric", "hierarchy": {"intervals": [5, 10]}},
        "sex": {"role": "quasi-identifier", "hierarchy": "flat"},
        "ph.ecog": {"role": "quasi-identifier", "kind": "numeric", "lines": 2},
        "wt.loss": {"role": "quasi-identifier", "kind": "numeric"},
    }
)
HEADER = (
    "| table | method | ends of ranges | groups | labels narrowed | exact values | singled out | "
    "by guessing | placed: labels alone, refined | detail lost |\n"
    "|---|---|---|---|---|---|---|---|---|---|"
)


def tables() -> Iterator[tuple[str, pd.DataFrame, Schema, int]]:
    """Name, rows, schema and k."""
    yield "Lung", _rows(lung().path(), 1000)[list(LUNG)], LUNG, 5
    yield "census", _rows(census(2000).path(), 2000), census_schema(), 10
    yield "Adult", _rows(adult().path(), 3000), adult_schema(), 10


def hardened() -> Iterator[tuple[str, pd.DataFrame, Schema, int, dict[str, int]]]:
    """Name, rows, schema, k and fixed levels."""
    lung_levels = Schema({name: column for name, column in LUNG.items() if name != "wt.loss"})
    patients = _rows(lung().path(), 1000)[list(lung_levels)]
    yield "Lung", patients, lung_levels, 5, {"age": 2}
    people = _rows(census(2000).path(), 2000)
    schema = Schema(
        {
            "age": {**census_schema()["age"].to_toml(), "hierarchy": {"intervals": [10, 20, 40]}},
            "sex": {"role": "quasi-identifier", "hierarchy": "flat"},
        }
    )
    yield "census, age and sex", people[list(schema)], schema, 10, {"sex": 0}


def _rows(path: object, limit: int) -> pd.DataFrame:
    return duckdb.sql(f"SELECT * FROM '{path}' LIMIT {limit}").df()


def line(name: str, what: str, release: Release, people: pd.DataFrame) -> str:
    """One line of the table."""
    told = refine_attack(release, release.schema, truth=people, register=people)
    narrowed, singled, placed = told.results
    ends = release.parameters.get("ranges", "lines")
    return (
        f"| {name} | {what} | {ends} | {len(told.sizes)} | {narrowed.risk:.0%} | "
        f"{narrowed.details['exact_values']} | {singled.details['singled_out']} of "
        f"{singled.trials} | {singled.baseline:.0%} | {placed.baseline:.0%}, {placed.risk:.0%} | "
        f"{release.metrics.gcp:.3f} |"
    )


def main() -> None:
    """Print the table."""
    print(HEADER)
    for name, people, schema, k in tables():
        for method in (Mondrian, LocalRecoding):
            for ends in ("exact", "lines"):
                release = method(schema, k, ranges=ends).fit(people).release_
                print(line(name, method.__name__, release, people), flush=True)
    print("\n| table | method | rows left out | detail lost |\n|---|---|---|---|")
    for name, people, schema, k, levels in hardened():
        release = FullDomain(schema, k, hardened=True, levels=levels).fit(people).release_
        share, lost = release.n_suppressed / len(people), release.metrics.gcp
        print(f"| {name} | FullDomain(hardened=True, levels={levels}) | {share:.0%} | {lost:.3f} |")
        release = FullDomain(schema, k, max_suppression=0.05).fit(people).release_
        share, lost = release.n_suppressed / len(people), release.metrics.gcp
        print(f"| {name} | FullDomain(max_suppression=0.05) | {share:.0%} | {lost:.3f} |")


if __name__ == "__main__":
    main()
