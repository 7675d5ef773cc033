"""Metrics of releases, and quasi-identifiers, as far as no command shows them."""

from __future__ import annotations

from typing import Any

from tests.recorder._api import everything, save
from tests.recorder._api_releases import make, read
from tests.recorder._run import INPUTS

METHODS = ("local", "mondrian", "top-down")


def _recoded(method: str) -> Any:
    return make(method, "numbers").fit(read("polars")).release_.recoded


def _losses() -> None:
    m = everything("shoal.metrics")

    for method in METHODS:
        recoded = _recoded(method)
        save(method, {
            "measured": m.measure(recoded, target="illness"),
            "columns": m.column_discernibility(recoded),
            "overlapping": m.column_discernibility(recoded, overlapping=True),
            "weighted": m.weighted_discernibility(recoded, {"age": 2.0, "job": 1.0}),
            "marginals": m.marginal_divergences(recoded, 1),
            "pairs": m.marginal_divergences(recoded, 2),
        })  # fmt: skip


def _breaches() -> None:
    m = everything("shoal.metrics")

    for method in METHODS:
        groups = _recoded(method).groups
        save(method, {
            "proximity": m.proximity_breaches(groups, "income", e=20, m=2),
            "divergence": m.divergence_breaches(groups, "illness", limit=0.5, confidence=0.1),
            "risk": m.risk(groups, sensitive=("illness", "income")),
        })  # fmt: skip


def _queries() -> None:
    from shoal.metrics import query_errors
    from shoal.metrics._queries import Among, Between, CountQuery, QueryCondition as Condition

    asked = [
        CountQuery((Condition("age", (Between(30, 40),)),)),
        CountQuery((Condition("age", (Between(None, 25), Between(70, None))),)),
        CountQuery((Condition("job", (Among(("nurse", "cook")),), negated=True),)),
        CountQuery((Condition("sex", (Among(("F",)),)), Condition("zip", (Among(("10000",)),)))),
    ]
    for method in METHODS:
        found = query_errors(_recoded(method), asked, floor=5, least_share=0.1)
        save(method, {"summary": found, "true": found.true, "estimated": found.estimated})


def _utility() -> None:
    m = everything("shoal.metrics")

    for method in METHODS:
        recoded = _recoded(method)
        codes, classes, counts = m.examples(recoded, "illness")
        matrix = m.design_matrix(recoded)
        save(method, {
            **{
                name: m.classification_utility(
                    codes, classes, codes, classes, train_rows=counts, test_rows=counts,
                    classifier=name,
                )
                for name in ("tree", "naive-bayes", "logistic")
            },
            "features": matrix.names, "sums": matrix.features.sum(axis=0),
        })  # fmt: skip


def _discover() -> None:
    d = everything("shoal.discover")

    table = f"{INPUTS}/people.parquet"
    known = ["age", "sex", "zip", "school", "job", "income"]
    save("ratios", [d.distinct_ratio(table, known[:3]), d.separation_ratio(table, known[:3])])
    save("keys", d.minimal_keys(table, 4, columns=known, duplicates="drop"))
    save("uniqueness", d.uniqueness(table, 2, columns=known))
    save("roles", d.suggest_roles(table))
    for kind in ("exact", "separation", "distinct"):
        for search in ("greedy", "minimum"):
            save(f"{kind}-{search}", d.find_key(
                table, kind, search=search, columns=known, duplicates="drop", eps=0.05,
                random_state=3,
            ))  # fmt: skip
    sample = d.RowSample(300, columns=known, random_state=4)
    for start in range(0, 900, 300):
        sample.partial_fit(read("polars")[start : start + 300])
    save("stream", d.find_key(sample, "distinct", eps=0.2, random_state=3))
    save("sizes", [d.pairs_for_key(9, 0.01, 0.01), d.rows_for_key(900, 9, 0.01, 0.01),
                   d.pairs_for_quasi_identifier(9, 0.5, 0.1, 0.01)])  # fmt: skip


def _workload() -> None:
    from shoal.schema import Schema
    from shoal.workload import read_workload

    found = read_workload(f"{INPUTS}/queries.sql")
    settings = found.settings(Schema.from_toml(f"{INPUTS}/people.toml"))
    save("workload", {"problems": found.problems, "queries": found.queries, "settings": settings})


CASES = {
    "api metrics losses": _losses,
    "api metrics breaches": _breaches,
    "api metrics queries": _queries,
    "api metrics utility": _utility,
    "api discover": _discover,
    "api workload": _workload,
}
"""Names and cases of this module."""
