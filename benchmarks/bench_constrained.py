"""Constrained k-anonymity on Adult: the paper's experiment, and how long it takes.

10,000 random rows (seed 0), eight quasi-identifiers, k from 2 to 10; limits on native-country
(continents), then on native-country and age (bands of 20 years).  The paper's trees are not printed
in full, so the trees are the data folder's, with bands of two for education-num.  Published, for
comparison (Miller, Campan, Truta 2008, tables 1 and 2): violations of the unconstrained method grow
from 605 to 2,728 (country) and from 2,209 to 9,549 (both); 0 and 5 to 106 rows suppressed; hours.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks._row import Row
from benchmarks._timing import timed
from shoal.anonymize import ConstrainedKMember
from shoal.datasets import adult, adult_schema
from shoal.metrics import limit_violations
from shoal.privacy import KAnonymity
from shoal.schema import Column, Intervals, Schema
from shoal.tables import open_table

EIGHT = (
    "education-num",
    "workclass",
    "marital-status",
    "occupation",
    "race",
    "sex",
    "age",
    "native-country",
)
PUBLISHED = {  # k: violations with one and with two limits, rows suppressed with two
    2: (605, 2209, 5),
    10: (2728, 9549, 106),
}


def schema(limits: tuple[str, ...] = ()) -> Schema:
    """The eight columns, with limits on some."""
    trees = adult_schema("tds")
    columns: dict[str, Any] = {}
    for name in EIGHT:
        kind = "numeric" if name in ("education-num", "age") else "categorical"
        tree: Any = Intervals((2.0, 4.0, 8.0)) if name == "education-num" else trees[name].hierarchy
        level = {"native-country": 2, "age": 3}.get(name) if name in limits else None
        columns[name] = Column("quasi-identifier", kind, tree, limit_level=level)  # type: ignore[arg-type]
    return Schema(columns)


def main(quick: bool = False) -> Iterator[Row]:
    people = adult("all")
    frame = _frame(people, 2_000 if quick else 10_000)
    free, country = schema(), schema(("native-country",))
    both = schema(("native-country", "age"))
    ConstrainedKMember(free, KAnonymity(2)).fit(_frame(people, 500))  # compile
    for k in (2, 10) if quick else range(2, 11):
        plain, seconds = _fit(free, k, frame)
        yield Row(f"k={k} no limits: IL", plain.release_.metrics.information_loss, unit="")
        yield Row(f"k={k} no limits", seconds)
        # the published figures are of 10,000 rows
        published = (None, None, None) if quick else PUBLISHED.get(k, (None, None, None))
        for number, limited in enumerate((country, both)):
            cells = open_table(frame).compress(limited).cells
            beyond = sum(limit_violations(plain.recoding_.recode(cells)).values())
            method, seconds = _fit(limited, k, frame)
            what = f"k={k} {'country' if limited is country else 'country and age'}"
            release = method.release_
            left_out = (0, published[2])[number]
            yield Row(f"{what}: IL", release.metrics.information_loss, unit="")
            yield Row(f"{what}: suppressed", release.n_suppressed, left_out, "published", "rows")
            yield Row(f"{what}: violations without", beyond, published[number], "published", "rows")
            yield Row(what, seconds)
    if not quick:
        whole = _frame(people, people.n_rows)
        yield Row("45,222 rows exact, k=5", _fit(free, 5, whole)[1])


def _fit(limited: Schema, k: int, frame: Any) -> tuple[ConstrainedKMember, float]:
    return timed(lambda: ConstrainedKMember(limited, KAnonymity(k)).fit(frame))


def _frame(people: Any, n_rows: int) -> Any:
    import pyarrow as pa

    chosen = np.random.default_rng(0).permutation(people.n_rows)[:n_rows]
    return pa.table({name: [people[name][i] for i in chosen] for name in EIGHT})
