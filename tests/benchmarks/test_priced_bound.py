from itertools import product

import numpy as np
import pytest

from benchmarks._priced_bound import box_worth, make_lattice, priced_bound
from shoal.anonymize.cuts._grown_hierarchies import grow_hierarchies
from tests.anonymize import group_cases
from tests.reference.partitions import least_loss

K = 3


def lattice_of(seed, n):
    cells = grow_hierarchies(group_cases.cells(seed, n), None, K)
    return cells, make_lattice(cells)


def label_loss_of(lattice, members):
    """What a row loses in the smallest box around some cells."""
    return sum(
        min(
            losses[level, members[0]]
            for level in range(n_levels)
            if (codes[level, members] == codes[level, members[0]]).all()
        )
        for codes, losses, n_levels in zip(
            lattice.codes, lattice.losses, lattice.levels.max(axis=0) + 1, strict=True
        )
    )


def slowly(lattice, prices):
    """The worth of all boxes, by trying the rows of each one by one."""
    total, taken = 0.0, np.zeros(len(prices), np.int64)
    for node in lattice.levels:
        keys = np.column_stack([lattice.codes[j, level] for j, level in enumerate(node)])
        for key in np.unique(keys, axis=0):
            inside = np.flatnonzero((keys == key).all(axis=1))
            rows = [cell for cell in inside for _ in range(lattice.sizes[cell])]
            if len(rows) < K:
                continue
            rows.sort(key=lambda cell: -prices[cell])
            loss = sum(lattice.losses[j, level, inside[0]] for j, level in enumerate(node))
            best = max(range(K, len(rows) + 1), key=lambda n: sum(prices[rows[:n]] - loss))
            worth = float(sum(prices[rows[:best]] - loss))
            if worth > 1e-12:
                total += worth
                np.add.at(taken, rows[:best], 1)
    return total, taken


@pytest.mark.parametrize("seed", range(3))
def test_worth_is_that_of_the_slow_twin(seed):
    _, lattice = lattice_of(seed, 14)
    prices = np.random.default_rng(seed).uniform(0.2, 2.5, len(lattice.sizes))
    taken = np.zeros(len(prices), np.int64)
    order = np.argsort(-prices, kind="stable")
    total, slow = box_worth(*lattice, K, prices, order, taken), slowly(lattice, prices)
    assert total == pytest.approx(slow[0])
    assert total > 0
    assert (taken == slow[1]).all()


def test_no_grouping_goes_below_the_bound_which_is_near_to_the_best():
    shares = []
    for seed in range(6):
        cells, lattice = lattice_of(300 + seed, 8)
        everything = np.full(len(cells.keys), float(cells.keys.shape[1]))
        optimum = least_loss(
            np.arange(len(cells.keys)),
            lattice.sizes,
            K,
            lambda members, lattice=lattice: label_loss_of(lattice, members),
        ) / (cells.n_rows * cells.keys.shape[1])
        bound = priced_bound(cells, K, everything, 150)
        assert bound <= optimum + 1e-9
        shares.append(bound / optimum)
    assert np.mean(shares) > 0.8


def test_any_prices_give_a_bound():
    draw = np.random.default_rng(1)
    cells, lattice = lattice_of(310, 8)
    optimum = least_loss(
        np.arange(len(cells.keys)),
        lattice.sizes,
        K,
        lambda members: label_loss_of(lattice, members),
    )
    for _ in range(20):
        prices = draw.uniform(0, 3, len(lattice.sizes))
        taken = np.zeros(len(prices), np.int64)
        order = np.argsort(-prices, kind="stable")
        worth = box_worth(*lattice, K, prices, order, taken)
        assert (lattice.sizes * prices).sum() - worth <= optimum + 1e-9


def test_the_lattice_has_every_combination_of_levels():
    cells, lattice = lattice_of(1, 14)
    n_levels = lattice.levels.max(axis=0) + 1
    assert lattice.levels.tolist() == [list(node) for node in product(*map(range, n_levels))]
    assert lattice.codes.shape[0] == cells.keys.shape[1]
