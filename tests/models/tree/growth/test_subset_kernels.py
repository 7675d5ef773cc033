from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from shoal.models.tree.growth._kernel_types import LEFT, OTHERS, RIGHT
from shoal.models.tree.growth._subset_kernels import ALL_WAYS_UP_TO, score_subsets
from tests.models.tree.growth.test_score_kernels import grower
from tests.reference import splits

tables = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 2), st.integers(1, 3)), min_size=2, max_size=30
)


def _best_of_all(values, classes, weights, criterion, least, least_named):
    """Try every way to split the values in two that keeps rare ones together."""
    found, n_rows = np.unique(values, return_counts=True)
    rare = found[n_rows < least_named]
    items = [[value] for value in found[n_rows >= least_named]] + ([rare] if len(rare) else [])
    best, (first, *others) = -1.0, items  # a set and the other one are the same way to split
    for size in range(len(others)):
        for chosen in combinations(others, size):
            inside = np.isin(values, np.concatenate([first, *chosen]))
            if min(inside.sum(), (~inside).sum()) >= least:
                best = max(best, splits.gain(inside.astype(int), classes, weights, criterion))
    return best


def _scored(values, classes, weights, criterion, least, least_named=None):
    run = grower(values, classes, weights, criterion, 1, "categorical")
    run.state.level[0] = run.columns.n_levels[0]
    score_subsets(
        run.columns,
        run.target,
        run.settings,
        0,
        run.segments(0),
        run.rows(0),
        least,
        least if least_named is None else least_named,
        run.work,
        run.state,
    )
    return run


@settings(deadline=None)
@given(
    rows=tables,
    least=st.integers(1, 6),
    is_public=st.booleans(),
    weighted=st.booleans(),
    criterion=st.sampled_from(["gain", "gini"]),
)
def test_no_two_sets_of_few_values_gain_more(rows, least, is_public, weighted, criterion):
    values, classes, weights = (np.array(part) for part in zip(*rows, strict=True))
    ones = weights.astype(float) if weighted else np.ones(len(values))
    size = least if is_public else 1  # sets of a private column may have any size
    run = _scored(values, classes, ones if weighted else None, criterion, size, least)
    expected = _best_of_all(values, classes, ones, criterion, size, least)
    assert run.state.gain[0] == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("seed", range(20))
def test_with_two_classes_no_two_sets_of_many_values_gain_more(seed):
    generator = np.random.default_rng(seed)
    n_values = ALL_WAYS_UP_TO + 3
    values = np.concatenate([np.arange(n_values), generator.integers(0, n_values, 60)])
    classes = (generator.random(len(values)) < generator.random(n_values)[values]).astype(int)
    run = _scored(values, classes, None, "gini", 1)
    expected = _best_of_all(values, classes, np.ones(len(values)), "gini", 1, 1)
    assert run.state.gain[0] == pytest.approx(expected, abs=1e-8)


@settings(deadline=None)
@given(
    rows=tables | st.lists(st.tuples(st.integers(0, 20), st.integers(0, 2)), min_size=40),
    least=st.integers(1, 6),
    is_public=st.booleans(),
    criterion=st.sampled_from(["gain", "gini"]),
)
def test_what_is_written_down_is_what_was_scored(rows, least, is_public, criterion):
    values, classes = (np.array([row[place] for row in rows]) for place in range(2))
    size = least if is_public else 1
    run = _scored(values, classes, None, criterion, size, least)
    assert not run.work.total.any()
    assert not run.work.mass.any()
    if run.state.gain[0] < 0:
        return
    side = run.spare_level(0)[run.columns.codes[0]]
    n_rows = np.bincount(run.columns.codes[0])[run.columns.codes[0]]
    assert set(side.tolist()) == {LEFT, OTHERS if (n_rows < least).any() else RIGHT}
    assert (n_rows[side == LEFT] >= least).all()  # no rare value is named
    assert run.state.least[0] == np.unique(side, return_counts=True)[1].min() >= size
    gained = splits.gain(side, classes, np.ones(len(values)), criterion)
    assert run.state.gain[0] == pytest.approx(gained, abs=1e-8)
