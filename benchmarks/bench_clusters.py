"""Spanning trees beside fast_hdbscan, clusters beside k-means, rules beside mlxtend.

Seconds are those of the processor, over all threads: the peer's tree is built by several.
"""

import csv
from collections.abc import Callable, Iterator
from time import process_time
from typing import Any

import numpy as np

from benchmarks._row import Row
from benchmarks._timing import peak_megabytes


def main(quick: bool = False) -> Iterator[Row]:
    yield from span_tree(quick)
    yield from million(quick)
    yield from adult_clusters(quick)
    yield from rules()


def cpu(work: Callable[[], Any]) -> float:
    started = process_time()
    work()
    return process_time() - started


def span_tree(quick: bool) -> Iterator[Row]:
    from shoal.models.clusters._mst import spanning_tree

    n_rows = 30_000 if quick else 1_000_000
    points = np.random.default_rng(0).normal(size=(n_rows, 3))
    length = 0.0

    def ours() -> None:
        nonlocal length
        length = float(spanning_tree(points)[2].sum())

    taken = cpu(ours)
    held = peak_megabytes()
    what = f"spanning tree of {n_rows:,} points in 3 dimensions"
    try:
        from fast_hdbscan.hdbscan import compute_minimum_spanning_tree
    except ImportError:
        yield Row(what, taken, note="fast_hdbscan is not installed")
        return
    compute_minimum_spanning_tree(points[:1000], min_samples=1)  # compiles
    theirs: list[float] = []

    def peer() -> None:
        found = compute_minimum_spanning_tree(points, min_samples=1)[0]
        theirs.append(float(np.asarray(found)[:, 2].sum()))

    beside = cpu(peer)
    # distances as they are: what it is made for is the tree of distances raised to a density
    note = f"{held:,.0f} MB; peer with min_samples=1; lengths {length:.2f} and {theirs[0]:.2f}"
    yield Row(what, taken, beside, "fast_hdbscan", "s of processor", note)


def million(quick: bool) -> Iterator[Row]:
    """Tree and cuts together: one private column, k = 10, 8 clusters."""
    from shoal.models import KAnonymousClustering
    from shoal.schema import Schema

    n_rows = 30_000 if quick else 1_000_000
    rng = np.random.default_rng(0)
    points = rng.normal(size=(n_rows, 3)) + 6 * rng.integers(0, 2, (n_rows, 3))
    table = dict(zip("abc", points.T, strict=True))
    roles = dict.fromkeys("ab", "quasi-identifier") | {"c": "sensitive"}
    schema = Schema({n: {"role": role, "kind": "numeric"} for n, role in roles.items()})
    model = KAnonymousClustering(schema, 10, n_clusters=8, min_rows=10, max_tries=2000)
    taken = cpu(lambda: model.fit(table))
    note = f"{len(model.cluster_centers_)} clusters, {model.n_tried_:,} edges tried"
    yield Row(f"cluster {n_rows:,} points, k = 10", taken, unit="s of processor", note=note)


def adult_clusters(quick: bool) -> Iterator[Row]:
    """Adult's numeric attributes, capital gain private, k = 10: inertia beside k-means."""
    from sklearn.cluster import KMeans

    from shoal.datasets import adult
    from shoal.models import KAnonymousClustering
    from shoal.schema import Schema

    names = ["age", "education-num", "hours-per-week", "capital-gain"]
    data = adult()
    rows = slice(3000 if quick else None)
    table = {n: np.asarray(data[n], float)[rows] for n in names}
    roles = dict.fromkeys(names, "quasi-identifier") | {"capital-gain": "sensitive"}
    schema = Schema({n: {"role": role, "kind": "numeric"} for n, role in roles.items()})
    matrix = np.column_stack(list(table.values()))
    points = (matrix - matrix.mean(axis=0)) / matrix.std(axis=0)
    for min_rows in (1, 10):
        model = KAnonymousClustering(schema, 10, n_clusters=8, min_rows=min_rows)
        taken = cpu(lambda model=model: model.fit(table))
        n = len(model.cluster_centers_)
        what = f"Adult, {len(points):,} rows, k = 10, min_rows = {min_rows}"
        note = f"{n} clusters, {model.n_tried_:,} edges tried, {model.n_refused_:,} refused"
        yield Row(f"cluster {what}", taken, unit="s of processor", note=note)
        ours = float(((points - model.cluster_centers_[model.labels_]) ** 2).sum())
        peer = float(KMeans(n, n_init=3, random_state=0).fit(points).inertia_)
        yield Row(f"inertia: {what}", ours, peer, "k-means", "")


def rules() -> Iterator[Row]:
    """Groceries, k = 30: with every second department private, beside mining alone."""
    from shoal.audit import audit, item_schema
    from shoal.datasets import groceries
    from shoal.datasets._sources import find_data
    from shoal.errors import MissingExtraError
    from shoal.models import KAnonymousRules
    from shoal.models.rules._mine_rules import mine
    from shoal.models.rules._rules import read_baskets

    baskets = groceries()
    with find_data("groceries/hierarchies/item.csv").open(encoding="utf-8") as file:
        levels = [row for row in csv.reader(file, delimiter=";") if row]
    department = {row[0]: row[2] for row in levels}
    hidden = sorted(set(department.values()))[::2]
    private = [item for item, where in department.items() if where in hidden]
    columns = read_baskets(baskets)
    schema = item_schema(columns, private)
    model = KAnonymousRules(
        schema, 30, min_confidence=0.2, max_items=3, hierarchy={r[0]: r[1] for r in levels}
    )
    what = "rules of Groceries, k = 30"
    try:
        mine(columns, 0.01, 0.2, 3)
    except MissingExtraError as error:
        yield Row(what, None, peer_name="mlxtend alone", note=str(error))
        return
    peer = cpu(lambda: mine(columns, 0.01, 0.2, 3))
    yield Row(what, cpu(lambda: model.fit(baskets)), peer, "mlxtend alone", "s of processor")
    cost = model.cost_
    note = f"{cost.generalized} generalized, {cost.channels} dropped for channels"
    yield Row("rules released", len(model.rules_), cost.mined, "all mined", "rules", note)
    yield Row(
        "support times confidence kept", cost.weight_after, cost.weight_before, "all mined", ""
    )
    raw = [m.to_dict() for m in mine(columns, 0.01, 0.2, 3)]
    before = audit(raw, baskets, schema, k=30)
    table = model.to_columns(baskets)
    after = audit(model.rules_, table, item_schema(table, model.private_), k=30)
    yield Row("breaches at k = 30", len(after.breaches), len(before.breaches), "all mined", "spans")
