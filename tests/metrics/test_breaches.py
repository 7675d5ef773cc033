import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from shoal.errors import ParameterError, SchemaError
from shoal.metrics._breaches import divergence_breaches, proximity_breaches
from shoal.schema import Hierarchy
from tests.reference.rows import coding, table

TREE = Hierarchy.from_tree(
    {"stomach": {"mild": ["gastritis", "ulcer"], "severe": ["cancer"]}, "lung": ["flu", "cold"]}
)
LEAVES = ["gastritis", "ulcer", "cancer", "flu", "cold"]
DISTANCE = {  # height of the lowest common ancestor over 3
    frozenset(pair): d
    for d, pairs in {
        1 / 3: [("gastritis", "ulcer"), ("flu", "cold")],
        2 / 3: [("gastritis", "cancer"), ("ulcer", "cancer")],
    }.items()
    for pair in pairs
}


def distance(a, b):
    return 0.0 if a == b or None in (a, b) else DISTANCE.get(frozenset((a, b)), 1.0)


def groups_of(values, column, **options):
    rows = [[{column: v} for v in group] for group in values]
    return table(rows, {column: coding(column, [v for g in values for v in g], **options)})


incomes = st.lists(st.lists(st.integers(0, 30), min_size=1, max_size=8), min_size=1, max_size=5)
diseases = st.lists(
    st.lists(st.sampled_from([*LEAVES, None]), min_size=1, max_size=8), min_size=1, max_size=5
)


@settings(deadline=None)
@given(values=incomes, e=st.integers(0, 10), m=st.sampled_from([1, 1.5, 2, 3]))
def test_proximity_is_counted_like_by_looking_at_every_pair(values, e, m):
    found = proximity_breaches(groups_of(values, "income", kind="numeric"), "income", e=e, m=m)
    worst = [max(sum(abs(a - b) <= e for b in g) for a in g) / len(g) for g in values]
    broken = [g for g, share in zip(values, worst, strict=True) if share > 1 / m + 1e-12]
    assert (found.n_groups, found.n_rows) == (len(broken), sum(map(len, broken)))
    assert found.share_of_groups == pytest.approx(len(broken) / len(values))
    assert found.worst == pytest.approx(max(worst))


@settings(deadline=None)
@given(
    values=diseases,
    limit=st.sampled_from([0.0, 0.4, 0.7, 1.0]),
    confidence=st.sampled_from([0.0, 0.25, 0.5]),
)
def test_divergence_is_counted_like_by_looking_at_every_pair(values, limit, confidence):
    groups = groups_of(values, "disease", hierarchy=TREE)
    found = divergence_breaches(groups, "disease", limit=limit, confidence=confidence)
    n_rows, broken = 0, 0
    for group in values:
        likely = [v for v in set(group) if group.count(v) / len(group) >= confidence]
        hit = [v for v in group if any(distance(v, other) > limit for other in likely)]
        n_rows += len(hit)
        broken += bool(hit)
    assert (found.n_groups, found.n_rows) == (broken, n_rows)
    assert found.to_dict()["share_of_rows"] == pytest.approx(n_rows / sum(map(len, values)))


def test_the_papers_examples():
    """Two incomes of 10,000 and 10,050; gastritis beside stomach cancer."""
    incomes = groups_of([[10_000, 10_050]], "income", kind="numeric")
    assert proximity_breaches(incomes, "income", e=100, m=2).share_of_rows == 1
    assert proximity_breaches(incomes, "income", e=10, m=2).share_of_rows == 0
    diseases = groups_of(
        [["gastritis", "cancer"], ["gastritis", "ulcer"]], "disease", hierarchy=TREE
    )
    found = divergence_breaches(diseases, "disease", limit=0.5)
    assert (found.n_groups, found.n_rows, found.worst) == (1, 2, 0.5)


def test_another_hierarchy_can_be_given():
    groups = groups_of([["flu", "cold"]], "disease")
    assert divergence_breaches(groups, "disease", hierarchy=TREE, limit=0.2).n_rows == 2
    with pytest.raises(SchemaError, match="'disease' has no hierarchy"):
        divergence_breaches(groups, "disease")
    with pytest.raises(SchemaError, match="misses 1 of its values"):
        divergence_breaches(groups, "disease", hierarchy=Hierarchy.flat(["flu"]))


def test_mistakes_are_refused():
    groups = groups_of([["flu", "cold"]], "disease", hierarchy=TREE)
    with pytest.raises(SchemaError, match="'income' is not counted"):
        proximity_breaches(groups, "income", e=1, m=2)
    with pytest.raises(SchemaError, match="categorical"):
        proximity_breaches(groups, "disease", e=1, m=2)
    with pytest.raises(ParameterError, match="between 0 and 1"):
        divergence_breaches(groups, "disease", limit=2)


def test_many_groups_are_looked_at_in_parts(monkeypatch):
    rng = np.random.default_rng(0)
    values = [[LEAVES[i] for i in rng.integers(0, 5, 3)] for _ in range(40)]
    groups = groups_of(values, "disease", hierarchy=TREE)
    whole = divergence_breaches(groups, "disease")
    monkeypatch.setattr("shoal.metrics._breaches._CHUNK", 12)
    assert divergence_breaches(groups, "disease") == whole
