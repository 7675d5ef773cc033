import math

import numpy as np
import pytest

from shoal.anonymize.clusters import _local_problem
from shoal.anonymize.clusters._group_loss import loss_table
from shoal.anonymize.clusters._local_problem import (
    Ladder,
    cheapest_that_fit,
    make_ladder,
    make_lattice,
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


@pytest.mark.parametrize("threads", [1, 3])
def test_cells_are_in_one_part_of_a_half_where_they_lie_below_the_same_nodes(monkeypatch, threads):
    monkeypatch.setattr(_local_problem, "WORTH_A_THREAD", 0)
    monkeypatch.setattr(_local_problem, "n_threads", lambda: threads)
    draw = np.random.default_rng(0)
    ladders = [
        Ladder([np.arange(8) // 2**level * 5 for level in range(n)], [], [*map(float, range(n))])
        for n in (4, 3, 4, 2, 3)
    ]
    keys = draw.integers(0, 8, (300, 5)).astype(np.int32)
    lattice = make_lattice(ladders, keys, [0] * 5)
    parts = lattice.first_part, lattice.second_part
    halves = zip(lattice.levels.tolist(), lattice.first, lattice.second, strict=True)
    for levels, first, second in halves:
        codes = [ladder.nodes[level] for ladder, level in zip(ladders, levels, strict=True)]
        above = np.column_stack([code[key] for code, key in zip(codes, keys.T, strict=True)])
        alike = np.unique(above, axis=0, return_inverse=True)[1].ravel()
        pairs = np.column_stack([parts[0][first], parts[1][second]])
        own = np.unique(pairs, axis=0, return_inverse=True)[1].ravel()
        assert len(set(zip(alike, own, strict=True))) == alike.max() + 1 == own.max() + 1
    for part in parts:
        for row in part:  # as they appear
            first_seen = np.sort(np.unique(row, return_index=True)[1])
            assert row[first_seen].tolist() == list(range(len(first_seen)))
    assert lattice.n_second.tolist() == (lattice.second_part.max(axis=1) + 1).tolist()
