"""Search a lattice of generalizations for the node that loses least of all."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from shoal.anonymize.lattice._lattice import Lattice
from shoal.anonymize.lattice._lattice_problem import ADDS_UP, LatticeProblem, Node
from shoal.anonymize.lattice._search_record import SLACK, SearchRecord, node_sums
from shoal.typing import Floats, Progress

MOST_NODES = 2_000_000
"""Largest lattice that is searched for its proven optimum."""


def search_optimal(problem: LatticeProblem, progress: Progress) -> Lattice | None:
    """Find the node with least loss of all; None when every node fails.

    Nodes are visited in the order of a floor under their loss.  From each one not decided yet a
    path leads upwards as far as the floor stays below the best loss; where on it nodes stop
    failing is found by bisection.  Everything finer than a node that fails is known to fail, and
    everything whose floor reaches the best loss is left out.
    """
    record = SearchRecord(problem)
    shape = problem.shape
    guess = node_sums(problem.column_loss)
    # a metric that adds up over columns loses at least what they lose without suppression
    floor = guess.copy() if problem.metric in ADDS_UP else np.zeros(shape)
    failing = np.zeros(shape, np.bool_)
    order = np.argsort(guess.ravel(), kind="stable")
    flat_floor, flat_failing = floor.ravel(), failing.ravel()  # views: they change with the lattice

    def look(node: Node) -> bool:
        assessed = record.look(node)
        above = tuple(slice(level, None) for level in node)
        np.maximum(floor[above], assessed.floor, out=floor[above])
        if problem.fails_below(assessed):
            failing[tuple(slice(0, level + 1) for level in node)] = True
        return problem.fails(assessed)

    for count, index in enumerate(order):
        if flat_failing[index] or flat_floor[index] >= record.least - SLACK:
            continue
        if count % 64 == 0:
            progress(count, len(order), "searching the lattice")
        node = tuple(int(level) for level in np.unravel_index(index, shape))
        if node in record.assessed:
            continue
        path = _climb(node, guess, floor, record.least)
        _bisect(path, look)
        # what the path taught may have settled the node itself
        if not flat_failing[index] and flat_floor[index] < record.least - SLACK:
            look(node)
    if record.best is None:
        return None
    return record.lattice(proven=True, bound=record.least)


def _bisect(path: Sequence[Node], look: Callable[[Node], bool]) -> None:
    """Look for where nodes on an upward path stop failing."""
    if look(path[-1]):
        return
    low, high = 0, len(path) - 1
    while low < high:
        middle = (low + high) // 2
        if look(path[middle]):
            low = middle + 1
        else:
            high = middle


def _climb(node: Node, guess: Floats, floor: Floats, least: float) -> list[Node]:
    """A path upwards that raises the cheapest column each time, while it may still be better."""
    path = [node]
    while True:
        steps = []
        for column, level in enumerate(path[-1]):
            if level + 1 < guess.shape[column]:
                higher = (*path[-1][:column], level + 1, *path[-1][column + 1 :])
                steps.append((float(guess[higher]), higher))
        better = [step for step in steps if floor[step[1]] < least - SLACK]
        if not better:
            return path
        path.append(min(better)[1])
