"""Centroids: worked example 3, and scikit-learn's own predict."""

import numpy as np
import pytest
from sklearn.cluster import BisectingKMeans, KMeans, MiniBatchKMeans
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from shoal.audit import audit
from shoal.audit.adapters._registry import find_adapter
from shoal.errors import TableError
from shoal.schema import Schema
from tests.audit.people import numeric, random_points
from tests.extras import need

pd = need("pandas")


def example():
    table = random_points(0)
    model = KMeans(3, n_init=1, random_state=0).fit(table)
    return model, table, numeric(a="quasi-identifier", b="quasi-identifier", c="sensitive")


def test_worked_example_3():
    """Zip in hundreds, income in ten thousands; centroids placed as in figure 3."""
    table = pd.DataFrame(
        {
            "zip": [110.01, 110.01, 130.10, 130.10, 143.84, 150.13],
            "income": [9.8, 6.2, 3.6, 11.5, 4.4, 10.0],
        }
    )
    model = NearestCentroid().fit(table, [0, 0, 2, 1, 2, 3])
    model.centroids_ = np.array([[110, 8], [136, 11], [137, 4], [163, 10]], float)
    schema = numeric(zip="quasi-identifier", income="sensitive")
    found = audit(model, table, schema, k=2)
    assert found.bins.population.tolist() == [2, 1, 2, 1]
    sets = [found.spans.bins_of(span).tolist() for span in found.span_of_row]
    assert sets == [[0], [0], [1, 2], [1, 2], [1, 2], [2, 3]]
    assert [breach.rows for breach in found.breaches] == [1]  # Lisa
    assert found.breaches[0].causes == ("class 2 or class 3",)
    assert found.safe_k == 1
    without_lisa = audit(model, table.iloc[:5], schema, k=3)
    assert not without_lisa.breaches  # John and Cathy are two, and their span has one class
    assert without_lisa.answer == "cannot tell"  # what the classes are is not in the schema


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("sort", [KMeans, MiniBatchKMeans, BisectingKMeans])
def test_clusterings_agree_with_their_predict(seed, sort):
    table = random_points(seed)
    given = {"n_init": 1} if sort is not BisectingKMeans else {}
    model = make_pipeline(StandardScaler(), sort(4, random_state=seed, **given)).fit(table)
    schema = numeric(a="quasi-identifier", b="quasi-identifier", c="sensitive")
    found = audit(model, table, schema, k=3)
    assert found.bins.population.tolist() == np.bincount(model.predict(table), minlength=4).tolist()
    steps = np.linspace(table["c"].min(), table["c"].max(), 2001)
    for row in range(0, len(table), 3):
        asked = pd.DataFrame(
            {"a": table["a"].iloc[row], "b": table["b"].iloc[row], "c": steps}, columns=list("abc")
        )
        own = found.spans.bins_of(found.span_of_row[row]).tolist()
        assert np.unique(model.predict(asked)).tolist() == own


def test_bisections_that_share_their_parts_are_no_tree():
    """Sixty of them have 2**60 paths: who follows them is never done."""
    table = random_points(0)
    model = BisectingKMeans(2, random_state=0).fit(table)
    root = model._bisecting_tree
    for _ in range(60):
        root = type(root)(root.center, [], 0.0)
        root.left = root.right = model._bisecting_tree
        model._bisecting_tree = root
    schema = numeric(a="quasi-identifier", b="quasi-identifier", c="sensitive")
    with pytest.raises(TableError, match="damaged or was changed"):
        audit(model, table, schema)


def test_a_cluster_of_one_is_that_person():
    draw = np.random.default_rng(0)
    table = pd.DataFrame({"age": draw.integers(20, 80, 90), "pay": draw.integers(10, 40, 90)})
    table.loc[0, "pay"] = 9_999
    schema = numeric(age="quasi-identifier", pay="sensitive")
    found = audit(KMeans(2, n_init=1, random_state=0).fit(table), table, schema, k=2)
    assert found.bins.population.min() == 1
    assert "private coordinates of 1 centroids" in found.unread[0]
    public = numeric(age="quasi-identifier", pay="quasi-identifier")
    assert not audit(KMeans(2, n_init=1, random_state=0).fit(table), table, public, k=2).unread


def test_kmeans_on_adult_with_income_private():
    from shoal.datasets import adult
    from shoal.errors import DataNotFoundError

    try:
        data = adult()
    except DataNotFoundError as error:
        pytest.skip(str(error))
    names = ["age", "education-num", "hours-per-week"]
    table = pd.DataFrame({n: list(data[n]) for n in [*names, "income"]})
    table["income"] = (table["income"] == ">50K").astype(float)
    model = make_pipeline(StandardScaler(), KMeans(6, n_init=1, random_state=0))
    model.fit(table[[*names, "income"]])
    schema = Schema(
        {n: {"role": "quasi-identifier", "kind": "numeric"} for n in names}
        | {"income": {"role": "sensitive", "kind": "ordinal"}}
    )
    found = audit(model, table, schema, k=10)
    assert found.n_rows == 30_162
    low, high = (table.assign(income=value)[[*names, "income"]] for value in (0.0, 1.0))
    both = np.sort(np.column_stack([model.predict(low), model.predict(high)]), axis=1)
    expected = {}
    for row, pair in enumerate(map(tuple, both.tolist())):
        expected.setdefault(pair, []).append(row)
    assert found.spans.n_spans == len(expected)
    told = [len(rows) for pair, rows in expected.items() if pair[0] != pair[1]]
    assert found.safe_k == min(told)
    assert found.is_safe == (min(told) >= 10)


def test_another_table_is_refused():
    table = random_points(0)
    model = KMeans(2, n_init=1, random_state=0).fit(table)
    schema = numeric(a="quasi-identifier", b="quasi-identifier", c="sensitive")
    with pytest.raises(TableError, match="fitted on 40 rows"):
        audit(model, table.iloc[:30], schema)


def test_other_distances_are_left_to_predict():
    table = random_points(1)
    model = NearestCentroid(metric="manhattan").fit(table, table["a"] > 0)
    assert find_adapter(model).name.startswith("functions")


@pytest.mark.parametrize("how", ["weights", "one round"])
def test_centroids_that_are_not_the_means_of_their_people_are_not_safe(how):
    draw = np.random.default_rng(0)
    table = pd.DataFrame(draw.integers(0, 80, (240, 2)), columns=["zip", "income"])
    schema = numeric(zip="quasi-identifier", income="sensitive")

    def judged(model, weights=None):
        model.fit(table, sample_weight=weights)
        del model.labels_
        return audit(model, table, schema, k=10)

    assert judged(KMeans(3, n_init=1, random_state=0)).is_safe
    heavy = np.where(np.arange(len(table)) == 5, 1e6, 1.0)
    if how == "weights":
        found = judged(KMeans(3, n_init=1, random_state=0), heavy)
    else:
        found = judged(KMeans(3, n_init=1, random_state=0, max_iter=1))
    assert "not the mean of their people" in found.unread[0]


@pytest.mark.parametrize("sort", [KMeans, BisectingKMeans, MiniBatchKMeans])
def test_mild_weights_are_seen_and_a_solver_that_stops_early_is_not_taken_for_weights(sort):
    """With weights that anybody knows a centroid is an equation in what is private."""
    draw = np.random.default_rng(0)
    table = pd.DataFrame(draw.normal(0, 20, (3000, 2)).round(), columns=["zip", "income"])
    weights = draw.uniform(0.97, 1.03, len(table))

    def judged(columns, seed=0, **weighted):
        model = sort(2, random_state=seed).fit(table[columns], **weighted)
        del model.labels_
        return audit(model, table, schema, k=10)

    schema = numeric(zip="quasi-identifier", income="sensitive")
    whole = judged(["zip", "income"])
    assert whole.is_safe if sort is KMeans else not whole.breaches
    assert judged(["zip", "income"], sample_weight=weights).answer == "cannot tell"
    assert judged(["zip"]).is_safe  # found again with its seed
    told = judged(["zip"], sample_weight=table["income"] + 200)
    assert told.answer == "cannot tell"
    assert "tol=0" in told.unread[0]


def test_a_classifier_whose_classes_are_not_in_the_schema_is_not_safe():
    table = random_points(1)
    own = numeric(**dict.fromkeys(table.columns, "quasi-identifier"))
    found = audit(NearestCentroid().fit(table, np.arange(len(table)) == 3), table, own, k=5)
    assert not found.breaches
    assert "not in the schema" in found.unread[0]
