import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from shoal.anonymize.clusters._group_kernels import make_groups, total_loss
from shoal.anonymize.clusters._refine_kernels import (
    absorb_cells,
    dissolve_groups,
    move_cells,
    repair_groups,
    split_groups,
)
from shoal.privacy.compiled._compile import allowed_groups
from tests.anonymize import group_cases
from tests.reference import groups as twin


def start(seed, model):
    cells = group_cases.cells(seed, 80)
    columns, is_range, weights = group_cases.columns_of(cells)
    rules = group_cases.rules_of(group_cases.models()[model], cells)
    group_of = np.random.default_rng(seed).integers(0, 12, cells.n_groups)
    groups = make_groups(columns, rules, cells.keys, group_of, 40)
    return cells, columns, rules, groups, is_range, weights


@settings(max_examples=15)
@given(seed=st.integers(0, 10_000), model=st.integers(0, 1))
def test_every_step_keeps_groups_allowed_and_never_raises_loss(seed, model):
    cells, columns, rules, groups, is_range, weights = start(seed, model)
    assert repair_groups(columns, rules, groups) == 0
    for step in (move_cells, dissolve_groups, move_cells, split_groups):
        before = total_loss(groups)
        spare = (int(np.flatnonzero(groups.size).max()) + 1,) if step is split_groups else ()
        step(columns, rules, groups, *spare)
        assert total_loss(groups) <= before + 1e-9
        assert allowed_groups(rules, groups.group_of, 40).all()
        slow = twin.total_loss(
            cells.keys, cells.sizes, groups.group_of, cells.codings, is_range, weights
        )
        assert total_loss(groups) == pytest.approx(slow)
        assert (groups.group_of >= 0).all()


def test_cells_in_no_group_are_absorbed():
    cells, columns, rules, groups, *_ = start(1, 0)
    repair_groups(columns, rules, groups)
    group_of = groups.group_of.copy()
    lonely = np.flatnonzero(group_of == group_of[0])
    others = group_of != group_of[0]
    if not others.any():
        pytest.fail("the case should have several groups")
    group_of[lonely] = -1
    groups = make_groups(columns, rules, cells.keys, group_of, 40)
    assert absorb_cells(columns, rules, groups) == 0
    assert (groups.group_of >= 0).all()
    assert allowed_groups(rules, groups.group_of, 40).all()


def test_what_cannot_be_mended_is_counted():
    cells, columns, rules, groups, *_ = start(2, 0)
    strict = rules._replace(minimum_size=cells.n_rows + 1)
    assert repair_groups(columns, strict, groups) == 1
