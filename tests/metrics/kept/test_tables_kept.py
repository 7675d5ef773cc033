import itertools

import numpy as np
import pytest
from scipy.stats.contingency import association

from shoal.metrics.kept._table_pair import read_pair
from shoal.metrics.kept._tables_kept import compare_tables_kept, correlation, cramers_v
from tests.metrics.kept.people import TOWNS, meant, random_tables


def joint(table, values, weights):
    """Two-way table of pay and town by loops."""
    shares = dict.fromkeys(itertools.product(*values), 0.0)
    for pay, town, weight in zip(table["pay"], table["town"], weights, strict=True):
        pairs = list(itertools.product(meant(pay, values[0]), meant(town, values[1])))
        for cell in pairs:
            shares[cell] += weight / len(pairs) / sum(weights)
    return shares


@pytest.mark.parametrize("seed", range(20))
def test_two_way_tables_move_as_counted_by_hand(seed):
    raw, released = random_tables(seed)
    rng = np.random.default_rng(seed)
    for table in (raw, released):
        table["w"] = rng.integers(1, 9, len(table["pay"])).tolist()
        del table["age"], table["ill"]
    found = compare_tables_kept(read_pair(raw, released, weights="w"))
    values = sorted(set(raw["pay"])), [t for t in TOWNS if t in raw["town"]]
    before, after = (joint(table, values, table["w"]) for table in (raw, released))
    away = sum(abs(before[cell] - after[cell]) for cell in before) / 2
    assert found.moved == found.largest_moved == pytest.approx(away)
    assert found.columns[0].pairs_moved == pytest.approx(away)
    tables = [
        np.array([*shares.values()]).reshape(len(values[0]), -1) for shares in (before, after)
    ]
    apart = abs(cramers_v(tables[0]) - cramers_v(tables[1]))
    assert found.association_difference == pytest.approx(apart)
    assert (found.n_pairs, found.n_correlations) == (1, 0)


@pytest.mark.parametrize("seed", range(20))
def test_cramers_v_is_that_of_scipy(seed):
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 9, (3, 4)) + 1
    assert cramers_v(table / table.sum()) == pytest.approx(association(table, method="cramer"))


@pytest.mark.parametrize("seed", range(20))
def test_a_weight_is_as_many_rows(seed):
    rng = np.random.default_rng(seed)
    x, y, times = rng.random(12), rng.random(12), rng.integers(1, 5, 12)
    many = np.corrcoef(np.repeat(x, times), np.repeat(y, times))[0, 1]
    assert correlation(x, y, times.astype(float)) == pytest.approx(many)


def test_numbers_that_do_not_vary_have_no_correlation():
    same = np.full(5, 0.1)
    assert correlation(same, np.arange(5.0), np.ones(5)) == 0
    assert correlation(np.full(5, np.nan), np.arange(5.0), np.ones(5)) == 0


def test_a_shift_of_the_mean_is_told_in_standard_deviations():
    found = compare_tables_kept(read_pair({"x": [-1.0, 1.0]}, {"x": [1.0, 5.0]}))
    assert (found.columns[0].mean_shift, found.columns[0].spread_ratio) == (3, 2)
    assert found.moved is None


def test_means_are_not_compared_where_few_rows_were_left_out():
    raw = {"x": [float(number) for number in range(40)]}
    for left_out, told in ((0, True), (1, False), (9, False), (10, True)):
        released = {"x": raw["x"][left_out:]}
        found = compare_tables_kept(read_pair(raw, released)).columns[0]
        assert (found.mean_shift is not None) == (found.spread_ratio is not None) == told
