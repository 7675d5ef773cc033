"""What is counted on a cluster covers what rows at hand do, set by set."""

import numpy as np
import pytest

from shoal.discover.covers._bound import cheapest_cover
from shoal.discover.covers._coverage import AllPairs, DistinctRows
from shoal.discover.covers._deadline import begin
from shoal.discover.covers._far_coverage import FarCoverage
from shoal.discover.covers._greedy import cover, hold
from shoal.discover.covers._hitting import Budget
from shoal.discover.sources._partition import CodeTable


class Counting:
    """Counts groups as the engine of a cluster does, and how often it was asked about each set."""

    def __init__(self, codes):
        self.codes, self.asked = codes, []
        self.names = tuple("abcdef"[: len(codes)])
        self.n_rows = codes.shape[1]

    def set_sizes(self, sets):
        self.asked += [tuple(one) for one in sets]
        found = []
        for one in sets:
            rows = self.codes[[self.names.index(name) for name in one]]
            _, sizes = np.unique(rows, axis=1, return_counts=True)
            found.append(np.unique(sizes, return_counts=True))
        return found


def drawn(seed):
    rng = np.random.default_rng(seed)
    codes = np.vstack([rng.integers(0, n, 40) for n in (2, 3, 5, 9)] + [np.zeros(40)])
    return codes.astype(np.int32)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("here", "counts"), [(AllPairs, "pairs"), (DistinctRows, "combinations")])
def test_searches_find_the_same(seed, here, counts):
    codes = drawn(seed)
    engine, costs = Counting(codes), np.array([1.0, 2.0, 1.0, 3.0, 1.0])
    near, far = here.of(CodeTable(engine.names, codes)), FarCoverage(engine, counts)
    assert (far.total, far.covered, far.n_columns) == (near.total, near.covered, near.n_columns)
    for beta in (0.3, 0.6, 1.0):
        assert cover(far, costs, beta) == cover(near, costs, beta)
        assert hold(far, costs, beta) == hold(near, costs, beta)
        budgets = [Budget(10_000, begin(None)) for _ in range(2)]
        assert cheapest_cover(far, costs, beta, budgets[0]) == cheapest_cover(
            near, costs, beta, budgets[1]
        )
    assert far.values() == [len(np.unique(own)) for own in codes]
    assert len(engine.asked) == len(set(engine.asked))  # each set is counted once
