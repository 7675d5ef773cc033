import numpy as np
import pytest

from shoal.anonymize.trials import _trial
from shoal.anonymize.trials._trial import (
    advise_on_many,
    duration,
    how_long,
    predict_seconds,
    sample_cells,
    try_methods,
)
from shoal.privacy import KAnonymity
from tests.anonymize import group_cases

METHODS = ("local", "mondrian", "top-down")


def test_a_sample_is_always_the_same_and_large_enough_for_the_promise(monkeypatch):
    cells = group_cases.cells(0, 80)
    assert sample_cells(cells) is cells
    monkeypatch.setattr(_trial, "MOST_VALUES", 30)
    monkeypatch.setattr(_trial, "LEAST_CELLS", 10)
    sample, again = sample_cells(cells), sample_cells(cells)
    assert sample.n_groups == 10
    assert np.array_equal(sample.keys, again.keys)
    known = {tuple(key): size for key, size in zip(cells.keys, cells.sizes, strict=True)}
    assert all(known[tuple(k)] == n for k, n in zip(sample.keys, sample.sizes, strict=True))
    assert sample_cells(cells, 60).n_rows >= 60
    assert sample_cells(cells, 10**9) is cells


def test_methods_are_compared_on_the_same_sample():
    cells = group_cases.cells(1, 60)
    sample, trials = try_methods(cells, group_cases.SCHEMA, KAnonymity(3), METHODS)
    assert sample.n_groups == cells.n_groups
    lost = {trial.method: trial.lost for trial in trials}
    assert list(lost) == list(METHODS)
    assert lost["local"] <= lost["mondrian"]  # it begins with Mondrian's regions
    assert (sample, trials) == (sample, try_methods(cells, *_asked())[1])


def _asked():
    return group_cases.SCHEMA, KAnonymity(3), METHODS


def test_a_method_that_finds_nothing_is_left_out():
    cells = group_cases.cells(1, 60)
    _, trials = try_methods(cells, group_cases.SCHEMA, KAnonymity(cells.n_rows + 1), METHODS)
    assert trials == []


def test_more_cells_and_columns_take_longer():
    for method in METHODS:
        assert predict_seconds(method, 2_000, 50) > predict_seconds(method, 1_000, 50)
        assert predict_seconds(method, 1_000, 100) > predict_seconds(method, 1_000, 50)


def test_what_is_known_beforehand_is_said():
    assert "--time-limit" in how_long("local", 100_000, 100)
    assert "--time-limit" not in how_long("mondrian", 1_000, 30)
    assert "not known" in how_long("bottom-up", 1_000, 30)


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.1, "1 s"), (42, "42 s"), (300, "5 minutes"), (36_000, "10 hours")]
)
def test_durations_are_words(seconds, words):
    assert duration(seconds) == words


def test_very_many_columns_bring_advice_that_can_be_followed():
    assert advise_on_many(60, 5) == ""
    assert "lkc:2:5" in advise_on_many(200, 5)
    assert "lkc" not in advise_on_many(201, 5)  # has more pairs than are counted
    assert "--requirement COLUMN,COLUMN:5" in advise_on_many(499, 5)
