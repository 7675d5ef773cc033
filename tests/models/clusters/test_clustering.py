"""Clusters fit to publish: worked example 5, brute force over cuts and spans, any privacy model."""

import json
from collections import Counter

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from shoal.audit import audit
from shoal.errors import ParameterError, SchemaError, TableError
from shoal.models import KAnonymousClustering
from shoal.models.clusters._cluster_space import ClusterSpace, _round_out
from shoal.models.clusters._mst import spanning_tree
from shoal.privacy import (
    AlphaKAnonymity,
    BetaLikeness,
    DeltaPresence,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    PSensitive,
    RecursiveDiversity,
    TCloseness,
)
from shoal.privacy.spans._linear_spans import LinearSpans
from shoal.schema import Schema
from tests.extras import need
from tests.reference import clusters as slow

pd = need("pandas")


FIGURE_5 = pd.DataFrame(
    {
        "age": [1.5, 2.5, 3.5, 8.0, 9.0, 8.0, 9.0],
        "result": [5.18, 6.18, 5.18, 3.0, 6.0, 8.0, 10.0],
    },
    index=list("ABCDEFG"),
)


def schema(**roles):
    return Schema(
        {
            name: {"role": "sensitive" if role == "s" else "quasi-identifier", "kind": "numeric"}
            for name, role in roles.items()
        }
    )


def judge(model, table, roles, k, privacy=None):
    """An audit by which no span breaks the condition; held are only means of too few rows."""
    found = audit(model, table, roles, k=k, privacy=privacy)
    assert not found.breaches
    assert not found.unread
    if model.center_rows_.min() >= model.privacy_.minimum_size:
        assert found.is_safe, found.held
    else:
        assert found.answer == "unsafe"
        with pytest.raises(ParameterError, match="means of fewer than") as refused:
            model.to_dict()
        assert found.held == (str(refused.value).removesuffix("."),)
    return found


def test_worked_example_5():
    """Lengths of the figure: 1.4, 1.4, 5, 3.16, 2.2, 2.2."""
    lengths = sorted(spanning_tree(FIGURE_5.to_numpy())[2].round(2).tolist())
    assert lengths == [1.41, 1.41, 2.24, 2.24, 3.16, 5.0]
    roles = schema(age="p", result="s")
    known = {"domain": {"result": (3, 10)}, "scale": False}  # as the paper's attacker
    two = KAnonymousClustering(roles, 3, n_clusters=2, **known).fit(FIGURE_5)
    assert _sets(two.labels_) == {"ABC", "DEFG"}
    assert two.spans_.is_single.all()
    three = KAnonymousClustering(roles, 3, n_clusters=3, **known).fit(FIGURE_5)
    assert _sets(three.labels_) == {"ABC", "D", "EFG"}
    assert sorted(three.spans_.population.tolist()) == [3, 4]
    found = judge(three, FIGURE_5, roles, 3)
    assert found.held  # the centroid of D is D
    assert found.safe_k == 4  # the span of A, B and C has one class
    assert judge(two, FIGURE_5, roles, 3).is_safe


def _sets(labels):
    return {
        "".join(n for n, own in zip("ABCDEFG", labels, strict=True) if own == label)
        for label in set(labels.tolist())
    }


@pytest.mark.parametrize("min_rows", [1, 5])
@pytest.mark.parametrize("seed", range(8))
def test_the_guarantee_by_trying_private_values(seed, min_rows):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(size=(60, 3)).round(1), columns=list("abc"))
    roles = schema(a="p", b="p", c="s")
    k = 5
    model = KAnonymousClustering(roles, k, max_tries=40, min_rows=min_rows).fit(table)
    expected = {}
    axis = model.space_.axes[2]
    steps = np.linspace(axis.low, axis.high, 6001)
    for row in range(len(table)):
        asked = pd.DataFrame({"a": table["a"][row], "b": table["b"][row], "c": steps})
        expected.setdefault(frozenset(model.predict(asked).tolist()), []).append(row)
    assert all(len(rows) >= k for reached, rows in expected.items() if len(reached) > 1)
    found = judge(model, table, roles, k)
    assert found.is_safe or min_rows < k
    assert sorted(found.spans.population.tolist()) == sorted(map(len, expected.values()))
    assert np.array_equal(model.predict(table), model.labels_)


@pytest.mark.parametrize("min_rows", [1, 10])
def test_mixed_columns_with_a_hierarchy(min_rows):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(size=80), "b": rng.choice(list("wxyz"), 80)})
    roles = Schema(
        {
            "a": {"role": "quasi-identifier", "kind": "numeric"},
            "b": {"role": "sensitive", "hierarchy": {"tree": {"wx": ["w", "x"], "yz": ["y", "z"]}}},
        }
    )
    model = KAnonymousClustering(roles, 10, n_clusters=4, min_rows=min_rows).fit(table)
    place = model.space_.axes[1].table
    assert ((place[0] - place[1]) ** 2).sum() == pytest.approx(0.5)  # one level of two
    assert ((place[0] - place[2]) ** 2).sum() == pytest.approx(1.0)
    expected = {}
    both = np.array([model.predict(table.assign(b=value)) for value in "wxyz"]).T
    for row, reached in enumerate(map(frozenset, both.tolist())):
        expected.setdefault(reached, []).append(row)
    assert all(len(rows) >= 10 for reached, rows in expected.items() if len(reached) > 1)
    assert judge(model, table, roles, 10).is_safe or min_rows < 10


def test_privacy_refuses_cuts():
    """Without a private column every cut is allowed; with one, some are not."""
    rng = np.random.default_rng(3)
    table = pd.DataFrame(rng.normal(size=(40, 2)), columns=["a", "b"])
    free = KAnonymousClustering(schema(a="p", b="p"), 10, max_tries=20).fit(table)
    bound = KAnonymousClustering(schema(a="p", b="s"), 10, max_tries=20).fit(table)
    assert free.n_refused_ == 0
    assert bound.n_refused_ > 0


def mixed(seed, n=70, values=3):
    """Two public numbers on a coarse grid and a private category."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"a": rng.integers(0, 5, n) * 1.0, "b": rng.integers(0, 4, n) * 1.0})
    table["c"] = np.array(list("xyzuvw"))[rng.integers(0, values, n)]
    roles = Schema(
        {
            "a": {"role": "quasi-identifier", "kind": "numeric"},
            "b": {"role": "quasi-identifier", "kind": "numeric"},
            "c": {"role": "sensitive"},
        }
    )
    return table, roles


MODELS = [
    KAnonymity(6),
    DistinctDiversity(3),
    EntropyDiversity(2.0),
    RecursiveDiversity(2.0, 2),
    KAnonymity(5) & PSensitive(3, 5),
    AlphaKAnonymity(0.6, 5),
    TCloseness(0.25),
    BetaLikeness(1.0),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("seed", range(3))
def test_any_privacy_model_holds_by_an_audit_that_tries_every_value(model, seed):
    """The audit is given the bare function: it enumerates private values and asks `holds`.

    The function is a method of the fitted object, which has the labels of the rows.
    """
    table, roles = mixed(seed)
    found = KAnonymousClustering(roles, model).fit(table)
    assert len(found.cluster_centers_) > 1
    judged = audit(found.predict, table, roles, k=1, privacy=model)
    assert not judged.breaches
    assert judged.held == ("self.labels_ has an entry for each training row, in their order",)
    assert not judged.spans.is_single.all() or found.spans_.is_single.all()
    assert sorted(judged.spans.population.tolist()) == sorted(found.spans_.population.tolist())
    judge(found, table, roles, 1, model)
    published = KAnonymousClustering(roles, model, min_rows=6).fit(table)
    assert len(published.cluster_centers_) > 1
    assert judge(published, table, roles, 1, model).is_safe


def test_diversity_costs_clusters_that_k_alone_allows():
    """So the model is really asked: plain k = 2 leaves spans that the others refuse."""
    table, roles = mixed(1)
    free = KAnonymousClustering(roles, 2).fit(table)
    for model in MODELS[1:4] + MODELS[6:]:
        assert audit(free, table, roles, k=1, privacy=model).breaches, model
        assert KAnonymousClustering(roles, model).fit(table).n_refused_ > free.n_refused_


def test_the_whole_table_is_what_closeness_compares_with():
    """Spans in which nothing private is said still count in the whole."""
    table, roles = mixed(4)
    found = KAnonymousClustering(roles, TCloseness(0.2)).fit(table)
    spans, span_of_row, _ = found.find_spans(table)
    share = table["c"].value_counts(normalize=True)
    for span in np.flatnonzero(~spans.is_single):
        own = table["c"][span_of_row == span].value_counts(normalize=True)
        assert (own.reindex(share.index, fill_value=0) - share).abs().sum() / 2 <= 0.2 + 1e-9


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("condition", ["size", "distinct"])
def test_the_same_cuts_as_the_slow_twin(seed, condition, monkeypatch):
    """Random places and exact means: no two edges and no two distances tie."""
    monkeypatch.setattr(ClusterSpace, "units", lambda _, points: np.zeros(points.shape[1]))
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(size=(24, 2)), columns=["a", "b"])
    table["c"] = rng.choice(list("xy"), 24)
    roles = mixed(0)[1]
    model = KAnonymity(4) if condition == "size" else DistinctDiversity(2)
    found = KAnonymousClustering(roles, model, scale=False).fit(table)
    points = found.space_.place(_input(found, table))
    a, b, length = spanning_tree(points)
    order = np.argsort(-length, kind="stable")
    edges = [((int(a[e]), int(b[e])), float(length[e])) for e in order]

    def allowed(rows):
        if condition == "size":
            return len(rows) >= 4
        return len(Counter(table["c"].iloc[rows])) >= 2

    values = [[found.space_.axes[2].table[code] for code in range(2)]]
    expected = slow.cut(points, edges, 2, values, allowed)
    means = np.array(sorted(points[sorted(part)].mean(axis=0).tolist() for part in expected))
    assert np.allclose(sorted(found.cluster_centers_.tolist()), means)
    assert sorted(map(len, expected)) == sorted(found.center_rows_.tolist())


def _input(model, table):
    from shoal.models._input import read_input

    return read_input(model, table, reset=False)


def test_two_private_numbers():
    rng = np.random.default_rng(2)
    table = pd.DataFrame(rng.normal(size=(40, 3)), columns=list("abc"))
    roles = schema(a="p", b="s", c="s")
    for min_rows in (1, 5):
        model = KAnonymousClustering(roles, 5, max_tries=15, min_rows=min_rows).fit(table)
        assert judge(model, table, roles, 5).is_safe == (min_rows == 5)
        assert len(model.cluster_centers_) > 1


def test_every_centroid_is_a_mean_of_enough_rows():
    table, roles = mixed(5)
    free = KAnonymousClustering(roles, 4).fit(table)
    assert free.center_rows_.min() < 4
    bound = KAnonymousClustering(roles, 4, min_rows=4).fit(table)
    assert bound.center_rows_.min() >= 4
    assert bound.center_rows_.sum() == len(table)
    assert len(bound.cluster_centers_) > 1


def test_a_private_target_counts_for_diversity_and_lies_in_no_space():
    table, roles = mixed(6)
    table["y"] = np.where(table["a"] > 1, "yes", "no")
    roles = Schema({**roles, "y": {"role": "sensitive", "target": True}})
    model = KAnonymousClustering(roles, DistinctDiversity(2)).fit(table)
    assert [axis.name for axis in model.space_.axes] == ["a", "b", "c"]
    assert {part.column for part in model.privacy_.parts} == {"c", "y"}
    judge(model, table, roles, 1, DistinctDiversity(2))
    model.set_params(min_rows=2).fit(table)
    assert judge(model, table, roles, 1, DistinctDiversity(2)).is_safe


def test_a_declared_domain_widens_what_is_possible():
    table = FIGURE_5
    roles = schema(age="p", result="s")
    found = KAnonymousClustering(roles, 3, domain={"result": (0, 20)}, scale=False).fit(table)
    assert (found.space_.axes[1].low, found.space_.axes[1].high) == (0, 20)
    with pytest.raises(SchemaError, match="outside its domain"):
        KAnonymousClustering(roles, 3, domain={"result": (4, 20)}).fit(table)
    with pytest.raises(SchemaError, match="no private numeric column"):
        KAnonymousClustering(roles, 3, domain={"age": (0, 20)}).fit(table)
    with pytest.raises(ParameterError, match="least and largest"):
        KAnonymousClustering(roles, 3, domain={"result": (20, 0)}).fit(table)


def test_in_a_pipeline_and_beside_kmeans():
    points = np.random.default_rng(0).normal(size=(60, 2))
    points[:30] += 8
    ours = make_pipeline(StandardScaler(), KAnonymousClustering(n_clusters=2))
    peer = KMeans(2, n_init=1, random_state=0)
    found, expected = ours.fit_predict(points), peer.fit_predict(points)
    assert len(set(zip(found.tolist(), expected.tolist(), strict=True))) == 2


def test_bad_input():
    roles = schema(age="p", result="s")
    with pytest.raises(TableError, match="fewer than the 10"):
        KAnonymousClustering(roles).fit(FIGURE_5)
    with pytest.raises(ParameterError, match="privacy must be"):
        KAnonymousClustering(privacy="much").fit(FIGURE_5)
    with pytest.raises(TableError, match="missing"):
        KAnonymousClustering(roles, 3).fit(FIGURE_5.assign(age=np.nan))
    with pytest.raises(ParameterError, match="no population"):
        KAnonymousClustering(roles, DeltaPresence(0, 0.5)).fit(FIGURE_5)
    public = schema(age="p", result="p")
    with pytest.raises(SchemaError, match="needs a sensitive column"):
        KAnonymousClustering(public, DistinctDiversity(2), n_clusters=2).fit(FIGURE_5)
    with pytest.raises(ParameterError, match="Give n_clusters"):
        KAnonymousClustering(privacy=2).fit(FIGURE_5)
    with pytest.raises(ParameterError, match="min_rows must be"):
        KAnonymousClustering(roles, 3, min_rows=None).fit(FIGURE_5)
    with pytest.raises(SchemaError, match="schema must be a Schema"):
        KAnonymousClustering({"age": "public"}).fit(FIGURE_5)


@pytest.mark.parametrize("seed", range(12))
def test_what_k_rests_on_is_published_and_not_narrow(seed):
    """By trying values of the published range: wherever the line of the possible is drawn."""
    rng = np.random.default_rng(100 + seed)
    table = pd.DataFrame(rng.normal(size=(40, 2)).round(1), columns=["a", "c"])
    model = KAnonymousClustering(schema(a="p", c="s"), 4, min_rows=4, max_tries=60).fit(table)
    axis = KAnonymousClustering.from_dict(json.loads(model.to_json())).space_.axes[1]
    assert axis.low <= table["c"].min() <= table["c"].max() <= axis.high
    steps = np.linspace(axis.low, axis.high, 4001)
    public = np.unique(table["a"])
    shares = np.zeros((len(public), len(model.cluster_centers_)))
    for row, a in enumerate(public):
        found = model.predict(pd.DataFrame({"a": a, "c": steps}))
        shares[row] = np.bincount(found, minlength=shares.shape[1]) / len(steps)
    counts = table["a"].value_counts().reindex(public).to_numpy()
    for line in [0.0, *np.unique(shares[(shares > 0) & (shares < 0.009)])]:
        groups = Counter()
        for reached, rows in zip(map(tuple, shares > line), counts, strict=True):
            groups[reached] += rows
        assert all(rows >= 4 for reached, rows in groups.items() if sum(reached) > 1), line


def test_widths_are_shares_of_the_range_that_lead_to_an_output():
    rng = np.random.default_rng(4)
    for _ in range(20):
        centres = rng.normal(size=(4, 2))
        linear = LinearSpans.nearest(centres, 1e-12)
        public = np.column_stack([rng.normal(size=5), np.zeros(5)])
        start, along = np.array([0.0, -2.0]), np.array([0.0, 4.0])
        widths = linear.widths(public, np.zeros((1, 2)), (start, along))
        steps = (np.arange(4000) + 0.5) / 4000
        for row, point in enumerate(public):
            won = linear.winner(point + start + steps[:, None] * along)
            tried = np.bincount(won, minlength=4) / len(steps)
            assert np.allclose(np.maximum(widths[row], 0), tried, atol=1e-3)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(1234, 8765, (0, 10_000)), (0.31, 0.39, (0.3, 0.4)), (5, 5, (5, 10)), (0, 0, (0, 0.5)),
     (-7, 93, (-50, 100)), (-12, -3, (-15, 0)), (15, 90, (0, 100)), (2100, 3900, (2000, 4000))],
)  # fmt: skip
def test_ends_of_ranges_are_round(low, high, expected):
    assert _round_out(low, high) == pytest.approx(expected)
