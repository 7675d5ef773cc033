"""Search a lattice of generalizations for the node that loses least."""

from __future__ import annotations

import heapq
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.anonymize.lattice._lattice_problem import ADDS_UP, Assessment, LatticeProblem, Node
from shoal.typing import Codes, Counts, Flags, Floats, Progress

MOST_NODES = 2_000_000
"""Largest lattice that is searched for its proven optimum."""

_SLACK = 1e-12


@dataclass(frozen=True, eq=False)
class Lattice:
    """The nodes that a search looked at.

    Parameters
    ----------
    names : tuple of str
        The columns.
    shape : tuple of int
        Levels of each column; their product is the size of the lattice.
    levels : ndarray of int32, shape (n, n_columns)
        Level of each column at each node assessed, in the order of assessment.
    loss : ndarray of float
        Loss at each of them, with the rows suppressed that are not allowed.
    suppressed : ndarray of int64
        Those rows.
    safe : ndarray of bool
        Whether no more rows than the user allows would be suppressed.
    best : int
        Place of the node chosen.
    proven : bool
        Whether no node of the lattice loses less.
    bound : float
        No safe node of the lattice loses less than this.
    """

    names: tuple[str, ...]
    shape: Node
    levels: Codes
    loss: Floats
    suppressed: Counts
    safe: Flags
    best: int
    proven: bool
    bound: float

    @property
    def n_nodes(self) -> int:
        """Nodes of the whole lattice."""
        return int(np.prod([float(n) for n in self.shape]))

    @property
    def n_assessed(self) -> int:
        """Nodes that were looked at."""
        return len(self.loss)

    @property
    def gap(self) -> float:
        """How much more than the optimum the node chosen may lose, as a share of its loss."""
        loss = float(self.loss[self.best])
        return 0.0 if self.proven or loss <= 0 else max(0.0, 1.0 - self.bound / loss)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "names": list(self.names),
            "shape": list(self.shape),
            "levels": self.levels.tolist(),
            "loss": self.loss.tolist(),
            "suppressed": self.suppressed.tolist(),
            "safe": self.safe.tolist(),
            "best": self.best,
            "proven": self.proven,
            "bound": self.bound,
        }


class _Record:
    """Nodes assessed so far, each once."""

    def __init__(self, problem: LatticeProblem) -> None:
        self.problem = problem
        self.found: dict[Node, Assessment] = {}
        self.best: Node | None = None
        self.least = np.inf

    def look(self, node: Node) -> Assessment:
        """Assess a node and remember the best."""
        known = self.found.get(node)
        if known is None:
            known = self.found[node] = self.problem.assess(node)
            if not self.problem.fails(known) and known.loss < self.least - _SLACK:
                self.best, self.least = node, known.loss
        return known

    def lattice(self, *, proven: bool, bound: float) -> Lattice:
        """The result; there is a best node."""
        assert self.best is not None
        nodes = list(self.found)
        found = list(self.found.values())
        return Lattice(
            self.problem.cut.cells.names,
            self.problem.shape,
            np.array(nodes, np.int32),
            np.array([one.loss for one in found]),
            np.array([one.failing for one in found], np.int64),
            np.array([not self.problem.fails(one) for one in found], np.bool_),
            nodes.index(self.best),
            proven,
            bound,
        )


def search_optimal(problem: LatticeProblem, progress: Progress) -> Lattice | None:
    """Find the node with least loss of all; None when every node fails.

    Nodes are visited in the order of a floor under their loss.  From each one not decided yet a
    path leads upwards as far as the floor stays below the best loss; where on it nodes stop
    failing is found by bisection.  Everything finer than a node that fails is known to fail, and
    everything whose floor reaches the best loss is left out.
    """
    record = _Record(problem)
    shape = problem.shape
    guess = _sums(problem.column_loss)
    floor = guess.copy() if problem.metric in ADDS_UP else np.zeros(shape)
    failing = np.zeros(shape, np.bool_)
    order = np.argsort(guess.ravel(), kind="stable")
    flat_floor, flat_failing = floor.ravel(), failing.ravel()

    def look(node: Node) -> bool:
        found = record.look(node)
        above = tuple(slice(level, None) for level in node)
        np.maximum(floor[above], found.floor, out=floor[above])
        if problem.fails_below(found):
            failing[tuple(slice(0, level + 1) for level in node)] = True
        return problem.fails(found)

    for count, place in enumerate(order):
        if flat_failing[place] or flat_floor[place] >= record.least - _SLACK:
            continue
        if count % 64 == 0:
            progress(count, len(order), "searching the lattice")
        node = tuple(int(level) for level in np.unravel_index(place, shape))
        if node in record.found:
            continue
        path = _climb(node, guess, floor, record.least)
        _bisect(path, look)
        if not flat_failing[place] and flat_floor[place] < record.least - _SLACK:
            look(node)
    if record.best is None:
        return None
    return record.lattice(proven=True, bound=record.least)


def _bisect(path: Sequence[Node], look: Any) -> None:
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
        for at, level in enumerate(path[-1]):
            if level + 1 < guess.shape[at]:
                higher = (*path[-1][:at], level + 1, *path[-1][at + 1 :])
                steps.append((float(guess[higher]), higher))
        better = [step for step in steps if floor[step[1]] < least - _SLACK]
        if not better:
            return path
        path.append(min(better)[1])


def _sums(columns: Sequence[Floats]) -> Floats:
    """Sum of one loss per column, for every node of the lattice."""
    total = np.zeros(())
    for losses in columns:
        total = total[..., None] + losses
    return total


def search_heuristic(
    problem: LatticeProblem, time_limit: float | None, progress: Progress
) -> Lattice | None:
    """Go down from the top, best nodes first, until the time is over or nothing is left.

    Any time it is stopped it has a node that is safe; None when even the top fails.
    """
    deadline = time.perf_counter() + (np.inf if time_limit is None else time_limit)
    record = _Record(problem)
    top = problem.top
    if problem.fails(record.look(top)):
        return None
    queue: list[tuple[float, Node]] = [(record.found[top].loss, top)]
    seen = {top}
    expanded = 0
    while queue and time.perf_counter() < deadline and expanded < _MOST_EXPANDED:
        _, node = heapq.heappop(queue)
        expanded += 1
        progress(expanded, 0, "searching the lattice")
        for at, level in enumerate(node):
            lower = (*node[:at], level - 1, *node[at + 1 :])
            if level == 0 or lower in seen:
                continue
            seen.add(lower)
            if (
                sum(float(problem.column_loss[j][x]) for j, x in enumerate(lower))
                >= (record.least - _SLACK)
                and problem.metric in ADDS_UP
            ):
                heapq.heappush(queue, (np.inf, lower))  # only what lies below it can be better
                continue
            found = record.look(lower)
            if not problem.fails(found):
                heapq.heappush(queue, (found.loss, lower))
    bound = projected_bound(problem)
    return record.lattice(proven=bound >= record.least - _SLACK, bound=min(bound, record.least))


_MOST_EXPANDED = 2_000
_PROJECTION = 600  # nodes of the sub-lattices that give a bound


def projected_bound(problem: LatticeProblem) -> float:
    """A loss that no safe node goes below: the sum of what parts of the columns cost at least.

    When a node is safe, so is the node that keeps its levels in some columns and is at the top in
    all others.  So each part of the columns costs at least what its own best such node does.
    """
    if problem.metric not in ADDS_UP or not problem.tags_all:
        return 0.0
    parts: list[list[int]] = []
    for at in sorted(range(len(problem.shape)), key=lambda at: -problem.shape[at]):
        for part in parts:
            if np.prod([problem.shape[j] for j in [*part, at]]) <= _PROJECTION:
                part.append(at)
                break
        else:
            parts.append([at])
    return sum(_part_bound(problem, part) for part in parts)


def _part_bound(problem: LatticeProblem, part: list[int]) -> float:
    sums = _sums([problem.column_loss[at] for at in part])
    failing = np.zeros(sums.shape, np.bool_)
    for place in np.argsort(sums.ravel(), kind="stable"):
        levels = np.unravel_index(place, sums.shape)
        if failing[levels]:
            continue
        node = list(problem.top)
        for at, level in zip(part, levels, strict=True):
            node[at] = int(level)
        if not problem.fails(problem.assess(node)):
            return float(sums[levels])
        failing[tuple(slice(0, int(level) + 1) for level in levels)] = True
    return float(sums.max())
