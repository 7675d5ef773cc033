"""A loss that no groups labelled with nodes go below, from a price for every row.

Let every row have a price.  A box, one node in each column, that is released with a set of at least
k of its rows is worth what their prices come to, less what they lose in it.  Take for each box the
set that is worth most.  Then all prices together, less the worth of all boxes that are worth
something, is a bound: a release consists of boxes, each used once (groups with the same label are
one), each row is in one of them, and no box in it is worth more than that.  So its loss, which is
all prices less the worth of its boxes, is not less.  Any prices give a true bound; good ones are
found by lowering those of rows that several boxes want and raising those that none does
(a subgradient of the Lagrangian dual).

Most boxes are never worth anything.  So prices are moved by those that are, or nearly are, for some
rounds; then all boxes are weighed at the new prices, which gives a bound, and those that are worth
something now join.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks._bound_kernels import weigh_boxes, weigh_nodes
from benchmarks._iterated import levels_of
from shoal.tables import FrequencyTable

_PATIENCE, _SHORTER = 6, 0.7  # rounds without a better bound, and what is left of a step then
_KEPT = 0.7  # of the direction before
_NEAR = 0.3  # of k rows at the mean price: boxes that lack no more are listed


class Half(NamedTuple):
    """Some of the columns, at every combination of their levels."""

    part: NDArray[np.int64]  # (n_combinations, n_cells): cells in the same nodes have one number
    loss: NDArray[np.float64]  # what a row of the cell loses in these columns
    least: NDArray[np.float64]  # of all cells


class Boxes(NamedTuple):
    """Listed boxes: the cells in each, one after the other, and what a row loses in it."""

    start: NDArray[np.int64]
    cell: NDArray[np.int64]
    loss: NDArray[np.float64]


def make_halves(cells: FrequencyTable) -> tuple[Half, Half]:
    """Two halves of the lattice of a table whose columns all have a hierarchy."""
    part, cost = levels_of(cells)
    columns: tuple[list[int], list[int]] = [], []
    rooms = [1, 1]
    for j in sorted(range(len(part)), key=lambda j: -len(part[j])):
        smaller = int(rooms[1] < rooms[0])
        columns[smaller].append(j)
        rooms[smaller] *= len(part[j])
    first, second = (_make_half(part, cost, own, len(cells.sizes)) for own in columns)
    return first, second


def _make_half(
    part: list[list[NDArray[np.int64]]],
    cost: list[list[NDArray[np.float64]]],
    columns: list[int],
    n: int,
) -> Half:
    parts, losses = [], []
    for levels in product(*(range(len(part[j])) for j in columns)):
        number, loss = np.zeros(n, np.int64), np.zeros(n)
        for j, level in zip(columns, levels, strict=True):
            number = number * (int(part[j][level].max()) + 1) + part[j][level]
            number = np.unique(number, return_inverse=True)[1].astype(np.int64)
            loss = loss + cost[j][level]
        parts.append(number)
        losses.append(loss)
    return Half(np.stack(parts), np.stack(losses), np.stack(losses).min(axis=1))


def priced_bound(
    cells: FrequencyTable, k: int, row_loss: NDArray[np.float64], n_turns: int, n_rounds: int = 100
) -> float:
    """Mean loss of a row and column that no release goes below.

    `row_loss` is what a row of each cell loses in some release, summed over columns: where prices
    begin, and what the bound cannot pass.  All boxes are weighed `n_turns` times, with as many
    rounds between two of them.
    """
    halves, sizes = make_halves(cells), np.asarray(cells.sizes, np.int64)
    nodes = np.array(list(product(*(range(len(half.least)) for half in halves))), np.int64)
    most, best = float((sizes * row_loss).sum()), 0.0
    prices: NDArray[np.float64] = 0.9 * row_loss
    boxes = Boxes(np.zeros(1, np.int64), np.empty(0, np.int64), np.empty(0))
    known: set[tuple[int, int]] = set()
    for turn in range(n_turns):
        worth, node, word = weigh_all(halves, nodes, sizes, k, prices)
        best = max(best, float((sizes * prices).sum()) - worth)
        if turn < n_turns - 1:
            boxes = _list_boxes(halves, nodes, node, word, known, boxes)
            prices = _move_prices(boxes, sizes, k, prices, most, n_rounds)
    return best / (cells.n_rows * cells.keys.shape[1])


def weigh_all(
    halves: tuple[Half, Half],
    nodes: NDArray[np.int64],
    sizes: NDArray[np.int64],
    k: int,
    prices: NDArray[np.float64],
    near: float = _NEAR,
) -> tuple[float, NDArray[np.int64], NDArray[np.int64]]:
    """What all boxes are worth that are worth something, and those that are or nearly are.

    A box is told by its node of the lattice, and by the numbers of its parts as one word.
    """
    order = np.argsort(-prices, kind="stable")
    lack = near * k * float(prices.mean())

    def weigh(numbers: NDArray[np.int64]) -> tuple[float, NDArray[np.int64], NDArray[np.int64]]:
        return weigh_nodes(*halves, nodes, numbers, sizes, k, prices, order, lack)

    numbers = np.argsort(halves[0].least[nodes[:, 0]] + halves[1].least[nodes[:, 1]])
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(weigh, (numbers[::2].copy(), numbers[1::2].copy())))
    worth, node, word = zip(*found, strict=True)
    return sum(worth), np.concatenate(node), np.concatenate(word)


def _list_boxes(
    halves: tuple[Half, Half],
    nodes: NDArray[np.int64],
    node: NDArray[np.int64],
    word: NDArray[np.int64],
    known: set[tuple[int, int]],
    boxes: Boxes,
) -> Boxes:
    """The listed boxes and new ones, with the cells in them."""
    (first, second), members, losses = halves, [boxes.cell], [boxes.loss]
    lengths = [np.diff(boxes.start)]
    for number in np.unique(node):
        wanted = [w for w in word[node == number].tolist() if (int(number), w) not in known]
        known.update((int(number), w) for w in wanted)
        a, b = nodes[number]
        own = first.part[a] * (second.part.max() + 1) + second.part[b]
        order = np.argsort(own, kind="stable")
        begin = np.searchsorted(own[order], wanted, "left")
        end = np.searchsorted(own[order], wanted, "right")
        inside = [order[i:j] for i, j in zip(begin, end, strict=True)]
        members += inside
        lengths.append(end - begin)
        losses.append(np.array([first.loss[a, c[0]] + second.loss[b, c[0]] for c in inside]))
    start = np.concatenate([[0], np.cumsum(np.concatenate(lengths))]).astype(np.int64)
    return Boxes(start, np.concatenate(members), np.concatenate(losses))


def _move_prices(
    boxes: Boxes,
    sizes: NDArray[np.int64],
    k: int,
    prices: NDArray[np.float64],
    most: float,
    n_rounds: int,
) -> NDArray[np.float64]:
    """Prices at which the listed boxes give a better bound."""
    best, best_prices, step, wait = -np.inf, prices, 1.0, 0
    along, worth = np.zeros(len(sizes)), np.zeros(len(boxes.loss))
    middle = int(np.searchsorted(boxes.start, len(boxes.cell) // 2))  # two halves, side by side
    with ThreadPoolExecutor(2) as pool:
        for _ in range(n_rounds):
            weigh = partial(weigh_boxes, boxes, sizes, k, prices, worth)
            taken = sum(pool.map(weigh, (0, middle), (middle, len(boxes.loss))))
            value = float((sizes * prices).sum() - np.maximum(worth, 0).sum())
            if value > best:
                best, best_prices, wait = value, prices, 0
            elif (wait := wait + 1) == _PATIENCE:
                step, wait, prices, along = step * _SHORTER, 0, best_prices, np.zeros(len(sizes))
                continue
            along = _KEPT * along + (1 - _KEPT) * (sizes - taken)
            length = float((along * along / sizes).sum())
            if length <= 0:
                break
            prices = np.maximum(0, prices + step * (most - value) / length * along / sizes)
    return best_prices
