"""Choose the generalization that pays best for the rows left, at a price that rises.

The price is what a row is expected to lose if it is left for later.  A part of the cells, those
that look alike at a node of the lattice, is worth ``rows * (price - loss)`` when it is large enough
and loses less than the price, and a node is worth the sum over its parts.  Taking the node that is
worth most, again and again, forms groups where they hold many rows, and leaves fewer stragglers
than taking the finest node at which anything is allowed.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.privacy.compiled._condition_kernels import CompiledModel, add_cell, allowed
from shoal.tables._count_kernels import table_size
from shoal.typing import Codes, Counts, Floats

MOST_MISSED = 16
_PLACES_OF_A_CELL = 8  # a table of pairs is small enough to be faster than a search


class Nodes(NamedTuple):
    """Nodes of a lattice, over some cells.

    There are far fewer halves of nodes than nodes, so parts are numbered at each half only.
    """

    first_part: Codes  # (n_first, n_cells): part of each cell at each first half of a node
    second_part: Codes
    n_second: Counts  # parts at each second half
    first: Codes  # halves of each node
    second: Codes
    levels: Codes  # (n_nodes, n_columns)
    cost_start: NDArray[np.int64]  # (n_columns, n_levels): where a level's costs begin
    costs: Floats  # of each code at each level of each column
    keys: Codes  # (n_cells, n_columns)
    sizes: Counts


class PartTable(NamedTuple):
    """Parts of some cells at one node; scratch, filled anew for every node."""

    word: NDArray[np.int64]  # a hash table of parts, valid where `stamp` is this turn
    stamp: NDArray[np.int64]
    number: NDArray[np.int64]
    part_of: NDArray[np.int64]  # of each listed cell
    rows: Counts  # of each part
    cell: NDArray[np.int64]  # one of each part
    turn: NDArray[np.int64]  # one number


@kernel
def make_part_table(n: int) -> PartTable:
    """Room for the parts of `n` cells."""
    capacity = table_size(n)
    return PartTable(
        np.empty(capacity, np.int64),
        np.full(capacity, -1, np.int64),
        np.empty(capacity, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.zeros(1, np.int64),
    )


@kernel
def count_parts(nodes: Nodes, node: int, cells: NDArray[np.int64], table: PartTable) -> int:
    """Number the parts of the cells as they appear and count their rows; returns how many."""
    first, second = nodes.first_part[nodes.first[node]], nodes.second_part[nodes.second[node]]
    n_second = nodes.n_second[nodes.second[node]]
    mask = 1024
    while mask < 2 * cells.shape[0]:  # no larger than needed: a small table stays in the cache
        mask *= 2
    mask -= 1
    table.turn[0] += 1
    turn, n_parts = table.turn[0], 0
    for i in range(cells.shape[0]):
        cell = cells[i]
        key = np.int64(first[cell]) * n_second + np.int64(second[cell])
        mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
        slot = np.int64(mixed >> np.uint64(33)) & mask
        while table.stamp[slot] == turn and table.word[slot] != key:
            slot = (slot + 1) & mask
        if table.stamp[slot] != turn:
            table.stamp[slot], table.word[slot], table.number[slot] = turn, key, n_parts
            table.rows[n_parts], table.cell[n_parts] = 0, cell
            n_parts += 1
        part = table.number[slot]
        table.part_of[i] = part
        table.rows[part] += nodes.sizes[cell]
    return n_parts


@kernel
def number_pairs(one: Codes, n_one: int, other: Codes, n_other: int, number: Codes) -> int:
    """Number pairs of numbers as they appear, from 0; returns how many different ones there are.

    Numbers are below `n_one` and `n_other`.
    """
    n = 0
    if n_one * n_other <= _PLACES_OF_A_CELL * one.shape[0]:  # each pair has a place of its own
        number_of = np.full(n_one * n_other, -1, np.int32)
        for i in range(one.shape[0]):
            pair = one[i] * n_other + other[i]
            if number_of[pair] < 0:
                number_of[pair] = n
                n += 1
            number[i] = number_of[pair]
        return n
    capacity = table_size(one.shape[0])
    word, own = np.empty(capacity, np.int64), np.full(capacity, -1, np.int32)
    for i in range(one.shape[0]):
        pair = np.int64(one[i]) * n_other + other[i]
        mixed = np.uint64(pair) * np.uint64(0x9E3779B97F4A7C15)
        slot = np.int64(mixed >> np.uint64(33)) & (capacity - 1)
        while own[slot] >= 0 and word[slot] != pair:
            slot = (slot + 1) & (capacity - 1)
        if own[slot] < 0:
            own[slot], word[slot] = n, pair
            n += 1
        number[i] = own[slot]
    return n


@kernel
def cost_at(nodes: Nodes, node: int, cell: int) -> float:
    """Loss of a row of a cell that is released at a node."""
    loss = 0.0
    for j in range(nodes.levels.shape[1]):
        loss += nodes.costs[nodes.cost_start[j, nodes.levels[node, j]] + nodes.keys[cell, j]]
    return loss


@kernel
def node_value(
    nodes: Nodes,
    node: int,
    cells: NDArray[np.int64],
    least: float,
    price: float,
    table: PartTable,
) -> tuple[float, float]:
    """What a node is worth at a price, and the price above which it will be worth something."""
    value, wakes = 0.0, np.inf
    for part in range(count_parts(nodes, node, cells, table)):
        rows = table.rows[part]
        # cells may be a sample: less than is needed here may be enough in the whole
        if rows >= 0.7 * least:
            loss = cost_at(nodes, node, table.cell[part])
            wakes = min(wakes, loss)
            if loss < price and rows >= least:
                value += rows * (price - loss)
    return value, wakes


@kernel
def weigh_nodes(
    nodes: Nodes,
    cells: NDArray[np.int64],
    least: float,
    price: float,
    values: Floats,
    wakes: Floats,
    chosen: NDArray[np.int64],
) -> None:
    """Write what the chosen nodes are worth, and at which price they would be."""
    table = make_part_table(cells.shape[0])
    for node in chosen:
        values[node], wakes[node] = node_value(nodes, node, cells, least, price, table)


@kernel
def take_parts(
    compiled: CompiledModel,
    nodes: Nodes,
    node: int,
    price: float,
    cells: NDArray[np.int64],
    table: PartTable,
    group_of: NDArray[np.int64],
    n_groups: int,
) -> int:
    """Make groups of the parts of a node that are allowed and cost less than the price.

    `cells` are those in no group; returns the number of groups then.
    """
    n_parts = count_parts(nodes, node, cells, table)
    number = np.full(n_parts, -1, np.int64)
    begun = n_groups
    for part in range(n_parts):
        large = table.rows[part] >= compiled.minimum_size
        if large and cost_at(nodes, node, table.cell[part]) < price:
            number[part] = n_groups
            n_groups += 1
    if n_groups == begun:
        return begun
    if not compiled.size_only:
        histogram = np.zeros((n_groups - begun, compiled.n_codes), np.int64)
        for i in range(cells.shape[0]):
            if number[table.part_of[i]] >= 0:
                add_cell(compiled, cells[i], 1, histogram[number[table.part_of[i]] - begun])
        n_groups = begun
        for part in range(n_parts):
            if number[part] >= 0:
                fine = allowed(compiled, table.rows[part], histogram[number[part] - begun])
                number[part] = n_groups if fine else -1
                n_groups += fine
    for i in range(cells.shape[0]):
        group_of[cells[i]] = number[table.part_of[i]]
    return n_groups


@kernel
def still_free(cells: NDArray[np.int64], of: NDArray[np.int64], group_of: NDArray[np.int64]) -> int:
    """Keep the listed cells that are in no group, in front; ``of[cell]`` is a cell's number."""
    n = 0
    for cell in cells:
        if group_of[of[cell]] < 0:
            cells[n] = cell
            n += 1
    return n


@kernel
def take_best_nodes(
    compiled: CompiledModel,
    nodes: Nodes,
    sample: Nodes,
    sampled: NDArray[np.int64],
    least: float,
    price: float,
    values: Floats,
    group_of: NDArray[np.int64],
    n_groups: int,
) -> int:
    """Take nodes as long as one is worth something, the one that is worth most first.

    `sample` has the cells `sampled`, on which nodes are compared.  `values` are what nodes were
    worth at the beginning: cells only leave, so no node can be worth more later, and only the one
    in front has to be weighed again.
    """
    free = np.flatnonzero(group_of < 0)
    everywhere = np.arange(group_of.shape[0])
    drawn = np.arange(sampled.shape[0])
    table, small = make_part_table(free.shape[0]), make_part_table(drawn.shape[0])
    n_free, n_drawn = free.shape[0], drawn.shape[0]
    missed = 0  # nodes in a row that are worth something in the sample alone
    while missed < MOST_MISSED and n_drawn > 0:
        node = int(np.argmax(values))
        if values[node] <= 0:
            break
        now, _ = node_value(sample, node, drawn[:n_drawn], least, price, small)
        if now < values[node]:
            # worth less by now: put back, and the next best is looked at first
            values[node] = now
            if now < np.max(values) or now <= 0:
                continue
        before = n_groups
        n_groups = take_parts(
            compiled, nodes, node, price, free[:n_free], table, group_of, n_groups
        )
        # taken, or refused by the model: not asked about again at this price
        values[node] = 0.0
        missed += 1
        if n_groups > before:
            missed = 0
            n_free = still_free(free[:n_free], everywhere, group_of)
            n_drawn = still_free(drawn[:n_drawn], sampled, group_of)
    return n_groups
