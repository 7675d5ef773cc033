"""Clusters fit to publish: worked example 5, brute force over spans, the spanning tree."""

import numpy as np
import pytest
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import pdist, squareform

from shoal.audit import audit
from shoal.errors import ParameterError, TableError
from shoal.models import KAnonymousClustering, spanning_tree
from shoal.schema import Schema
from tests.extras import need

pd = need("pandas")


@pytest.mark.parametrize("seed", range(12))
def test_spanning_tree_agrees_with_scipy(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(int(rng.integers(2, 300)), 1 + seed % 3))
    if seed % 2:  # far-off clusters: points deep inside need many neighbours
        points[: len(points) // 2] += 50
    a, b, length = spanning_tree(points)
    assert len(a) == len(points) - 1
    assert np.allclose(np.linalg.norm(points[a] - points[b], axis=1), length)
    whole = squareform(pdist(points))
    assert length.sum() == pytest.approx(minimum_spanning_tree(whole).sum())


def test_spanning_tree_of_many_components():
    """On a line the tree is as long as the line; the second round has over 2**16 components."""
    points = np.random.default_rng(0).uniform(size=(220_000, 1))
    length = spanning_tree(points)[2]
    assert length.sum() == pytest.approx(np.ptp(points))


def test_spanning_tree_with_equal_points():
    points = np.array([[0.0], [0.0], [1.0], [0.0], [1.0], [5.0], [2.0]])
    a, b, length = spanning_tree(points)
    assert sorted(length.tolist()) == [0.0, 0.0, 0.0, 1.0, 1.0, 3.0]
    grid = np.stack(np.meshgrid(range(7), range(7)), -1).reshape(-1, 2).astype(float)
    a, b, length = spanning_tree(grid)  # all nearest distances are equal
    assert length.tolist() == [1.0] * 48
    assert len({*a.tolist(), *b.tolist()}) == 49


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


def test_worked_example_5():
    """Lengths of the figure: 1.4, 1.4, 5, 3.16, 2.2, 2.2."""
    lengths = sorted(spanning_tree(FIGURE_5.to_numpy())[2].round(2).tolist())
    assert lengths == [1.41, 1.41, 2.24, 2.24, 3.16, 5.0]
    roles = schema(age="p", result="s")
    two = KAnonymousClustering(roles, 3, 2, scale=False).fit(FIGURE_5)
    assert _sets(two.labels_) == {"ABC", "DEFG"}
    assert two.spans_.is_single.all()
    three = KAnonymousClustering(roles, 3, 3, scale=False).fit(FIGURE_5)
    assert _sets(three.labels_) == {"ABC", "D", "EFG"}
    assert sorted(three.spans_.population.tolist()) == [3, 4]
    found = audit(three, FIGURE_5, roles, k=3)
    assert found.is_safe
    assert found.safe_k == 4  # the span of A, B and C has one class


def _sets(labels):
    return {
        "".join(n for n, own in zip("ABCDEFG", labels, strict=True) if own == label)
        for label in set(labels.tolist())
    }


@pytest.mark.parametrize("seed", range(8))
def test_the_guarantee_by_trying_private_values(seed):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(size=(60, 3)).round(1), columns=list("abc"))
    roles = schema(a="p", b="p", c="s")
    k = 5
    model = KAnonymousClustering(roles, k, max_tries=40).fit(table)
    expected = {}
    steps = np.linspace(table["c"].min(), table["c"].max(), 3001)
    for row in range(len(table)):
        asked = pd.DataFrame({"a": table["a"][row], "b": table["b"][row], "c": steps})
        expected.setdefault(frozenset(model.predict(asked).tolist()), []).append(row)
    assert all(len(rows) >= k for reached, rows in expected.items() if len(reached) > 1)
    found = audit(model, table, roles, k=k)
    assert found.is_safe
    assert sorted(found.spans.population.tolist()) == sorted(map(len, expected.values()))
    assert np.array_equal(model.predict(table), model.labels_)


def test_mixed_columns_with_a_hierarchy():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(size=80), "b": rng.choice(list("wxyz"), 80)})
    roles = Schema(
        {
            "a": {"role": "quasi-identifier", "kind": "numeric"},
            "b": {"role": "sensitive", "hierarchy": {"tree": {"wx": ["w", "x"], "yz": ["y", "z"]}}},
        }
    )
    model = KAnonymousClustering(roles, 10, 4).fit(table)
    place = model.space_.axes[1].table
    assert ((place[0] - place[1]) ** 2).sum() == pytest.approx(0.5)  # one level of two
    assert ((place[0] - place[2]) ** 2).sum() == pytest.approx(1.0)
    expected = {}
    both = np.array([model.predict(table.assign(b=value)) for value in "wxyz"]).T
    for row, reached in enumerate(map(frozenset, both.tolist())):
        expected.setdefault(reached, []).append(row)
    assert all(len(rows) >= 10 for reached, rows in expected.items() if len(reached) > 1)
    assert audit(model, table, roles, k=10).is_safe


def test_privacy_refuses_cuts():
    """Without a private column every cut is allowed; with one, some are not."""
    rng = np.random.default_rng(3)
    table = pd.DataFrame(rng.normal(size=(40, 2)), columns=["a", "b"])
    free = KAnonymousClustering(schema(a="p", b="p"), 10, max_tries=20).fit(table)
    bound = KAnonymousClustering(schema(a="p", b="s"), 10, max_tries=20).fit(table)
    assert free.n_refused_ == 0
    assert bound.n_refused_ > 0


def test_bad_input():
    with pytest.raises(TableError, match="7 rows are fewer than 10"):
        KAnonymousClustering(schema(age="p", result="s")).fit(FIGURE_5)
    with pytest.raises(ParameterError, match="privacy must be"):
        KAnonymousClustering(privacy="much").fit(FIGURE_5)
    with pytest.raises(TableError, match="missing"):
        KAnonymousClustering(schema(age="p", result="s"), 3).fit(FIGURE_5.assign(age=np.nan))
