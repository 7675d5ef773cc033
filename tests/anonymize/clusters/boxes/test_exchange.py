from functools import partial

import numpy as np
import pytest

from shoal.anonymize.clusters import _improve, _local_solver
from shoal.anonymize.clusters._improve import effort_of
from shoal.anonymize.clusters._local_problem import make_local_problem
from shoal.anonymize.clusters._local_solver import _exchanged
from shoal.anonymize.clusters._refine_kernels import open_groups
from shoal.anonymize.clusters._starts import all_allowed, by_walk
from shoal.anonymize.clusters.boxes import _exchange
from shoal.anonymize.clusters.boxes._exchange import (
    Exchanged,
    exchange,
    make_boxes,
)
from tests.anonymize import group_cases
from tests.reference.partitions import least_loss


@pytest.fixture
def large(monkeypatch):
    """From how many rows on a group is large: here all are."""
    monkeypatch.setattr(_improve, "_LARGE", 1)
    monkeypatch.setattr(_improve, "_LOOKS_OF_A_CELL", 1_000)


def problem_of(seed, model, n=120, ranges=False):
    cells = group_cases.cells(seed, n)
    compiled = group_cases.compiled_of(group_cases.models()[model], cells)
    _, is_range, weights = group_cases.columns_of(cells, ranges)
    return make_local_problem(cells, cells.codings, is_range, weights, compiled)


def boxes_of(problem, group_of):
    """The boxes of a grouping, and the problem with cells in the order that boxes have them in."""
    boxes, order = make_boxes(problem, group_of)
    return problem.take(order), boxes


def walked(problem):
    groups, loss = opened(problem, by_walk(problem, np.inf)[0], settles=True)
    return Exchanged(groups.group_of, loss)


def opened(problem, group_of, *, settles=False):
    return open_groups(problem.loss, problem.compiled, problem.keys, group_of, settles)


@pytest.mark.parametrize("ranges", [False, True])
@pytest.mark.parametrize("model", [0, 1])
@pytest.mark.usefixtures("large")
def test_exchanging_never_loses_more_and_keeps_every_group_allowed(model, ranges):
    gained = 0
    for seed in range(6):
        problem = problem_of(seed, model, ranges=ranges)
        before = walked(problem)
        after = exchange(problem, before, np.inf)
        number = np.unique(after.group_of, return_inverse=True)[1]
        assert after.loss <= before.loss
        assert after.loss == pytest.approx(opened(problem, number)[1])
        assert all_allowed(problem, after.group_of)
        gained += after.loss < before.loss - 1e-9
    assert gained >= 1


@pytest.mark.usefixtures("large")
def test_exchanging_small_tables_is_never_below_the_optimum_and_reaches_it():
    reached = 0
    for seed in range(8):
        problem = problem_of(200 + seed, 0, n=8)
        after = exchange(problem, walked(problem), np.inf)

        def loss_of(keys, problem=problem):
            alone, _ = make_boxes(problem.take(_rows_of(problem, keys)), np.zeros(len(keys), int))
            return float(alone.places.loss[0])

        sizes = problem.compiled.sizes
        optimum = least_loss(problem.keys, sizes, 3, loss_of)
        assert after.loss >= optimum - 1e-9
        reached += after.loss <= optimum + 1e-9
    assert reached >= 1


def _rows_of(problem, keys):
    wanted = {tuple(key) for key in keys.tolist()}
    return np.array([n for n, key in enumerate(problem.keys.tolist()) if tuple(key) in wanted])


@pytest.mark.usefixtures("large")
def test_exchanging_is_the_same_every_time():
    problem = problem_of(1, 0)
    once, again = (exchange(problem, walked(problem), np.inf) for _ in range(2))
    assert (once.group_of == again.group_of).all()


@pytest.mark.usefixtures("large")
def test_how_many_threads_there_are_changes_nothing(monkeypatch):
    problem = problem_of(1, 1)
    first, found = walked(problem), []
    for threads in (1, 2):
        monkeypatch.setattr(_exchange, "n_threads", lambda threads=threads: threads)
        found.append(exchange(problem, first, np.inf))
    assert (found[0].group_of == found[1].group_of).all()


@pytest.mark.usefixtures("large")
def test_the_better_of_two_searches_is_taken_and_neither_disturbs_the_other():
    ahead = set()
    for seed in range(8):
        problem = problem_of(seed, 0)
        first = walked(problem)
        number = np.unique(first.group_of, return_inverse=True)[1]
        heats = np.array([_exchange._HEAT, _exchange._COOLED]) * first.loss / (number.max() + 1)
        looks = effort_of(problem).looks
        search = partial(_exchange._search, problem, number, looks, heats, np.inf, np.inf)
        alone = [search(np.arange(len(number)), own)[1].loss for own in (1, 2)]
        assert exchange(problem, first, np.inf).loss == pytest.approx(min(*alone, first.loss))
        ahead |= {alone[0] < alone[1], alone[0] > alone[1]}
    assert ahead == {True, False}


@pytest.mark.parametrize("model", [0, 1])
@pytest.mark.usefixtures("large")
def test_many_groups_are_searched_in_parts(monkeypatch, model):
    monkeypatch.setattr(_exchange, "_MOST_BOXES", 8)
    gained = 0
    for seed in range(4):
        problem = problem_of(seed, model)
        first = walked(problem)
        assert len(np.unique(first.group_of)) > 8
        after = exchange(problem, first, np.inf)
        assert after.loss <= first.loss
        assert after.loss == pytest.approx(total_loss_of(problem, after.group_of))
        assert all_allowed(problem, after.group_of)
        gained += after.loss < first.loss - 1e-9
    assert gained >= 1


@pytest.mark.usefixtures("large")
def test_without_time_the_first_grouping_stays():
    problem = problem_of(1, 0)
    first = walked(problem)
    assert exchange(problem, first, -np.inf) is first


@pytest.mark.usefixtures("large")
def test_columns_with_many_values_are_looked_at_cell_by_cell(monkeypatch):
    problem = problem_of(2, 0)
    by_masks = exchange(problem, walked(problem), np.inf)
    monkeypatch.setattr(_exchange, "_MOST_CODES", 4)
    one_by_one = exchange(problem, walked(problem), np.inf)
    assert one_by_one.loss <= walked(problem).loss
    assert all_allowed(problem, one_by_one.group_of)
    assert by_masks.loss <= walked(problem).loss


@pytest.mark.usefixtures("large")
def test_small_groups_of_few_cells_are_not_exchanged(monkeypatch):
    problem = problem_of(1, 0)
    assert 0 < effort_of(problem).looks <= _improve.MOST_LOOKS
    monkeypatch.setattr(_improve, "_LARGE", 50)
    assert effort_of(problem).looks == 0
    first = walked(problem)
    assert exchange(problem, first, np.inf) is first
    monkeypatch.setattr(_improve, "_FEW_CELLS", len(problem.keys) - 1)
    assert effort_of(problem).looks > 0


@pytest.mark.usefixtures("large")
def test_the_solver_leaves_what_is_not_allowed_alone(monkeypatch):
    problem = problem_of(1, 0)
    first = walked(problem)
    assert total_loss_of(problem, _exchanged(problem, first.group_of, np.inf)) <= first.loss + 1e-9
    alone = np.arange(len(first.group_of))  # cells of one row, and no group may be so small
    assert _exchanged(problem, alone, np.inf) is alone
    monkeypatch.setattr(
        _local_solver, "all_allowed", lambda problem, group_of: group_of is first.group_of
    )
    assert _exchanged(problem, first.group_of, np.inf) is first.group_of


def total_loss_of(problem, group_of):
    number = np.unique(group_of, return_inverse=True)[1]
    return opened(problem, number)[1]


@pytest.mark.usefixtures("large")
def test_a_long_search_never_loses_more_than_where_it_began():
    gained = 0
    for seed in range(6):
        problem = problem_of(40 + seed, 0, ranges=True)
        first = exchange(problem, walked(problem), np.inf)
        long = exchange(problem, first, np.inf, share=10)
        assert long.loss <= first.loss
        assert all_allowed(problem, long.group_of)
        gained += long.loss < first.loss - 1e-9
    assert gained >= 1
