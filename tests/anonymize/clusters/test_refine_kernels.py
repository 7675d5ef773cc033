import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from shoal.anonymize.clusters._group_kernels import make_groups, total_loss
from shoal.anonymize.clusters._rebuild_kernels import rebuild_groups
from shoal.anonymize.clusters._refine_kernels import (
    DISSOLVE,
    MOVE,
    REBUILD,
    SPLIT,
    absorb_cells,
    cheapest_merge,
    dissolve_groups,
    move_cells,
    open_groups,
    refine_step,
    repair_groups,
    split_groups,
)
from shoal.privacy import KAnonymity
from shoal.privacy.compiled._compile import allowed_groups
from shoal.tables import open_table
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


@pytest.mark.parametrize(("n_dearer", "given_up"), [(63, 1), (64, 0)])
def test_after_many_groups_that_are_better_kept_no_others_are_tried(n_dearer, given_up):
    dearer = [[*range(1_000 * i, 1_000 * i + 6)] for i in range(1, n_dearer + 1)]
    ages = [*dearer, [99, 101], [107, 109], [100, 108]]  # of the last, each fits into another one
    people = [age for own in ages for age in own]
    same = {"city": "a", "grade": "low", "s": "x"}
    table = {"age": people} | {name: [value] * len(people) for name, value in same.items()}
    cells = open_table(table).compress(group_cases.SCHEMA).cells
    columns, *_ = group_cases.columns_of(cells)
    compiled = group_cases.compiled_of(KAnonymity(2), cells)
    group_of_age = {age: group for group, own in enumerate(ages) for age in own}
    texts = cells.codings[0].texts
    group_of = np.array([group_of_age[int(texts[code])] for code in cells.keys[:, 0]])
    groups = make_groups(columns, compiled, cells.keys, group_of, len(ages))
    assert dissolve_groups(groups) == given_up
    assert (groups.size[-1] == 0) == bool(given_up)


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


@pytest.mark.parametrize("seed", range(4))
def test_groups_are_opened_with_room_and_settled_as_by_the_slow_twin(seed):
    cells, groups, *_ = start(seed, seed % 2)
    group_of = np.where(groups.group_of % 3 == 0, -1, groups.group_of)
    given = groups.columns, groups.compiled, cells.keys
    as_given, loss = open_groups(*given, group_of, False)
    n_groups = int(group_of.max()) + 1
    assert as_given.group_of.tolist() == group_of.tolist()
    assert len(as_given.size) == max(2 * n_groups, n_groups + 8)
    assert loss == total_loss(as_given)
    slow = group_cases.slow_groups(cells, *given[:2], group_of, len(as_given.size))
    assert slow.absorb() == 0
    slow.repair()
    settled, loss = open_groups(*given, group_of, True)
    assert settled.group_of.tolist() == slow.group_of.tolist()
    assert loss == total_loss(settled)
    nowhere, _ = open_groups(*given, np.full(cells.n_groups, -1), True)
    assert set(nowhere.group_of.tolist()) == {0}


@pytest.mark.parametrize("seed", range(4))
def test_the_steps_of_a_round_are_the_kernels_by_their_numbers(seed):
    _, groups, *_ = start(seed, seed % 2)
    repair_groups(groups)
    given = groups.columns, groups.compiled, groups.keys
    one, other = (make_groups(*given, groups.group_of, ROOM) for _ in range(2))
    for step in (DISSOLVE, MOVE, SPLIT, REBUILD):
        if step == DISSOLVE:
            dissolve_groups(other)
        elif step == MOVE:
            move_cells(other)
        elif step == SPLIT:
            split_groups(other, int(np.flatnonzero(other.size).max()) + 1)
        else:
            rebuild_groups(other, 3, 2, 100_000, 1)
        assert refine_step(one, step, 3, 2, 100_000, 1) == total_loss(other)
        assert one.group_of.tolist() == other.group_of.tolist()
