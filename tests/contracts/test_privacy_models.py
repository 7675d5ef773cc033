"""What every privacy model promises, checked for all of them on random tables."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from shoal.privacy import DeltaPresence, PrivacyModel, Proximity, RecursiveDiversity, check
from shoal.privacy._projection import ProjectionModel  # of some columns: test_projections.py
from shoal.privacy._registry import MODELS as REGISTERED
from shoal.privacy.compiled._compile import allowed_groups, compile_model
from tests.privacy.catalogue import MODELS, TWO_VALUED
from tests.privacy.columns import CODING, TWO_VALUES, VALUES
from tests.reference.rows import table, values_in_groups

EVERY = MODELS + TWO_VALUED
IDS = [f"{i}-{model}" for i, (model, _) in enumerate(EVERY)]


def values_for(model_index):
    return VALUES if model_index < len(MODELS) else TWO_VALUES


def as_table(groups):
    return table([[{"s": value} for value in rows] for rows in groups], {"s": CODING})


def random_groups(rng, values, n_groups, most):
    """Groups whose mixtures differ, so that models both hold and fail."""
    weight = rng.dirichlet(np.full(len(values), rng.choice([0.3, 3.0, 30.0])), n_groups)
    return [
        [values[i] for i in rng.choice(len(values), rng.integers(1, most + 1), p=w)] for w in weight
    ]


@pytest.mark.parametrize("index", range(len(EVERY)), ids=IDS)
def test_agrees_with_the_plain_reference_and_with_the_kernels(index):
    model, twin = EVERY[index]
    rng = np.random.default_rng(index)
    seen = set()
    for _ in range(12):
        groups = random_groups(rng, values_for(index), rng.integers(1, 7), 12)
        whole = [value for rows in groups for value in rows]
        expected = [twin(rows, whole) for rows in groups]
        counted = as_table(groups)
        np.testing.assert_array_equal(model.holds(counted), expected)
        compiled = compile_model(model, counted)
        own = np.arange(len(groups))
        np.testing.assert_array_equal(allowed_groups(compiled, own, len(groups)), expected)
        seen.update(expected)
    if model.required != 1.0:
        assert seen == {True, False}  # the tables try both answers


@settings(deadline=None, max_examples=150)
@given(data=st.data(), index=st.integers(0, len(EVERY) - 1))
def test_kernels_agree_with_holds_on_joined_cells(data, index):
    model, _ = EVERY[index]
    cells = data.draw(values_in_groups(values_for(index), 8, 8))
    group_of = np.array(
        data.draw(st.lists(st.integers(-1, 2), min_size=len(cells), max_size=len(cells)))
    )
    counted = as_table(cells)
    compiled = compile_model(model, counted, kept=group_of >= 0)
    found = allowed_groups(compiled, group_of, 3)
    np.testing.assert_array_equal(found, model.holds(counted.merge(group_of, 3)))


@pytest.mark.parametrize("index", range(len(EVERY)), ids=IDS)
def test_monotone_models_allow_what_two_allowed_groups_join_to(index):
    model, _ = EVERY[index]
    rng = np.random.default_rng(index)
    broken = allowed_pairs = 0
    for _ in range(150):
        groups = as_table(random_groups(rng, values_for(index), 4, 8))
        if model.holds(groups)[:2].all():
            allowed_pairs += 1
            joined = groups.merge(np.array([0, 0, 1, 2]), 3)
            broken += not model.holds(joined)[0]
    assert allowed_pairs > 0
    if model.is_monotone:
        assert broken == 0


def test_proximity_is_not_monotone():
    groups = as_table([[1, 6], [2, 5]])
    wide = Proximity(3, 2)
    assert not wide.is_monotone
    np.testing.assert_array_equal(wide.holds(as_table([[1, 5], [2, 6]])), [True, True])
    np.testing.assert_array_equal(wide.holds(as_table([[1, 5, 2, 6]])), [False])
    np.testing.assert_array_equal(wide.holds(groups), [True, False])


@pytest.mark.parametrize("index", range(len(EVERY)), ids=IDS)
def test_no_group_below_the_minimum_size_is_ever_allowed(index):
    model, _ = EVERY[index]
    rng = np.random.default_rng(index)
    for _ in range(20):
        groups = as_table(random_groups(rng, values_for(index), 5, model.minimum_size + 1))
        small = groups.sizes < model.minimum_size
        assert not model.holds(groups)[small].any()


@pytest.mark.parametrize("index", range(len(EVERY)), ids=IDS)
def test_reports_agree_with_holds(index):
    model, _ = EVERY[index]
    rng = np.random.default_rng(index)
    for _ in range(10):
        groups = as_table(random_groups(rng, values_for(index), 5, 8))
        found = check(model, groups)
        assert all(part.holds for part in found) == bool(model.holds(groups).all())
        for part, reached in zip(model.parts, found, strict=True):
            if isinstance(part, RecursiveDiversity):
                expected = reached.reached < reached.required
            elif part.larger_is_better:
                expected = reached.reached >= reached.required - 1e-9
            else:
                expected = reached.reached <= reached.required + 1e-9
            assert reached.holds == expected
        assert all(part.to_dict()["description"] for part in found)


@pytest.mark.parametrize("index", range(len(EVERY)), ids=IDS)
def test_models_survive_a_round_trip(index):
    model, _ = EVERY[index]
    assert PrivacyModel.from_dict(model.to_dict(private=True)) == model
    bound = model.bind(("s", "other"))
    assert PrivacyModel.from_dict(bound.to_dict(private=True)) == bound


@pytest.mark.parametrize("index", range(len(EVERY)), ids=IDS)
def test_groups_without_rows_are_allowed(index):
    model, _ = EVERY[index]
    groups = as_table([list(values_for(index)) * 3]).merge(np.array([1]), 3)
    assert model.holds(groups)[[0, 2]].all()
    compiled = compile_model(model, groups)
    assert allowed_groups(compiled, np.arange(3), 3)[[0, 2]].all()


@settings(deadline=None, max_examples=60)
@given(
    cells=values_in_groups(VALUES, 6, 8),
    chosen=st.lists(st.integers(0, len(MODELS) - 1), min_size=2, max_size=4),
)
def test_joined_models_hold_where_all_of_them_hold(cells, chosen):
    models = [MODELS[i][0] for i in chosen]
    both = models[0]
    for model in models[1:]:
        both = both & model
    counted = as_table(cells)
    expected = np.logical_and.reduce([model.holds(counted) for model in models])
    np.testing.assert_array_equal(both.holds(counted), expected)
    own = np.arange(len(cells))
    found = allowed_groups(compile_model(both, counted), own, len(cells))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("index", range(len(EVERY)), ids=IDS)
def test_leaving_groups_out_changes_nothing_for_models_that_judge_groups_alone(index):
    model, _ = EVERY[index]
    rng = np.random.default_rng(index)
    changed = 0
    for _ in range(60):
        groups = as_table(random_groups(rng, values_for(index), 5, 8))
        fewer = groups.merge(np.array([0, 1, 2, -1, -1]), 3)
        changed += (model.holds(fewer) != model.holds(groups)[:3]).any()
    assert (changed == 0) == model.judges_groups_alone


def test_every_registered_model_is_in_the_contract():
    covered = Counter(type(model) for model, _ in EVERY)
    projected = {model for model in REGISTERED if issubclass(model, ProjectionModel)}
    judge_groups = {model for model in REGISTERED if "rungs" not in vars(model)} - projected
    assert judge_groups - set(covered) == {DeltaPresence}  # needs a population: its own tests
    assert len(EVERY) >= 21
