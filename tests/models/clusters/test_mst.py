"""Spanning trees beside Prim's algorithm and SciPy's, ties included."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import pdist, squareform

from shoal.models.clusters._mst import spanning_tree
from tests.reference.clusters import is_tree, prim


@pytest.mark.parametrize("seed", range(12))
def test_agrees_with_scipy(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(int(rng.integers(2, 300)), 1 + seed % 3))
    if seed % 2:  # far-off clusters: points deep inside need many neighbours
        points[: len(points) // 2] += 50
    a, b, length = spanning_tree(points)
    assert len(a) == len(points) - 1
    assert np.allclose(np.linalg.norm(points[a] - points[b], axis=1), length)
    whole = squareform(pdist(points))
    assert length.sum() == pytest.approx(minimum_spanning_tree(whole).sum())


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 3)] * 2), min_size=1, max_size=14))
def test_agrees_with_prim_where_lengths_tie_and_points_coincide(places):
    points = np.array(places, float)
    a, b, length = spanning_tree(points)
    assert is_tree(len(points), zip(a.tolist(), b.tolist(), strict=True))
    assert np.allclose(np.linalg.norm(points[a] - points[b], axis=1), length)
    assert sorted(length.tolist()) == pytest.approx(prim(points))


def test_many_components():
    """On a line the tree is as long as the line; the second round has over 2**16 components."""
    points = np.random.default_rng(0).uniform(size=(220_000, 1))
    length = spanning_tree(points)[2]
    assert length.sum() == pytest.approx(np.ptp(points))


def test_equal_points_and_a_grid():
    points = np.array([[0.0], [0.0], [1.0], [0.0], [1.0], [5.0], [2.0]])
    a, b, length = spanning_tree(points)
    assert sorted(length.tolist()) == [0.0, 0.0, 0.0, 1.0, 1.0, 3.0]
    grid = np.stack(np.meshgrid(range(7), range(7)), -1).reshape(-1, 2).astype(float)
    a, b, length = spanning_tree(grid)  # all nearest distances are equal
    assert length.tolist() == [1.0] * 48
    assert is_tree(49, zip(a.tolist(), b.tolist(), strict=True))


def test_dense_parts_that_lie_far_apart():
    """Whoever asks each point for ever more neighbours needs all of them here."""
    points = np.random.default_rng(1).normal(size=(4_000, 3))
    points[:2_000] += 1000
    a, b, length = spanning_tree(points)
    assert is_tree(len(points), zip(a.tolist(), b.tolist(), strict=True))
    assert np.allclose(np.linalg.norm(points[a] - points[b], axis=1), length)
    parts = [spanning_tree(part)[2].sum() for part in (points[:2_000], points[2_000:])]
    bridge = length.max()
    assert length.sum() == pytest.approx(sum(parts) + bridge)
    inner, outer = points[2_000:], points[:2_000]
    nearest = min(np.linalg.norm(outer - point, axis=1).min() for point in inner)
    assert bridge == pytest.approx(nearest)


def test_one_point_has_no_edge():
    assert [len(part) for part in spanning_tree(np.zeros((1, 2)))] == [0, 0, 0]
