"""Constrained k-anonymity on Adult: how long it takes with no, one and two limits.

10,000 random rows, eight quasi-identifiers, and all 45,222 rows.  The paper (Miller, Campan, Truta
2008) says hours.  What it finds is in `shoal reproduce constrained`.
"""

from collections.abc import Iterator

from benchmarks._row import Row
from benchmarks._timing import seconds
from reproduce.experiments._constrained import LIMITS, limited_schema, sample_rows
from shoal.anonymize import ConstrainedKMember
from shoal.datasets import adult
from shoal.privacy import KAnonymity


def main(quick: bool = False) -> Iterator[Row]:
    sample = sample_rows(2_000 if quick else 10_000, seed=0)
    _seconds(sample_rows(500, seed=0), (), 2)  # compile
    for k in (2, 10) if quick else range(2, 11):
        for name, limits in {"no limits": (), **LIMITS}.items():
            yield Row(f"k={k} {name}", _seconds(sample, limits, k))
    if not quick:
        whole = sample_rows(adult("all").n_rows, seed=0)
        yield Row("45,222 rows exact, k=5", _seconds(whole, (), 5))


def _seconds(table: object, limits: tuple[str, ...], k: int) -> float:
    schema = limited_schema(limits)
    method = ConstrainedKMember(schema, KAnonymity(k), refine=False, metric="height")
    return seconds(lambda: method.fit(table))
