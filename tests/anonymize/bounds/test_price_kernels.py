import numpy as np
import pytest

from shoal.anonymize.bounds._price_kernels import (
    Found,
    Table,
    least_rest,
    level_down,
    lower_prices,
    settle,
    weigh,
)
from shoal.anonymize.bounds._priced_loss import UNIT, make_boxes
from shoal.anonymize.clusters._group_loss import is_range_column, make_columns, pair_loss
from tests.anonymize import group_cases
from tests.reference.prices import slow_boxes, slow_worth


def case(seed, n=14, *, ranges=True):
    cells = group_cases.cells(seed, n)
    is_range = np.array([ranges and is_range_column(coding) for coding in cells.codings])
    return cells, make_columns(cells.codings, is_range, np.ones(len(is_range)))


def drawn_prices(seed, n, most=6.0):
    return (np.random.default_rng(seed).random(n) * most * UNIT).astype(np.int64)


@pytest.mark.parametrize("least", [1, 3, 8, 40])
@pytest.mark.parametrize("seed", range(6))
def test_a_box_is_worth_what_its_best_rows_come_to(seed, least):
    draw = np.random.default_rng(seed)
    prices, sizes = draw.integers(0, 60, 9), draw.integers(0, 4, 9)
    cells = np.arange(9, dtype=np.int32)
    for loss in (0, 20, 40, 58):
        worth, lowest = weigh(cells, sizes, prices, loss, least)
        assert worth == max(0, slow_worth(prices, sizes, loss, least))
        assert lowest <= 0
        if worth > 0:  # and it is worth nothing once its dear rows are cheaper
            lowered = prices.copy()
            level_down(cells, sizes, lowered, loss, worth)
            assert slow_worth(lowered, sizes, loss, least) <= 0
            assert (lowered >= np.minimum(prices, loss)).all()
            assert (lowered <= prices).all()


@pytest.mark.parametrize("ranges", [True, False])
@pytest.mark.parametrize("least", [2, 5])
@pytest.mark.parametrize("seed", range(3))
def test_no_box_at_all_is_worth_anything_at_lowered_prices(seed, least, ranges):
    cells, columns = case(seed, ranges=ranges)
    boxes, table = make_boxes(columns, cells.keys, cells.sizes, least)
    rest = least_rest(boxes, table)
    asked = drawn_prices(seed, cells.n_groups)
    prices, n_found = asked.copy(), 0
    for top in range(boxes.start[0], boxes.start[1]):
        looked, found = lower_prices(boxes, table, rest, asked, prices, top, 10**9)
        assert looked > 0
        n_found += len(found.loss)
    assert n_found > 0
    assert (prices <= asked).all()

    def loss_of(column, low, high):
        return pair_loss(columns, column, low, high) * UNIT

    for inside, loss in slow_boxes(cells.keys, loss_of):
        assert slow_worth(prices[inside], cells.sizes[inside], loss + 1e-3, least) <= 0


def test_a_walk_that_is_too_dear_says_so():
    cells, columns = case(0)
    boxes, table = make_boxes(columns, cells.keys, cells.sizes, 2)
    asked = drawn_prices(0, cells.n_groups)
    rest = least_rest(boxes, table)
    assert lower_prices(boxes, table, rest, asked, asked.copy(), int(boxes.start[0]), 20)[0] == -1


@pytest.mark.parametrize("seed", range(4))
def test_what_a_row_loses_at_least_in_columns_to_come_is_no_more_than_any_box_loses(seed):
    cells, columns = case(seed)
    boxes, table = make_boxes(columns, cells.keys, cells.sizes, 3)
    rest = least_rest(boxes, table)
    d = len(boxes.n_codes)
    assert (np.diff(rest, axis=0) <= 0).all()
    for j in range(d):
        for i in range(boxes.start[j], boxes.start[j + 1]):
            inside = (table.keys[j] >= boxes.low[i]) & (table.keys[j] <= boxes.high[i])
            if cells.sizes[inside].sum() >= 3:
                assert (rest[j, inside] - rest[j + 1, inside] <= boxes.loss[i]).all()


@pytest.mark.parametrize("backwards", [True, False])
def test_settled_prices_leave_no_listed_box_worth_anything(backwards):
    sizes, prices = np.array([2, 1, 3, 1]), np.array([9, 8, 3, 7])
    found = Found(np.array([0, 3, 5]), np.array([4, 5]), np.array([0, 1, 2, 3, 0], np.int32))
    settle(found, sizes, 3, prices, backwards)
    for box in range(2):
        own = found.cell[found.start[box] : found.start[box + 1]]
        assert slow_worth(prices[own], sizes[own], found.loss[box], 3) <= 0


def test_cells_are_kept_column_by_column():
    cells, columns = case(1)
    _, table = make_boxes(columns, cells.keys, cells.sizes, 2)
    assert isinstance(table, Table)
    assert table.keys.shape == cells.keys.T.shape
