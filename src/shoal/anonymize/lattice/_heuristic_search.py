"""Search a lattice too large for its optimum: down from the top, with a bound on the loss."""

from __future__ import annotations

import heapq
import time

import numpy as np

from shoal.anonymize.lattice._lattice import Lattice
from shoal.anonymize.lattice._lattice_problem import ADDS_UP, LatticeProblem, Node
from shoal.anonymize.lattice._search_record import SLACK, SearchRecord, node_sums
from shoal.typing import Progress

_MOST_EXPANDED = 2_000  # nodes whose finer neighbours are looked at
_PROJECTION = 600  # nodes of the sub-lattices that give a bound


def search_heuristic(
    problem: LatticeProblem, time_limit: float | None, progress: Progress
) -> Lattice | None:
    """Go down from the top, best nodes first, until the time is over or nothing is left.

    Any time it is stopped it has a node that is safe; None when even the top fails.
    """
    deadline = time.perf_counter() + (np.inf if time_limit is None else time_limit)
    record = SearchRecord(problem)
    top = problem.top
    if problem.fails(record.look(top)):
        return None
    queue: list[tuple[float, Node]] = [(record.assessed[top].loss, top)]
    seen = {top}
    expanded = 0
    while queue and time.perf_counter() < deadline and expanded < _MOST_EXPANDED:
        _, node = heapq.heappop(queue)
        expanded += 1
        progress(expanded, 0, "searching the lattice")
        for column, level in enumerate(node):
            lower = (*node[:column], level - 1, *node[column + 1 :])
            if level == 0 or lower in seen:
                continue
            seen.add(lower)
            if problem.metric in ADDS_UP and _floor(problem, lower) >= record.least - SLACK:
                heapq.heappush(queue, (np.inf, lower))  # only what lies below it can be better
                continue
            assessed = record.look(lower)
            if not problem.fails(assessed):
                heapq.heappush(queue, (assessed.loss, lower))
    bound = projected_bound(problem)
    return record.lattice(proven=bound >= record.least - SLACK, bound=min(bound, record.least))


def _floor(problem: LatticeProblem, node: Node) -> float:
    """What a node loses at least: the losses of its columns when no row is suppressed."""
    return sum(float(problem.column_loss[column][level]) for column, level in enumerate(node))


def projected_bound(problem: LatticeProblem) -> float:
    """A loss that no safe node goes below: the sum of what parts of the columns cost at least.

    When a node is safe, so is the node that keeps its levels in some columns and is at the top in
    all others.  So each part of the columns costs at least what its own best such node does.
    """
    if problem.metric not in ADDS_UP or not problem.tags_all:
        return 0.0
    # few large parts bound better than many small ones: fill them up, the tallest column first
    parts: list[list[int]] = []
    shape = problem.shape
    for column in sorted(range(len(shape)), key=lambda column: -shape[column]):
        for part in parts:
            if np.prod([shape[other] for other in [*part, column]]) <= _PROJECTION:
                part.append(column)
                break
        else:
            parts.append([column])
    return sum(_part_bound(problem, part) for part in parts)


def _part_bound(problem: LatticeProblem, part: list[int]) -> float:
    """Least loss of the safe nodes that are at the top in all columns but these."""
    sums = node_sums([problem.column_loss[column] for column in part])
    failing = np.zeros(sums.shape, np.bool_)
    for index in np.argsort(sums.ravel(), kind="stable"):
        levels = np.unravel_index(index, sums.shape)
        if failing[levels]:
            continue
        node = list(problem.top)
        for column, level in zip(part, levels, strict=True):
            node[column] = int(level)
        if not problem.fails(problem.assess(node)):
            return float(sums[levels])
        # whatever is coarser in no column fails, too
        failing[tuple(slice(0, int(level) + 1) for level in levels)] = True
    return float(sums.max())
