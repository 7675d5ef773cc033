from itertools import product

import numpy as np
import pytest

from shoal.anonymize.bounds._bound_kernels import (
    MOST_LEVELS,
    column_levels,
    cover_bound,
    near_cells,
    nearest_bound,
    pair_bounds,
    row_bounds,
)
from shoal.anonymize.clusters._group_loss import pair_loss
from tests.anonymize import group_cases
from tests.reference.partitions import least_loss

EVERYTHING = 100.0


def slow_pairs(columns, keys, cell):
    return np.array(
        [
            [
                pair_loss(columns, j, min(keys[cell, j], code), max(keys[cell, j], code))
                for j, code in enumerate(row)
            ]
            for row in keys
        ]
    )


def slow_cover(pairs, rows, least):
    """Try every combination of losses that occur, column by column."""
    best = np.inf
    for within in product(*(np.unique(column) for column in pairs.T)):
        if rows[(pairs <= np.array(within) + 1e-9).all(axis=1)].sum() >= least:
            best = min(best, sum(within))
    return best


def group_loss(columns, keys):
    low, high = keys.min(axis=0), keys.max(axis=0)
    return sum(pair_loss(columns, j, low[j], high[j]) for j in range(keys.shape[1]))


@pytest.mark.parametrize("ranges", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_the_bounds_of_a_row_are_those_of_the_slow_twin(seed, ranges):
    cells = group_cases.cells(seed, 40)
    columns, *_ = group_cases.columns_of(cells, ranges)
    for cell, least in ((0, 3), (5, 6), (7, 1)):
        pairs = slow_pairs(columns, cells.keys, cell)
        near = near_cells(columns, cells.keys, cells.sizes, cell, EVERYTHING, least)
        order = np.argsort(pairs.sum(axis=1), kind="stable")
        reached = np.searchsorted(np.cumsum(cells.sizes[order]), least)
        nearest = nearest_bound(near, least, EVERYTHING)
        assert nearest == pytest.approx(pairs.sum(axis=1)[order[reached]])
        cover = cover_bound(near, least, near.most, 10**7)
        slow = slow_cover(pairs, cells.sizes, least)
        if max(len(np.unique(column.round(9))) for column in pairs.T) <= MOST_LEVELS:
            assert cover == pytest.approx(slow)
        assert cover <= slow + 1e-9
        both = row_bounds(
            columns, cells.keys, cells.sizes, np.array([cell]), np.full(1, EVERYTHING), least, 10**7
        )
        assert both[0] == pytest.approx(max(nearest, cover))
        for most in (EVERYTHING, 0.7 * nearest):
            asked = (np.array([cell]), np.full(1, most), least)
            weaker = pair_bounds(columns, cells.keys, cells.sizes, *asked)
            assert weaker[0] == pytest.approx(min(nearest, most))


@pytest.mark.parametrize("seed", range(12))
def test_no_grouping_of_a_small_table_goes_below_the_bound(seed):
    cells = group_cases.cells(100 + seed, 8)
    columns, *_ = group_cases.columns_of(cells, seed % 2 == 0)
    rows = cells.sizes
    for least in (2, 3):
        optimum = least_loss(cells.keys, rows, least, lambda keys: group_loss(columns, keys))
        chosen = np.arange(cells.n_groups)
        most = np.full(len(chosen), EVERYTHING)
        bounds = row_bounds(columns, cells.keys, rows, chosen, most, least, 10**7)
        assert 0 < (rows * bounds).sum() <= optimum + 1e-9


def test_a_search_that_is_too_dear_says_so():
    cells = group_cases.cells(3, 60)
    columns, *_ = group_cases.columns_of(cells)
    near = near_cells(columns, cells.keys, cells.sizes, 0, EVERYTHING, 5)
    assert cover_bound(near, 5, EVERYTHING, 10) == -1.0


def test_more_losses_than_are_told_apart_cost_the_least_of_those_taken_together():
    losses = np.linspace(0, 1, 40)[::-1].copy()
    level, cost = np.empty(40, np.int64), np.empty(MOST_LEVELS)
    assert column_levels(losses, level, cost) == MOST_LEVELS
    assert (cost[level] <= losses + 1e-12).all()
    assert (np.diff(level) <= 0).all()
    assert cost[0] == 0


@pytest.mark.parametrize("most", [0.3, EVERYTHING])
def test_many_cells_are_looked_at_as_few_are(most):
    cells = group_cases.cells(2, 40)
    columns, *_ = group_cases.columns_of(cells, True)
    times = 3_200 // len(cells.keys) + 1
    few = near_cells(columns, cells.keys, cells.sizes, 3, most, 10**6)
    keys, sizes = np.tile(cells.keys, (times, 1)), np.tile(cells.sizes, times)
    many = near_cells(columns, keys, sizes, 3, most, 10**6)
    np.testing.assert_allclose(many.pair, np.tile(few.pair, (times, 1)))
    np.testing.assert_allclose(many.total, np.tile(few.total, times))
    assert many.rows.tolist() == few.rows.tolist() * times


@pytest.mark.parametrize("ranges", [True, False])
def test_cells_that_no_least_cover_has_are_left_out(ranges):
    """A hundred cells and more, of which a few dozen decide; the cover stays what it was."""
    cells = group_cases.cells(5, 300)
    columns, *_ = group_cases.columns_of(cells, ranges)
    for cell in range(0, len(cells.keys), 40):
        pairs = slow_pairs(columns, cells.keys, cell)
        near = near_cells(columns, cells.keys, cells.sizes, cell, EVERYTHING, 4)
        assert len(near.total) < len(cells.keys)
        slow = slow_cover(pairs[pairs.sum(axis=1) <= near.most + 1e-9], near.rows, 4)
        assert slow <= near.most + 1e-9
        left_out = pairs[pairs.sum(axis=1) > near.most + 1e-9]
        assert (left_out.sum(axis=1) > slow).all()  # one of these alone costs more
        assert cover_bound(near, 4, near.most, 10**7) <= slow + 1e-9
