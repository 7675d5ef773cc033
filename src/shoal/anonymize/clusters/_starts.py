"""Several ways to a first grouping, of which the one that loses least is kept."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._resources import n_threads
from shoal.anonymize.clusters._group_kernels import Groups, make_groups, total_loss
from shoal.anonymize.clusters._improve import settle
from shoal.anonymize.clusters._local_plan import Steps, make_steps
from shoal.anonymize.clusters._local_problem import LocalProblem
from shoal.anonymize.clusters._walk_kernels import Walk, full_mask, mark_alive, walk_steps
from shoal.anonymize.clusters.prices._priced import priced_groups
from shoal.anonymize.mondrian._partition import region_groups
from shoal.anonymize.mondrian._preferences import Preferences
from shoal.privacy.compiled._compile import allowed_groups
from shoal.tables import FrequencyTable
from shoal.typing import Floats

Start = Callable[[LocalProblem, float], tuple[NDArray[np.int64], bool]]
"""From a problem and a deadline to each cell's group (-1: none) and whether the time sufficed."""

_COMPLETE = ("regions", "loss")  # ways that have a group for every cell at any time
LEAVES_MORE = {"price": 0.99}
"""Ways that leave more to refine: prices end below a walk that begins one per cent better."""
_STEPS_PER_LOOK = 512  # at the clock, and at how many cells are left
_MOST_ALIVE_WORDS = 2**25  # 256 MB of marks of living cells


class FirstGroups(NamedTuple):
    """What one way came to."""

    name: str
    group_of: NDArray[np.int64]  # complete
    is_allowed: bool  # a model that merging can break may leave groups that nothing mends
    loss: float
    promise: float  # the lower, the less it is expected to lose once it is refined
    in_time: bool


def first_groups(problem: LocalProblem, names: Sequence[str], deadline: float) -> list[FirstGroups]:
    """The groupings that the named ways come to: allowed ones first, and least loss first.

    They are looked for at the same time; which is ready first changes nothing.
    """

    def find(name: str) -> FirstGroups:
        group_of, in_time = STARTS[name](problem, deadline)
        if not in_time and name not in _COMPLETE:  # its cells without a group would take long
            return FirstGroups(name, group_of, False, math.inf, math.inf, False)
        groups = settle(open_groups(problem, group_of))
        allowed = all_allowed(problem, groups.group_of)
        loss = total_loss(groups)
        promise = loss * LEAVES_MORE.get(name, 1.0) if allowed else math.inf
        return FirstGroups(name, groups.group_of, allowed, loss, promise, in_time)

    with ThreadPoolExecutor(n_threads()) as pool:
        found = list(pool.map(find, names))
    return sorted(found, key=lambda start: (not start.is_allowed, start.loss))


def all_allowed(problem: LocalProblem, group_of: NDArray[np.int64]) -> bool:
    """Whether every group of a complete grouping is allowed."""
    number = np.unique(group_of, return_inverse=True)[1]
    return bool(allowed_groups(problem.compiled, number, int(number.max(initial=-1)) + 1).all())


def open_groups(problem: LocalProblem, group_of: NDArray[np.int64]) -> Groups:
    """Groups ready to be changed, with room for as many again."""
    n_groups = int(group_of.max(initial=-1)) + 1
    if n_groups == 0:
        group_of, n_groups = np.zeros_like(group_of), 1
    room = max(2 * n_groups, n_groups + 8)
    return make_groups(problem.loss, problem.compiled, problem.keys, group_of, room)


def by_price(problem: LocalProblem, deadline: float) -> tuple[NDArray[np.int64], bool]:
    """The generalization that pays best for the rows left, again and again."""
    return priced_groups(problem.ladders, problem.keys, problem.compiled, deadline)


def by_walk(problem: LocalProblem, deadline: float) -> tuple[NDArray[np.int64], bool]:
    """Cells released at the finest generalization at which they are allowed, on average."""
    keys, compiled = problem.keys, problem.compiled
    axis = problem.along_axis()
    group_of = np.full(len(keys), -1, np.int64)
    n_groups = 0
    for stage in range(max(len(ladder.losses) for ladder in problem.ladders)):
        if not (group_of < 0).any():
            break
        steps = make_steps(keys, problem.ladders, problem.axis, stage)
        state = _start(steps, axis, group_of, keep_alive=problem.axis >= 0)
        marked = 2 * len(keys) + 1
        for begin in range(0, len(steps.first), _STEPS_PER_LOOK):
            n_left = int((group_of < 0).sum())
            if n_left == 0:
                return group_of, True
            if time.perf_counter() > deadline:
                return group_of, False
            if n_left < 0.7 * marked:  # marking costs as much as many steps: only when it pays
                least = compiled.minimum_size
                mark_alive(steps.first_part, compiled.sizes, group_of, least, state.first_alive)
                mark_alive(steps.second_part, compiled.sizes, group_of, least, state.second_alive)
                marked = n_left
            end = min(begin + _STEPS_PER_LOOK, len(steps.first))
            n_groups = walk_steps(compiled, state, begin, end, n_groups)
    return group_of, True


def _start(steps: Steps, axis: Floats, group_of: NDArray[np.int64], *, keep_alive: bool) -> Walk:
    """A walk before its first step; without an axis each node comes once, so no marks are kept."""
    n_first, n_second = len(steps.first_part), len(steps.second_part)
    n_words = (len(axis) + 63) // 64
    keep_alive = keep_alive and n_first * n_second * n_words < _MOST_ALIVE_WORDS
    return Walk(
        axis,
        *steps,
        np.zeros((n_first, n_words), np.uint64),
        np.zeros((n_second, n_words), np.uint64),
        np.zeros((n_first * n_second if keep_alive else 0, n_words), np.uint64),
        np.zeros(n_first * n_second, np.int8),
        full_mask(group_of < 0),
        group_of,
    )


def by_regions(problem: LocalProblem, deadline: float) -> tuple[NDArray[np.int64], bool]:
    """Mondrian's regions, cut where the widest column is."""
    return _regions(problem, Preferences(_shares(problem.loss.weight)), deadline)


def by_loss(problem: LocalProblem, deadline: float) -> tuple[NDArray[np.int64], bool]:
    """Mondrian's regions, cut where most loss is saved."""
    shares = _shares(problem.loss.weight)
    preferences = Preferences(shares, spread=0.0, priority=0.0, loss=1.0)
    return _regions(problem, preferences, deadline)


def _regions(
    problem: LocalProblem, preferences: Preferences, deadline: float
) -> tuple[NDArray[np.int64], bool]:
    cells = FrequencyTable(problem.codings, problem.keys, problem.compiled.sizes)
    group_of = region_groups(cells, problem.compiled, preferences, deadline)
    return group_of, time.perf_counter() <= deadline


def _shares(weight: Floats) -> Floats:
    return weight / weight.max() if weight.max() > 0 else np.ones_like(weight)


STARTS: dict[str, Start] = {
    "price": by_price,
    "walk": by_walk,
    "regions": by_regions,
    "loss": by_loss,
}
