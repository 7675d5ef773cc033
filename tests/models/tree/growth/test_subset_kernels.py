from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from shoal.models.tree.growth._kernel_types import LEFT, RIGHT
from shoal.models.tree.growth._subset_kernels import score_subsets
from tests.models.tree.growth.test_score_kernels import grower
from tests.reference import splits

tables = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 2), st.integers(1, 3)), min_size=2, max_size=30
)


def _best_of_all(values, classes, weights, criterion, least):
    """Try every way to split the values in two."""
    known = np.unique(values)
    best = -1.0
    for size in range(1, len(known)):
        for chosen in combinations(known, size):
            inside = np.isin(values, chosen)
            if min(inside.sum(), (~inside).sum()) >= least:
                best = max(best, splits.gain(inside.astype(int), classes, weights, criterion))
    return best


def _scored(values, classes, weights, criterion, least):
    run = grower(values, classes, weights, criterion, 1, "categorical")
    run.state.level[0] = run.columns.n_levels[0]
    score_subsets(run.columns, run.target, run.settings, 0, run.rows(0), least, run.work, run.state)
    return run


@settings(deadline=None)
@given(rows=tables, weighted=st.booleans(), gini=st.booleans())
def test_with_two_classes_no_two_subsets_gain_more(rows, weighted, gini):
    values, classes, weights = (np.array(part) for part in zip(*rows, strict=True))
    classes, criterion = np.minimum(classes, 1), "gini" if gini else "gain"
    ones = weights.astype(float) if weighted else np.ones(len(values))
    run = _scored(values, classes, ones if weighted else None, criterion, 1)
    expected = _best_of_all(values, classes, ones, criterion, 1)
    assert run.state.gain[0] == pytest.approx(expected, abs=1e-8)


@settings(deadline=None)
@given(rows=tables, least=st.integers(1, 6), criterion=st.sampled_from(["gain", "gini"]))
def test_what_is_written_down_is_what_was_scored(rows, least, criterion):
    values, classes, _ = (np.array(part) for part in zip(*rows, strict=True))
    run = _scored(values, classes, None, criterion, least)
    best = _best_of_all(values, classes, np.ones(len(values)), criterion, least)
    assert run.state.gain[0] <= best + 1e-8
    assert not run.work.total.any()
    assert not run.work.mass.any()
    if run.state.gain[0] < 0:
        return
    side = run.spare_level(0)[run.columns.codes[0]]
    assert set(side.tolist()) == {LEFT, RIGHT}
    assert run.state.least[0] == np.bincount(side).min() >= least
    gained = splits.gain(side, classes, np.ones(len(values)), criterion)
    assert run.state.gain[0] == pytest.approx(gained, abs=1e-8)
