"""Kernels of clusters against plain loops."""

import numpy as np
import pytest

from shoal.models.clusters._cluster_cuts import ClusterReach
from shoal.models.clusters._cluster_kernels import has_small_span, move_below, sum_below
from tests.reference import clusters as slow


def random_tree(seed, n=12):
    """Parents of a random tree, an order with parents first, and which edges are cut."""
    rng = np.random.default_rng(seed)
    parent = np.array([0, *(rng.integers(0, node) for node in range(1, n))])
    cut = rng.random(n) < 0.3
    cut[0] = False
    return rng, np.arange(n), parent, cut


@pytest.mark.parametrize("seed", range(10))
def test_sums_below(seed):
    rng, order, parent, cut = random_tree(seed)
    points, weights = rng.normal(size=(12, 2)), rng.integers(1, 5, 12)
    sums, rows = sum_below(order, parent, cut, points, weights)
    for node in order.tolist():
        expected, n = slow.sums_below(parent, cut, points.tolist(), weights.tolist(), node)
        np.testing.assert_allclose(sums[node], expected)
        assert rows[node] == n


@pytest.mark.parametrize("seed", range(10))
def test_what_hangs_from_a_cut_gets_a_new_label(seed):
    _, order, parent, cut = random_tree(seed)
    top = int(order[5])
    cut[:] = False
    cut[top] = True
    label = np.zeros(12, np.int64)
    move_below(order, parent, cut, top, label, 7)
    for node in order.tolist():
        above = node
        while above not in (0, top):
            above = int(parent[above])
        assert label[node] == (7 if above == top else 0)


@pytest.mark.parametrize("seed", range(20))
def test_spans_are_kept_up_to_date_over_cuts(seed):
    """Centroids are split one after the other; a fine walk along the range meets the same ones."""
    rng = np.random.default_rng(seed)
    kinds = rng.normal(size=(15, 2)) * [1, 0]
    rows = rng.integers(1, 6, 15)
    points = np.array([[0.0, 0.0], [0.0, 0.7]]) if seed % 2 else np.zeros((1, 2))
    begin, along = np.array([0.0, -1.0]), np.array([0.0, 2.0])
    reach = ClusterReach(kinds, rows, (points, ((begin, along),)), 1e-9)
    centres = [rng.normal(size=2)]
    reach.put(0, centres[0])
    for n in range(2, 7):  # beyond 4, for which there is room at first
        old = int(rng.integers(0, n - 1))
        centres[old] = rng.normal(size=2)
        centres.append(rng.normal(size=2))
        reach.put(old, centres[old])
        reach.put(n - 1, centres[-1])
        spans = reach.split(old, n)
        got = [
            set(spans.ids[a:b].tolist())
            for a, b in np.column_stack([spans.start[:-1], spans.start[1:]])
        ]
        walked = [
            set().union(
                *(slow.nearest_along(kind, begin, along, p, centres, 400) for p in points.tolist())
            )
            for kind in kinds.tolist()
        ]
        assert all(met <= own for met, own in zip(walked, got, strict=True))
        assert sum(met != own for met, own in zip(walked, got, strict=True)) <= 1  # between steps
        assert spans.sizes.tolist() == [len(own) for own in got]
        assert len(set(spans.sums.tolist())) == len(set(map(frozenset, got)))
        least = slow.smallest_span(got, rows.tolist())
        for asked in (1, 3, 10):
            expected = least is not None and least < asked
            assert has_small_span(spans.sums, spans.sizes, rows, asked) == expected
        reach.keep(spans)
