import numpy as np
import pytest

from shoal.anonymize.clusters._group_kernels import make_groups, total_loss
from shoal.anonymize.clusters._group_loss import pair_loss
from shoal.anonymize.clusters._rebuild_kernels import near_groups, rebuild_groups
from shoal.anonymize.clusters._refine_kernels import repair_groups
from shoal.privacy.compiled._compile import allowed_groups
from tests.anonymize import group_cases
from tests.reference import groups as twin

ROOM = 40


def start(seed, model):
    cells = group_cases.cells(seed, 90)
    columns, is_range, weights = group_cases.columns_of(cells)
    compiled = group_cases.compiled_of(group_cases.models()[model], cells)
    group_of = np.random.default_rng(seed).integers(0, 12, cells.n_groups)
    groups = make_groups(columns, compiled, cells.keys, group_of, ROOM)
    repair_groups(groups)
    return cells, groups, is_range, weights


def slow_near(groups, group, wanted):
    least = max(1, groups.compiled.minimum_size)
    costs = {}
    for other in np.flatnonzero(groups.size).tolist():
        if other == group:
            continue
        lent = min(int(groups.size[other]), least)
        low = np.minimum(groups.low[group], groups.low[other])
        high = np.maximum(groups.high[group], groups.high[other])
        loss = sum(pair_loss(groups.columns, j, low[j], high[j]) for j in range(len(low)))
        costs[other] = (groups.size[group] + lent) * loss - lent * groups.loss[other]
    return [group, *sorted(costs, key=lambda other: round(costs[other], 9))[: wanted - 1]], costs


@pytest.mark.parametrize("model", [0, 1])
@pytest.mark.parametrize("seed", range(4))
def test_building_anew_keeps_groups_allowed_and_lowers_the_loss(seed, model):
    cells, groups, is_range, weights = start(seed, model)
    before = total_loss(groups)
    kept = rebuild_groups(groups, 3, 3, 10**9, 1)
    after = total_loss(groups)
    assert kept > 0
    assert after < before - 1e-9
    assert (groups.group_of >= 0).all()
    assert allowed_groups(groups.compiled, groups.group_of, ROOM).all()
    keys, sizes = cells.keys, cells.sizes
    slow = twin.total_loss(keys, sizes, groups.group_of, cells.codings, is_range, weights)
    assert after == pytest.approx(slow)


@pytest.mark.parametrize("seed", range(3))
def test_the_nearest_groups_are_those_of_the_slow_twin(seed):
    _, groups, *_ = start(20 + seed, 0)
    near, rise = np.empty(4, np.int64), np.empty(4)
    for group in np.flatnonzero(groups.size).tolist():
        n = near_groups(groups, group, near, rise)
        slow, costs = slow_near(groups, group, 4)
        assert n == len(slow)
        assert near[0] == group
        fast = [costs[other] for other in near[1:n].tolist()]
        assert fast == pytest.approx([costs[other] for other in slow[1:]])


def test_without_a_budget_nothing_changes():
    _, groups, *_ = start(3, 0)
    before = groups.group_of.copy()
    assert rebuild_groups(groups, 3, 3, -1, 1) == 0
    assert (groups.group_of == before).all()
