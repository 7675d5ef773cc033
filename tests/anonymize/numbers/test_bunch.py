import numpy as np
import pytest

from shoal.anonymize.numbers import _bunch
from shoal.anonymize.numbers._bunch import bunch, sum_of_squares
from tests.reference import microaggregation as slow


@pytest.mark.parametrize("search", ["mdav", "exchange"])
def test_groups_weigh_k(search):
    rng = np.random.default_rng(0)
    points, weights = rng.normal(size=(200, 2)), rng.integers(0, 4, 200)
    found = bunch(points, weights, 7, search)
    assert np.bincount(found, weights=weights).min() >= 7
    assert len(np.unique(found)) == found.max() + 1


@pytest.mark.parametrize("seed", range(6))
def test_exchanges_lose_no_more_than_mdav_and_little_more_than_the_best(seed):
    rng = np.random.default_rng(seed)
    points, ones = rng.normal(size=(9, 2)), np.ones(9, np.int64)
    lost = [sum_of_squares(points, ones, bunch(points, ones, 3, s)) for s in ("mdav", "exchange")]
    best = slow.least_sum_of_squares(points.tolist(), 3)
    assert best - 1e-9 <= lost[1] <= lost[0] + 1e-9
    assert lost[1] <= 1.25 * best


def test_exchanges_save_a_tenth_of_what_mdav_loses_in_clusters():
    """Groups of fixed size cut through clusters; groups of any size need not."""
    rng = np.random.default_rng(1)
    points = np.concatenate([rng.normal(at, 0.1, size=(7, 2)) for at in range(0, 60, 3)])
    ones = np.ones(len(points), np.int64)
    mdav, exchanged = (
        sum_of_squares(points, ones, bunch(points, ones, 5, s)) for s in ("mdav", "exchange")
    )
    assert exchanged < 0.9 * mdav


def test_large_tables_are_cut_into_pieces(monkeypatch):
    monkeypatch.setattr(_bunch, "PIECE", 50)
    rng = np.random.default_rng(2)
    points, ones = rng.normal(size=(400, 3)), np.ones(400, np.int64)
    for search in ("mdav", "exchange"):
        assert np.bincount(bunch(points, ones, 4, search)).min() >= 4


def test_a_missing_value_has_no_place_on_the_line():
    points = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
    assert bunch(points, np.ones(4, np.int64), 2, "exact").tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])
