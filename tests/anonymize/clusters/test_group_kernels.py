import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from shoal.anonymize.clusters._group_kernels import (
    added_loss,
    allowed_with,
    allowed_without,
    join,
    label_without,
    leave,
    make_groups,
    total_loss,
)
from shoal.privacy.compiled._compile import allowed_groups
from tests.anonymize import group_cases
from tests.reference import groups as twin

seeds = st.integers(0, 10_000)


def problem(seed, model=0, n_groups=6):
    cells = group_cases.cells(seed, 40)
    columns, is_range, weights = group_cases.columns_of(cells)
    compiled = group_cases.compiled_of(group_cases.models()[model], cells)
    group_of = np.random.default_rng(seed).integers(0, n_groups, cells.n_groups)
    groups = make_groups(columns, compiled, cells.keys, group_of, n_groups)

    def slow():
        return twin.total_loss(
            cells.keys, cells.sizes, groups.group_of, cells.codings, is_range, weights
        )

    return groups, slow


@settings(max_examples=20)
@given(seed=seeds)
def test_loss_follows_cells_that_leave_and_join(seed):
    groups, slow = problem(seed)
    rng = np.random.default_rng(seed)
    for cell in rng.integers(0, len(groups.keys), 15):
        leave(groups, cell)
        target = int(rng.integers(0, len(groups.size)))
        before = total_loss(groups)
        raised = added_loss(groups, cell, target)
        join(groups, cell, target)
        assert total_loss(groups) == pytest.approx(slow())
        assert total_loss(groups) - before == pytest.approx(raised)
    assert groups.size.sum() == groups.compiled.sizes.sum()


@settings(max_examples=20)
@given(seed=seeds)
def test_the_label_without_a_cell_is_that_of_the_others(seed):
    groups, _ = problem(seed)
    low, high = np.empty(3, np.int32), np.empty(3, np.int32)
    for cell in range(len(groups.keys)):
        others = np.flatnonzero(groups.group_of == groups.group_of[cell])
        others = others[others != cell]
        loss = label_without(groups, groups.group_of[cell], cell, low, high)
        if not len(others):
            assert loss == 0
            continue
        assert low.tolist() == groups.keys[others].min(axis=0).tolist()
        assert high.tolist() == groups.keys[others].max(axis=0).tolist()
        alone = make_groups(
            groups.columns, groups.compiled, groups.keys,
            np.where(np.isin(np.arange(len(groups.keys)), others), 0, -1), 1,
        )  # fmt: skip
        assert loss == alone.loss[0]


@settings(max_examples=20)
@given(seed=seeds, model=st.integers(0, 1))
def test_allowed_is_what_the_model_says_after_the_move(seed, model):
    groups, _ = problem(seed, model, n_groups=9)
    compiled = groups.compiled
    for cell in range(len(groups.keys)):
        own = groups.group_of[cell]
        alone = groups.group_of.copy()
        alone[cell] = -1
        assert allowed_without(groups, cell) == allowed_groups(compiled, alone, 9)[own]
        target = (own + 1) % 9
        moved = groups.group_of.copy()
        moved[cell] = target
        assert allowed_with(groups, cell, target) == allowed_groups(compiled, moved, 9)[target]
