"""Audits beside applying the model; spanning trees beside fast_hdbscan; rules beside mlxtend."""

from collections.abc import Iterator

import numpy as np

from benchmarks._row import Row
from benchmarks._timing import seconds


def main(quick: bool = False) -> Iterator[Row]:
    for part in (tree, forest, adult_forest, span_tree, clusters):
        yield from part(quick)
    yield from rules()


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

    from shoal.datasets import adult, adult_schema

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


def span_tree(quick: bool) -> list[Row]:
    from shoal.models import spanning_tree

    n_rows = 30_000 if quick else 1_000_000
    points = np.random.default_rng(0).normal(size=(n_rows, 3))
    ours = seconds(lambda: spanning_tree(points))
    peer, note = None, ""
    try:
        from fast_hdbscan.boruvka import parallel_boruvka
        from fast_hdbscan.numba_kdtree import kdtree_to_numba
        from sklearn.neighbors import KDTree

        tree = kdtree_to_numba(KDTree(points))
        parallel_boruvka(tree, min_samples=1)  # compiles
        peer = seconds(lambda: parallel_boruvka(tree, min_samples=1))
    except Exception as error:
        note = f"peer left out: {type(error).__name__}"
    what = f"spanning tree of {n_rows:,} points in 3 dimensions"
    return [Row(what, ours, peer, "fast_hdbscan", note=note)]


def clusters(quick: bool) -> list[Row]:
    """Adult's numeric attributes, capital gain private, k = 10: inertia beside k-means."""
    import pandas as pd
    from sklearn.cluster import KMeans

    from shoal.datasets import adult
    from shoal.models import KAnonymousClustering
    from shoal.schema import Schema

    names = ["age", "education-num", "hours-per-week", "capital-gain"]
    data = adult()
    table = pd.DataFrame({n: np.asarray(data[n], float) for n in names})
    table = table.iloc[: 3000 if quick else None]
    roles = dict.fromkeys(names, "quasi-identifier") | {"capital-gain": "sensitive"}
    schema = Schema({n: {"role": role, "kind": "numeric"} for n, role in roles.items()})
    model = KAnonymousClustering(schema, 10, 8, max_tries=60 if quick else 200)
    taken = seconds(lambda: model.fit(table))
    points = table.to_numpy() / table.to_numpy().std(axis=0)
    n = len(model.cluster_centers_)
    ours = float(((points - model.cluster_centers_[model.labels_]) ** 2).sum())
    peer = float(KMeans(n, n_init=3, random_state=0).fit(points).inertia_)
    return [
        Row(f"cluster Adult, {len(table):,} rows", taken, note=f"{n} clusters"),
        Row("inertia of these clusters", ours, peer, "k-means", ""),
    ]


def rules() -> list[Row]:
    """Groceries, k = 30: with every second department private, beside mining alone."""
    import csv

    from shoal.datasets import find_data, groceries
    from shoal.models import KAnonymousRules
    from shoal.models._mine_rules import mine
    from shoal.models._rules import read_baskets

    baskets = groceries()
    with find_data("groceries/hierarchies/item.csv").open(encoding="utf-8") as file:
        levels = [row for row in csv.reader(file, delimiter=";") if row]
    department = {row[0]: row[2] for row in levels}
    hidden = sorted(set(department.values()))[::2]
    private = [item for item, where in department.items() if where in hidden]
    model = KAnonymousRules(
        private, 30, min_confidence=0.2, max_items=3, hierarchy={r[0]: r[1] for r in levels}
    )
    columns = read_baskets(baskets)
    peer = seconds(lambda: mine(columns, 0.01, 0.2, 3))
    ours = seconds(lambda: model.fit(baskets))
    cost = model.cost_
    return [
        Row("rules of Groceries, k = 30", ours, peer, "mlxtend alone"),
        Row("rules released", len(model.rules_), cost.mined, "all mined", "rules"),
        Row(
            "support times confidence kept", cost.weight_after, cost.weight_before, "all mined", ""
        ),
    ]
