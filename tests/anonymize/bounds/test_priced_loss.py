import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from shoal.anonymize import LocalRecoding
from shoal.anonymize.bounds import _priced_loss
from shoal.anonymize.bounds._loss_bound import bound_loss
from shoal.anonymize.bounds._priced_loss import UNIT, make_boxes, priced_loss
from shoal.anonymize.clusters._group_loss import is_range_column, make_columns, pair_loss
from shoal.privacy import KAnonymity
from tests.anonymize import group_cases
from tests.reference.partitions import least_loss

WORK = 10**7


def columns_of(cells, *, ranges=True, exact=True):
    is_range = np.array([ranges and is_range_column(coding) for coding in cells.codings])
    return make_columns(cells.codings, is_range, np.ones(len(cells.codings)), exact=exact)


def optimum(cells, columns, least, sizes=None):
    """Least loss of all groupings; rows that are left out lose everything."""

    def loss_of(keys):
        low, high = keys.min(axis=0), keys.max(axis=0)
        return sum(pair_loss(columns, j, low[j], high[j]) for j in range(keys.shape[1]))

    sizes = cells.sizes if sizes is None else sizes
    left_out = float(sizes.sum() * cells.keys.shape[1])
    return min(left_out, least_loss(cells.keys, sizes, least, loss_of))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(2, 9),
    least=st.integers(1, 12),
    ranges=st.booleans(),
    exact=st.booleans(),
    start=st.sampled_from([0.3, 1.0, 3.0]),
    first_work=st.sampled_from([_priced_loss._LEAST_FIRST, 0]),
)
def test_no_grouping_goes_below_the_bound_wherever_prices_begin(
    seed, n, least, ranges, exact, start, first_work
):
    cells = group_cases.cells(seed, n)
    columns = columns_of(cells, ranges=ranges, exact=exact)
    row_loss = np.random.default_rng(seed).random(cells.n_groups) * start
    sizes = np.random.default_rng(seed).integers(1, 5, cells.n_groups)
    best = optimum(cells, columns, least, sizes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_priced_loss, "_LEAST_FIRST", first_work)  # without any, prices are flattened
        patch.setattr(_priced_loss, "_FIRST", first_work)
        assert priced_loss(columns, cells.keys, sizes, least, row_loss, WORK) <= best + 1e-6


def test_where_the_first_prices_take_too_long_flatter_ones_are_checked(monkeypatch):
    cells = group_cases.cells(7, 200)
    asked = columns_of(cells), cells.keys, cells.sizes, 5
    losses = np.random.default_rng(0).random(cells.n_groups)
    monkeypatch.setattr(_priced_loss, "_LEAST_FIRST", 0)
    monkeypatch.setattr(_priced_loss, "_FIRST", 0)
    flat = priced_loss(*asked, losses, WORK)
    assert flat > 0.2 * (cells.sizes * losses).sum()
    monkeypatch.setattr(_priced_loss, "_FLAT_FIRST", 0)
    assert priced_loss(*asked, losses, WORK) == 0


def test_the_bound_is_near_to_the_least_possible():
    shares = []
    for seed in range(12):
        cells = group_cases.cells(100 + seed, 8)
        columns = columns_of(cells, ranges=seed % 2 == 0)
        best = optimum(cells, columns, 3)
        start = np.full(cells.n_groups, best / cells.n_rows)
        shares.append(priced_loss(columns, cells.keys, cells.sizes, 3, start, WORK) / best)
    assert max(shares) <= 1 + 1e-9
    assert np.mean(shares) > 0.7


@pytest.mark.parametrize("ranges", ["lines", "exact", "nodes"])
@pytest.mark.parametrize("k", [2, 5, 20])
def test_a_long_search_finds_nothing_below_the_bound_of_a_short_one(ranges, k):
    for seed in range(3):
        table = group_cases.rows(np.random.default_rng(seed), 120)
        short, long = (
            LocalRecoding(group_cases.SCHEMA, KAnonymity(k), ranges=ranges, refine=refine)
            .fit(table)
            .release_
            for refine in ("quick", "long")
        )
        assert 0 < short.loss_bound.least <= long.metrics.loss
        assert short.loss_bound.confidence == 1


def test_prices_are_better_than_the_least_cover_of_each_row():
    table = group_cases.rows(np.random.default_rng(1), 300)
    release = LocalRecoding(group_cases.SCHEMA, KAnonymity(5), ranges="nodes").fit(table).release_
    is_range = release.recoding.is_range
    by_row = bound_loss(release.recoded, 5, is_range, work=0)
    assert release.loss_bound.least > 1.1 * by_row.least
    assert release.loss_bound.times < 1.4


@pytest.mark.parametrize("most", [4, 9, 256])
def test_codes_taken_together_only_make_losses_less(most, monkeypatch):
    cells = group_cases.cells(5, 60)
    columns = columns_of(cells)
    monkeypatch.setattr(_priced_loss, "MOST_ENDS", most)
    boxes, table = make_boxes(columns, cells.keys, cells.sizes, 3)
    n_ranges = np.diff(boxes.start)
    assert (np.diff(n_ranges) >= 0).all()  # those with fewest ranges first
    # which column is which does not show: compare every two cells over all columns
    for a in range(0, cells.n_groups, 5):
        for b in range(cells.n_groups):
            low, high = np.minimum(*cells.keys[[a, b]]), np.maximum(*cells.keys[[a, b]])
            own = sum(pair_loss(columns, j, low[j], high[j]) for j in range(len(low)))
            assert _loss_around(boxes, table, a, b) <= own * UNIT + 1e-3


def _loss_around(boxes, table, a, b):
    total = 0
    for j in range(len(boxes.n_codes)):
        low, high = sorted(table.keys[j, [a, b]])
        mine = slice(boxes.start[j], boxes.start[j + 1])
        around = (boxes.low[mine] <= low) & (boxes.high[mine] >= high)
        least = boxes.loss[mine][around].min()
        assert least == boxes.least[boxes.first[j] + low * boxes.n_codes[j] + high]
        total += least
    return total


def test_without_work_there_is_no_bound():
    cells = group_cases.cells(2, 30)
    asked = (columns_of(cells), cells.keys, cells.sizes, 3, np.ones(cells.n_groups))
    assert priced_loss(*asked, 0) == 0
    assert priced_loss(*asked, WORK) > 0
