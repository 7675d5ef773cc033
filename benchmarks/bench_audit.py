"""Audits beside applying the model."""

from collections.abc import Iterator

import numpy as np

from benchmarks._row import Row
from benchmarks._timing import seconds


def main(quick: bool = False) -> Iterator[Row]:
    for part in (tree, forest, adult_forest):
        yield from part(quick)


def people(n_rows: int):
    import pandas as pd

    from shoal.schema import Schema

    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(n_rows, 6)), columns=list("abcdef"))
    table["y"] = (table["a"] * table["b"] + rng.normal(size=n_rows) > 0).astype(int)
    schema = Schema(
        {n: {"role": "quasi-identifier", "kind": "numeric"} for n in "abcdef"}
        | {"y": {"role": "sensitive", "target": True}}
    )
    return table, schema


def tree(quick: bool) -> list[Row]:
    from sklearn.tree import DecisionTreeClassifier

    from shoal.audit import audit

    n_rows = 100_000 if quick else 1_000_000
    table, schema = people(n_rows)
    model = DecisionTreeClassifier(max_leaf_nodes=1000, random_state=0)
    model.fit(table[list("abcdef")], table["y"])
    peer = seconds(lambda: model.apply(table[list("abcdef")]), 3)
    ours = seconds(lambda: audit(model, table, schema), 3)
    return [Row(f"audit a tree of 1,000 leaves, {n_rows:,} rows", ours, peer, "scikit-learn apply")]


def forest(quick: bool) -> list[Row]:
    """Trees of 100 leaves, each grown on 20,000 rows that are drawn, over all rows."""
    from sklearn.ensemble import RandomForestClassifier

    n_rows, n_trees = (20_000, 20) if quick else (1_000_000, 100)
    table, schema = people(n_rows)
    model = RandomForestClassifier(
        n_trees, max_leaf_nodes=100, max_samples=min(n_rows, 20_000), random_state=0
    )
    model.fit(table[list("abcdef")], table["y"])
    hidden = schema.replace(f={"role": "sensitive", "kind": "numeric"})
    what = f"audit a forest of {n_trees} trees, {n_rows:,} rows"
    return beside_apply(model, table, list("abcdef"), schema, hidden, what)


def adult_forest(quick: bool) -> list[Row]:
    """Trees that grow until their leaves are pure, on all of Adult."""
    import pandas as pd
    from sklearn.compose import ColumnTransformer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OrdinalEncoder

    from shoal.datasets import adult
    from shoal.datasets._adult import adult_schema

    table = pd.DataFrame(adult().columns)
    schema = adult_schema(rest="quasi-identifier")
    names = [name for name in table if name != "income"]
    words = [name for name in names if not pd.api.types.is_numeric_dtype(table[name])]
    encode = ColumnTransformer([("codes", OrdinalEncoder(), words)], remainder="passthrough")
    model = make_pipeline(encode, RandomForestClassifier(20 if quick else 100, random_state=0))
    model.fit(table[names], table["income"])
    hidden = schema.replace(**{"marital-status": {"role": "sensitive"}})
    what = (
        f"audit a full forest of {len(model[-1].estimators_)} trees on Adult, {len(table):,} rows"
    )
    return beside_apply(model, table, names, schema, hidden, what)


def beside_apply(model, table, names, schema, hidden, what) -> list[Row]:
    """An audit with everything public, and with a private column, beside applying the model."""
    from shoal.audit import audit

    def apply():
        last, rows = model, table[names]
        if hasattr(model, "steps"):
            last, rows = model[-1], model[:-1].transform(rows)
        return last.apply(rows)

    few = table.iloc[:100]
    audit(model, few, hidden, check_table=False)  # compiles
    peer = seconds(apply)
    ours = seconds(lambda: audit(model, table, schema))
    closed = seconds(lambda: audit(model, table, hidden))
    return [
        Row(what, ours, peer, "scikit-learn apply"),
        Row(f"{what}, one private column", closed, peer, "scikit-learn apply"),
    ]
