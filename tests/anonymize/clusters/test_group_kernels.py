import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from shoal.anonymize.clusters._group_kernels import (
    added_loss,
    allowed_with,
    allowed_without,
    cheapest_group,
    index_groups,
    join,
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
    rules = group_cases.rules_of(group_cases.models()[model], cells)
    group_of = np.random.default_rng(seed).integers(0, n_groups, cells.n_groups)
    groups = make_groups(columns, rules, cells.keys, group_of, n_groups)

    def slow():
        return twin.total_loss(
            cells.keys, cells.sizes, groups.group_of, cells.codings, is_range, weights
        )

    return columns, rules, groups, slow


@settings(max_examples=20)
@given(seed=seeds)
def test_loss_follows_cells_that_leave_and_join(seed):
    columns, rules, groups, slow = problem(seed)
    rng = np.random.default_rng(seed)
    for cell in rng.integers(0, len(groups.keys), 15):
        leave(columns, rules, groups, cell)
        target = int(rng.integers(0, len(groups.size)))
        before = total_loss(groups)
        raised = added_loss(columns, rules, groups, cell, target)
        join(columns, rules, groups, cell, target)
        assert total_loss(groups) == pytest.approx(slow())
        assert total_loss(groups) - before == pytest.approx(raised)
    assert groups.size.sum() == rules.sizes.sum()


@settings(max_examples=20)
@given(seed=seeds, model=st.integers(0, 1))
def test_allowed_is_what_the_rules_say_after_the_move(seed, model):
    _, rules, groups, _ = problem(seed, model, n_groups=9)
    for cell in range(len(groups.keys)):
        own = groups.group_of[cell]
        alone = groups.group_of.copy()
        alone[cell] = -1
        assert allowed_without(rules, groups, cell) == allowed_groups(rules, alone, 9)[own]
        target = (own + 1) % 9
        moved = groups.group_of.copy()
        moved[cell] = target
        assert allowed_with(rules, groups, cell, target) == allowed_groups(rules, moved, 9)[target]


@settings(max_examples=20)
@given(seed=seeds, model=st.integers(0, 1))
def test_the_cheapest_group_is_the_cheapest_of_all(seed, model):
    columns, rules, groups, _ = problem(seed, model)
    if not allowed_groups(rules, groups.group_of, len(groups.size)).all():
        return  # the search relies on groups of at least the minimum size
    index = index_groups(columns, groups)
    for cell in range(len(groups.keys)):
        own = groups.group_of[cell]
        leave(columns, rules, groups, cell)
        costs = {
            group: added_loss(columns, rules, groups, cell, group)
            for group in range(len(groups.size))
            if group != own and allowed_with(rules, groups, cell, group)
        }
        found, raised = cheapest_group(columns, rules, groups, index, cell, own, np.inf)
        assert (found in costs) if costs else (found == -1)
        if costs:
            assert raised == pytest.approx(min(costs.values()))
        join(columns, rules, groups, cell, own)
