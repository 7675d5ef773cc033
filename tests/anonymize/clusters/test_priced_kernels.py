from collections import defaultdict

import numpy as np
import pytest

from shoal.anonymize.clusters import _local_problem, _starts
from shoal.anonymize.clusters._local_problem import make_local_problem
from shoal.anonymize.clusters._priced_kernels import (
    make_part_table,
    node_value,
    number_pairs,
)
from shoal.anonymize.clusters._starts import by_price, price_nodes
from shoal.privacy.compiled._compile import allowed_groups
from tests.anonymize import group_cases


def problem_of(seed, model=0):
    cells = group_cases.cells(seed, 120)
    compiled = group_cases.compiled_of(group_cases.models()[model], cells)
    n_columns = len(cells.codings)
    nodes_alone = np.zeros(n_columns, np.bool_)
    return make_local_problem(cells, cells.codings, nodes_alone, np.ones(n_columns), compiled)


def slow_value(problem, levels, listed, least, price):
    rows, cost = defaultdict(int), {}
    for cell in listed:
        key = tuple(
            int(ladder.nodes[level][code])
            for ladder, level, code in zip(problem.ladders, levels, problem.keys[cell], strict=True)
        )
        rows[key] += int(problem.compiled.sizes[cell])
        cost[key] = sum(
            ladder.costs[level][code]
            for ladder, level, code in zip(problem.ladders, levels, problem.keys[cell], strict=True)
        )
    large = [key for key in rows if rows[key] >= 0.7 * least]
    worth = [key for key in large if rows[key] >= least and cost[key] < price]
    value = sum(rows[key] * (price - cost[key]) for key in worth)
    return value, min((cost[key] for key in large), default=np.inf)


@pytest.mark.parametrize("seed", range(3))
def test_a_node_is_worth_what_its_slow_twin_says(seed):
    problem = problem_of(seed)
    nodes, _ = price_nodes(problem.ladders, problem.keys, problem.compiled.sizes)
    listed = np.arange(0, len(problem.keys), 2)
    table = make_part_table(len(listed))
    for node in range(0, len(nodes.levels), 3):
        for price in (0.3, 1.1):
            fast = node_value(nodes, node, listed, 4.0, price, table)
            slow = slow_value(problem, nodes.levels[node], listed, 4.0, price)
            assert fast == pytest.approx(slow)


@pytest.mark.parametrize("model", [0, 1])
def test_groups_are_allowed_and_look_alike(model):
    problem = problem_of(7, model)
    group_of, in_time = by_price(problem, np.inf)
    assert in_time
    n_groups = int(group_of.max()) + 1
    assert n_groups > 3
    assert allowed_groups(problem.compiled, group_of, n_groups).all()
    again, _ = by_price(problem, np.inf)
    assert (group_of == again).all()


def test_however_many_threads_weigh_the_nodes_the_groups_are_the_same(monkeypatch):
    problem = problem_of(7)
    alone, _ = by_price(problem, np.inf)
    monkeypatch.setattr(_local_problem, "WORTH_A_THREAD", 0)
    monkeypatch.setattr(_local_problem, "n_threads", lambda: 3)
    monkeypatch.setattr(_starts, "n_threads", lambda: 3)
    together, _ = by_price(problem, np.inf)
    assert (alone == together).all()


@pytest.mark.parametrize("n_other", [3, 2**30])
def test_pairs_are_numbered_as_they_appear(n_other):
    one, other = np.array([4, 1, 4, 1, 1], np.int32), np.array([2, 0, 2, 2, 0], np.int32)
    number = np.empty(5, np.int32)
    assert number_pairs(one, 5, other, n_other, number) == 3
    assert number.tolist() == [0, 1, 0, 2, 1]
