from collections import defaultdict

import numpy as np
import pytest

from shoal.anonymize.clusters._local_plan import make_ladder
from shoal.anonymize.clusters.prices import _priced
from shoal.anonymize.clusters.prices._priced import make_lattice, priced_groups
from shoal.anonymize.clusters.prices._priced_kernels import (
    make_part_table,
    node_value,
    number_words,
)
from shoal.privacy.compiled._compile import allowed_groups
from tests.anonymize import group_cases


def problem(seed, model=0):
    cells = group_cases.cells(seed, 120)
    ladders = [
        make_ladder(coding, coding, False, np.bincount(codes, minlength=coding.n_codes))
        for coding, codes in zip(cells.codings, cells.keys.T, strict=True)
    ]
    compiled = group_cases.compiled_of(group_cases.models()[model], cells)
    return cells, ladders, compiled


def slow_value(cells, ladders, levels, listed, least, price):
    rows, cost = defaultdict(int), {}
    for cell in listed:
        key = tuple(
            int(ladder.nodes[level][code])
            for ladder, level, code in zip(ladders, levels, cells.keys[cell], strict=True)
        )
        rows[key] += int(cells.sizes[cell])
        cost[key] = sum(
            ladder.costs[level][code]
            for ladder, level, code in zip(ladders, levels, cells.keys[cell], strict=True)
        )
    large = [key for key in rows if rows[key] >= 0.7 * least]
    worth = [key for key in large if rows[key] >= least and cost[key] < price]
    value = sum(rows[key] * (price - cost[key]) for key in worth)
    return value, min((cost[key] for key in large), default=np.inf)


@pytest.mark.parametrize("seed", range(3))
def test_a_node_is_worth_what_its_slow_twin_says(seed):
    cells, ladders, compiled = problem(seed)
    nodes = make_lattice(ladders, cells.keys, compiled).nodes
    listed = np.arange(0, cells.n_groups, 2)
    table = make_part_table(len(listed))
    for node in range(0, len(nodes.levels), 3):
        for price in (0.3, 1.1):
            fast = node_value(nodes, node, listed, 4.0, price, table)
            slow = slow_value(cells, ladders, nodes.levels[node], listed, 4.0, price)
            assert fast == pytest.approx(slow)


@pytest.mark.parametrize("model", [0, 1])
def test_groups_are_allowed_and_look_alike(model):
    cells, ladders, compiled = problem(7, model)
    group_of, in_time = priced_groups(ladders, cells.keys, compiled, np.inf)
    assert in_time
    n_groups = int(group_of.max()) + 1
    assert n_groups > 3
    assert allowed_groups(compiled, group_of, n_groups).all()
    again, _ = priced_groups(ladders, cells.keys, compiled, np.inf)
    assert (group_of == again).all()


def test_however_many_threads_weigh_the_nodes_the_groups_are_the_same(monkeypatch):
    cells, ladders, compiled = problem(7)
    alone, _ = priced_groups(ladders, cells.keys, compiled, np.inf)
    monkeypatch.setattr(_priced, "_WORTH_A_THREAD", 0)
    monkeypatch.setattr(_priced, "n_threads", lambda: 3)
    together, _ = priced_groups(ladders, cells.keys, compiled, np.inf)
    assert (alone == together).all()


def test_words_are_numbered_as_they_appear():
    words = np.array([7, 3, 7, 2**60, 3])
    number = np.empty(5, np.int32)
    assert number_words(words, number) == 3
    assert number.tolist() == [0, 1, 0, 2, 1]
