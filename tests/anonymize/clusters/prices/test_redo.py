import numpy as np
import pytest

from shoal.anonymize.clusters._group_kernels import total_loss
from shoal.anonymize.clusters._improve import settle
from shoal.anonymize.clusters._local_problem import make_local_problem
from shoal.anonymize.clusters._local_solver import _redone
from shoal.anonymize.clusters._starts import FirstGroups, all_allowed, by_walk, open_groups
from shoal.anonymize.clusters.prices import _redo
from shoal.anonymize.clusters.prices._redo import Redone, dearest, keep_cheap, redo_dearest
from tests.anonymize import group_cases


@pytest.fixture
def large(monkeypatch):
    """From how many rows on a group is large: here all are."""
    monkeypatch.setattr(_redo, "_LARGE", 1)


def problem_of(seed, model, n=120):
    cells = group_cases.cells(seed, n)
    compiled = group_cases.compiled_of(group_cases.models()[model], cells)
    nodes = np.zeros(3, np.bool_)
    return make_local_problem(cells, cells.codings, nodes, np.ones(3), compiled)


def walked(problem):
    return settle(open_groups(problem, by_walk(problem, np.inf)[0]))


def redone(problem, groups, deadline=np.inf):
    def finish(group_of):
        return settle(open_groups(problem, group_of))

    first = Redone(groups.group_of, total_loss(groups))
    return redo_dearest(
        problem, first, finish, lambda group_of: all_allowed(problem, group_of), deadline
    )


@pytest.mark.parametrize("model", [0, 1])
@pytest.mark.usefixtures("large")
def test_redoing_never_loses_more_and_keeps_every_group_allowed(model):
    gained = 0
    for seed in range(6):
        problem = problem_of(seed, model)
        groups = walked(problem)
        before = total_loss(groups)
        after = redone(problem, groups)
        assert after.loss <= before
        assert after.loss == pytest.approx(total_loss(open_groups(problem, after.group_of)))
        assert all_allowed(problem, after.group_of)
        assert (after.group_of >= 0).all()
        gained += after.loss < before - 1e-9
    assert gained >= 1


@pytest.mark.usefixtures("large")
def test_redoing_is_the_same_every_time_and_with_any_number_of_threads(monkeypatch):
    problem = problem_of(1, 0)
    once = redone(problem, walked(problem))
    monkeypatch.setenv("SHOAL_THREADS", "1")
    again = redone(problem, walked(problem))
    assert (once.group_of == again.group_of).all()


@pytest.mark.usefixtures("large")
def test_without_time_the_first_grouping_stays():
    problem = problem_of(1, 0)
    groups = walked(problem)
    assert (redone(problem, groups, deadline=-np.inf).group_of == groups.group_of).all()


@pytest.mark.parametrize(("name", "value"), [("_MOST_GROUPS", 1), ("_LARGE", 50)])
@pytest.mark.usefixtures("large")
def test_small_groups_and_many_groups_are_not_redone(monkeypatch, name, value):
    problem = problem_of(1, 0)
    assert 0 < _redo.redo_rounds(problem) <= 12
    monkeypatch.setattr(_redo, name, value)
    assert _redo.redo_rounds(problem) == 0


@pytest.mark.parametrize("seed", range(5))
def test_the_dearest_groups_hold_the_share_and_no_cheaper_one_is_among_them(seed):
    rng = np.random.default_rng(seed)
    rows, loss = rng.integers(1, 9, 12), rng.integers(0, 5, 12) / 2
    for share in (0.01, 0.4, 1.0):
        dear = dearest(rows, loss, share)
        assert dear.sum() >= 2
        assert rows[dear].sum() >= share * rows.sum()
        assert loss[dear].min() >= loss[~dear].max(initial=-1)
        if dear.sum() > 2:  # one fewer would not hold it
            assert rows[dear].sum() - rows[dear].max() < share * rows.sum()


def test_cheap_groups_are_kept_as_they_are():
    problem = problem_of(2, 0)
    groups = walked(problem)
    kept, above = keep_cheap(groups, 0.3)
    gone = kept < 0
    assert 0 < gone.sum() < len(gone)
    loss = groups.loss[groups.group_of]
    assert loss[gone].min() >= loss[~gone].max()
    assert above == pytest.approx(0.8 * loss[gone].min())
    pairs = set(zip(groups.group_of[~gone].tolist(), kept[~gone].tolist(), strict=True))
    assert len(pairs) == len({old for old, _ in pairs}) == len({new for _, new in pairs})


@pytest.mark.usefixtures("large")
def test_the_solver_redoes_what_generalizations_found_and_leaves_regions_alone():
    changed = 0
    for seed in range(6):
        problem = problem_of(seed, 0)
        groups = walked(problem)
        start = FirstGroups("walk", groups.group_of, True, total_loss(groups), True)
        changed += _redone(problem, start, np.inf) is not start.group_of
        for other in (start._replace(name="regions"), start._replace(is_allowed=False)):
            assert _redone(problem, other, np.inf) is other.group_of
    assert changed >= 1
