import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from shoal.anonymize.clusters._group_kernels import make_groups, total_loss
from shoal.anonymize.clusters._refine_kernels import (
    absorb_cells,
    cheapest_merge,
    dissolve_groups,
    move_cells,
    repair_groups,
    split_groups,
)
from shoal.privacy.compiled._compile import allowed_groups
from tests.anonymize import group_cases
from tests.reference import groups as twin

ROOM = 40


def start(seed, model, n_rows=80):
    cells = group_cases.cells(seed, n_rows)
    columns, is_range, weights = group_cases.columns_of(cells)
    compiled = group_cases.compiled_of(group_cases.models()[model], cells)
    group_of = np.random.default_rng(seed).integers(0, 12, cells.n_groups)
    groups = make_groups(columns, compiled, cells.keys, group_of, ROOM)
    slow = group_cases.slow_groups(cells, columns, compiled, group_of, ROOM)
    return cells, groups, slow, is_range, weights


@settings(max_examples=15)
@given(seed=st.integers(0, 10_000), model=st.integers(0, 1))
def test_every_step_keeps_groups_allowed_and_never_raises_loss(seed, model):
    cells, groups, _, is_range, weights = start(seed, model)
    assert repair_groups(groups) == 0
    for step in (move_cells, dissolve_groups, move_cells, split_groups):
        before = total_loss(groups)
        spare = (int(np.flatnonzero(groups.size).max()) + 1,) if step is split_groups else ()
        step(groups, *spare)
        assert total_loss(groups) <= before + 1e-9
        assert allowed_groups(groups.compiled, groups.group_of, ROOM).all()
        slow = twin.total_loss(
            cells.keys, cells.sizes, groups.group_of, cells.codings, is_range, weights
        )
        assert total_loss(groups) == pytest.approx(slow)
        assert (groups.group_of >= 0).all()


@settings(max_examples=10)
@given(seed=st.integers(0, 10_000), model=st.integers(0, 1))
def test_every_step_does_what_its_slow_twin_does(seed, model):
    _, groups, slow, *_ = start(seed, model, 50)
    for group in np.flatnonzero(groups.size).tolist():
        assert cheapest_merge(groups, group) == slow.cheapest_merge(group)
    assert repair_groups(groups) == slow.repair()
    assert groups.group_of.tolist() == slow.group_of.tolist()
    for fast, plain in (
        (move_cells, slow.move_all),
        (dissolve_groups, slow.dissolve),
        (move_cells, slow.move_all),
    ):
        assert fast(groups) == plain()
        assert groups.group_of.tolist() == slow.group_of.tolist()
    spare = int(np.flatnonzero(groups.size).max()) + 1
    assert split_groups(groups, spare) == slow.split(spare)
    assert groups.group_of.tolist() == slow.group_of.tolist()


@pytest.mark.parametrize("seed", range(6))
def test_cells_in_no_group_are_absorbed_as_by_the_slow_twin(seed):
    cells, groups, *_ = start(seed, seed % 2)
    repair_groups(groups)
    group_of = groups.group_of.copy()
    lonely = group_of == group_of[0]
    if lonely.all():
        pytest.fail("the case should have several groups")
    group_of[lonely] = -1
    groups = make_groups(groups.columns, groups.compiled, cells.keys, group_of, ROOM)
    slow = group_cases.slow_groups(cells, groups.columns, groups.compiled, group_of, ROOM)
    assert absorb_cells(groups) == slow.absorb() == 0
    assert groups.group_of.tolist() == slow.group_of.tolist()
    assert allowed_groups(groups.compiled, groups.group_of, ROOM).all()


def test_what_cannot_be_mended_is_counted():
    cells, groups, *_ = start(2, 0)
    strict = groups._replace(compiled=groups.compiled._replace(minimum_size=cells.n_rows + 1))
    assert repair_groups(strict) == 1
