import math

import numpy as np
import pytest

from shoal.anonymize.clusters import _local_problem
from shoal.anonymize.clusters._group_loss import loss_table
from shoal.anonymize.clusters._local_problem import (
    Ladder,
    cheapest_that_fit,
    make_ladder,
    thinned,
)
from shoal.schema import Schema
from shoal.tables import open_table


def coding_of(values, **column):
    schema = Schema({"c": {"role": "quasi-identifier"} | column})
    return open_table({"c": values}).compress(schema).cells.codings[0]


@pytest.mark.parametrize("n", [200, 3_000])
def test_levels_of_any_tree_cost_what_lies_below_their_nodes(n):
    coding = coding_of([f"{value:04}" for value in range(n)], hierarchy={"prefix": [1, 2, 3]})
    rows = np.ones(coding.n_codes, np.int64)
    ladder = make_ladder(coding, coding, False, rows)
    for level, (node, cost) in enumerate(zip(ladder.nodes, ladder.costs, strict=True)):
        below = np.bincount(node)[node]
        assert np.allclose(cost, (below - 1) / (n - 1)), level
    assert ladder.losses == sorted(set(ladder.losses))


def test_levels_of_ranges_cost_the_range_and_a_missing_value_all():
    coding = coding_of([*range(40), 77, None], kind="numeric", hierarchy={"intervals": [5, 20]})
    rows = np.ones(coding.n_codes, np.int64)
    ladder = make_ladder(coding, coding, True, rows)
    table, tree = loss_table(coding, True), coding.hierarchy
    for node, cost in zip(ladder.nodes, ladder.costs, strict=True):
        assert np.allclose(cost, table[tree.start[node], tree.stop[node] - 1])
    assert ladder.costs[-1][coding.missing] == 1


def ladder_of(losses):
    nodes = [np.full(3, level, np.int32) for level in range(len(losses))]
    return Ladder(nodes, [np.full(3, loss) for loss in losses], losses)


def test_levels_that_say_least_are_left_out_of_large_lattices():
    ladders = [ladder_of([0.0, 0.1, 0.11, 0.5, 1.0]), ladder_of([0.0, 0.4, 1.0]), ladder_of([0, 1])]
    thin = thinned(ladders, 18)
    assert [ladder.losses for ladder in thin] == [[0.0, 0.5, 1.0], [0.0, 0.4, 1.0], [0, 1]]
    assert [int(node[0]) for node in thin[0].nodes] == [0, 3, 4]
    assert [cost[0] for cost in thin[0].costs] == thin[0].losses
    for limit, left in ((30, 30), (8, 8), (7, 30)):  # fewer than 8 cannot be had: all are left
        assert math.prod(len(ladder.losses) for ladder in thinned(ladders, limit)) == left


def test_nodes_are_so_few_that_their_parts_fit_the_memory(monkeypatch):
    losses = [np.linspace(0, 1, 4)] * 4
    both = ([0, 1], [2, 3])
    everything, losses_of_all = cheapest_that_fit(losses, both, 1, 100)
    assert len(everything) == 256
    monkeypatch.setattr(_local_problem, "MOST_PARTS", 1_600)
    nodes, total = cheapest_that_fit(losses, both, 1, 100)
    n_halves = sum(len(np.unique(nodes[:, half], axis=0)) for half in both)
    assert n_halves * 100 <= 1_600
    assert total.max() <= np.sort(losses_of_all)[len(nodes)]
    monkeypatch.setattr(_local_problem, "MOST_PARTS", 1)
    assert len(cheapest_that_fit(losses, both, 1, 100)[0]) == 1
