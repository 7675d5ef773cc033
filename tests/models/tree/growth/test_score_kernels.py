import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from shoal.models._groups import one_group_per_row
from shoal.models._input import Input
from shoal.models.tree._attributes import Attribute
from shoal.models.tree._tree import CRITERIA
from shoal.models.tree.growth._grow import Grower
from shoal.models.tree.growth._kernel_types import Settings
from shoal.models.tree.growth._score_kernels import score_cuts, score_groups, sort_keys
from shoal.models.tree.growth._training import code_target, code_training, rank_values
from shoal.privacy import KAnonymity
from shoal.privacy.compiled._compile import compile_model
from tests.reference import splits

numbers = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 2), st.integers(1, 3)), min_size=2, max_size=40
)


def grower(values, classes, weights, criterion, k, kind="numeric"):
    table = Input(("x",), np.array(values)[:, None])
    training, _ = code_training(table, [Attribute("x", kind)], [0])
    target = code_target(np.array(classes), 3, weights)
    model = KAnonymity(k)
    rules = compile_model(model, one_group_per_row(model, {}, len(values)))
    wanted = Settings(CRITERIA[criterion], 1e-12, 1.0, False)
    return Grower(training.columns, target, wanted, rules, class_is_public=False)


@settings(deadline=None)
@given(rows=numbers, k=st.integers(1, 6), weighted=st.booleans(), gini=st.booleans())
def test_cuts_agree_with_the_plain_reference(rows, k, weighted, gini):
    values, classes, weights = (np.array(part) for part in zip(*rows, strict=True))
    weights = weights.astype(float) if weighted else None
    criterion = "gini" if gini else "gain"
    run = grower(values.astype(float), classes, weights, criterion, k)
    score_cuts(run.columns, run.target, run.settings, 0, run.rows(0), k, False, run.work, run.state)
    ones = np.ones(len(values)) if weights is None else weights
    expected, _ = splits.best_cut(values, classes, ones, criterion, k)
    assert run.state.gain[0] == pytest.approx(expected, abs=1e-9)
    if expected >= 0:
        below = (values <= run.state.threshold[0]).astype(int)
        assert splits.gain(below, classes, ones, criterion) == pytest.approx(expected, abs=1e-9)
        assert k <= below.sum() <= len(values) - k
    assert not run.work.total.any()
    assert not run.work.mass.any()


@settings(deadline=None)
@given(rows=numbers, weighted=st.booleans(), criterion=st.sampled_from(list(CRITERIA)))
def test_groups_agree_with_the_plain_reference(rows, weighted, criterion):
    values, classes, weights = (np.array(part) for part in zip(*rows, strict=True))
    weights = weights.astype(float) if weighted else None
    run = grower(values, classes, weights, criterion, 1, "categorical")
    score_groups(run.columns, run.target, run.settings, 0, run.rows(0), run.work, run.state)
    ones = np.ones(len(values)) if weights is None else weights
    if len(np.unique(values)) < 2:
        assert run.state.gain[0] == -1
        return
    expected = splits.gain(values, classes, ones, criterion)
    assert run.state.gain[0] == pytest.approx(expected, abs=1e-9)
    if criterion == "gain_ratio":
        expected = splits.ratio(values, classes, ones, expected)
    assert run.state.score[0] == pytest.approx(expected, abs=1e-9)
    assert run.state.least[0] == np.bincount(values)[np.unique(values)].min()


@settings(deadline=None)
@given(st.lists(st.integers(0, 2**40), max_size=200))
def test_keys_are_sorted(keys):
    found = np.array([*keys, 7], np.int64)
    sort_keys(found, len(keys))
    assert found.tolist() == [*sorted(keys), 7]


@given(
    st.lists(
        st.one_of(st.floats(-50, 50), st.integers(0, 9).map(float), st.just(np.nan)), min_size=1
    )
)
def test_ranks_follow_values(values):
    found = np.array(values)
    known, codes = rank_values(found)
    assert (np.diff(known) > 0).all()
    assert ((codes < 0) == np.isnan(found)).all()
    assert (known[codes[codes >= 0]] == found[codes >= 0]).all()
