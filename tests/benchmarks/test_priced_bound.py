from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np
import pytest

from benchmarks._bound_kernels import weigh_boxes
from benchmarks._iterated import levels_of
from benchmarks._priced_bound import (
    Boxes,
    _list_boxes,
    make_halves,
    priced_bound,
    weigh_all,
)
from shoal.anonymize.cuts._grown_hierarchies import grow_hierarchies
from tests.anonymize import group_cases
from tests.reference.partitions import least_loss

K = 3


class Lattice(NamedTuple):
    """Every node of every column, for each cell, as lists."""

    part: list
    loss: list
    sizes: np.ndarray

    def nodes(self):
        return product(*(range(len(column)) for column in self.part))


def lattice_of(seed, n):
    cells = grow_hierarchies(group_cases.cells(seed, n), None, K)
    return cells, Lattice(*levels_of(cells), np.asarray(cells.sizes))


def label_loss_of(lattice, members):
    """What a row loses in the smallest box around some cells."""
    return sum(
        min(
            loss[members[0]]
            for part, loss in zip(parts, losses, strict=True)
            if (part[members] == part[members[0]]).all()
        )
        for parts, losses in zip(lattice.part, lattice.loss, strict=True)
    )


def slowly(lattice, prices):
    """The worth of all boxes, by trying the rows of each one by one."""
    total, taken = 0.0, np.zeros(len(prices), np.int64)
    for node in lattice.nodes():
        keys = np.column_stack([lattice.part[j][level] for j, level in enumerate(node)])
        for key in np.unique(keys, axis=0):
            inside = np.flatnonzero((keys == key).all(axis=1))
            rows = [cell for cell in inside for _ in range(lattice.sizes[cell])]
            if len(rows) < K:
                continue
            rows.sort(key=lambda cell: -prices[cell])
            loss = sum(lattice.loss[j][level][inside[0]] for j, level in enumerate(node))
            best = max(range(K, len(rows) + 1), key=lambda n: sum(prices[rows[:n]] - loss))
            worth = float(sum(prices[rows[:best]] - loss))
            if worth > 1e-12:
                total += worth
                np.add.at(taken, rows[:best], 1)
    return total, taken


def weighed(cells, prices):
    """The worth of all boxes, and the boxes that are worth something or nearly are."""
    halves, sizes = make_halves(cells), np.asarray(cells.sizes, np.int64)
    nodes = np.array(list(product(*(range(len(half.least)) for half in halves))), np.int64)
    total, node, word = weigh_all(halves, nodes, sizes, K, prices)
    none = Boxes(np.zeros(1, np.int64), np.empty(0, np.int64), np.empty(0))
    return total, _list_boxes(halves, nodes, node, word, set(), none)


@pytest.mark.parametrize("seed", range(3))
def test_worth_is_that_of_the_slow_twin(seed):
    cells, lattice = lattice_of(seed, 14)
    prices = np.random.default_rng(seed).uniform(0.2, 2.5, len(lattice.sizes))
    (total, boxes), slow = weighed(cells, prices), slowly(lattice, prices)
    assert total == pytest.approx(slow[0])
    assert total > 0
    worth, sizes = np.zeros(len(boxes.loss)), np.asarray(cells.sizes, np.int64)
    taken = weigh_boxes(boxes, sizes, K, prices, worth, 0, 2)
    taken = taken + weigh_boxes(boxes, sizes, K, prices, worth, 2, len(worth))
    assert worth[worth > 0].sum() == pytest.approx(slow[0])
    assert (worth < 0).any()  # boxes that are nearly worth something are listed, too
    assert (taken == slow[1]).all()


def optimum_of(cells, lattice):
    return least_loss(
        np.arange(len(cells.keys)),
        lattice.sizes,
        K,
        lambda members: label_loss_of(lattice, members),
    )


def test_no_grouping_goes_below_the_bound_which_is_near_to_the_best():
    shares = []
    for seed in range(6):
        cells, lattice = lattice_of(300 + seed, 8)
        everything = np.full(len(cells.keys), float(cells.keys.shape[1]))
        optimum = optimum_of(cells, lattice) / (cells.n_rows * cells.keys.shape[1])
        bound = priced_bound(cells, K, everything, 6)
        assert bound <= optimum + 1e-9
        shares.append(bound / optimum)
    assert np.mean(shares) > 0.8


def test_any_prices_give_a_bound():
    draw = np.random.default_rng(1)
    cells, lattice = lattice_of(310, 8)
    optimum = optimum_of(cells, lattice)
    for _ in range(20):
        prices = draw.uniform(0, 3, len(lattice.sizes))
        assert (lattice.sizes * prices).sum() - weighed(cells, prices)[0] <= optimum + 1e-9


def test_the_halves_have_every_combination_of_levels():
    cells, lattice = lattice_of(1, 14)
    halves = make_halves(cells)
    assert prod(len(half.least) for half in halves) == prod(map(len, lattice.part))
    whole = sum(half.loss.max(axis=0) for half in halves)  # all columns at their highest level
    assert whole.tolist() == pytest.approx([sum(c[-1][i] for c in lattice.loss) for i in range(14)])
