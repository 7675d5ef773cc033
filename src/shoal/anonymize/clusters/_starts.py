"""Several first groupings; the one that loses least is kept."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._resources import n_threads
from shoal.anonymize.clusters._local_problem import (
    MOST_NODES,
    Ladder,
    LocalProblem,
    in_threads,
    make_lattice,
    thinned,
)
from shoal.anonymize.clusters._priced_kernels import Nodes, take_best_nodes, weigh_nodes
from shoal.anonymize.clusters._refine_kernels import open_groups
from shoal.anonymize.clusters._walk_kernels import Walk, mark_alive, walk_steps
from shoal.anonymize.mondrian._partition import grow_regions
from shoal.anonymize.mondrian._preferences import Preferences
from shoal.privacy.compiled._compile import allowed_groups
from shoal.privacy.compiled._condition_kernels import CompiledModel
from shoal.tables import FrequencyTable
from shoal.typing import Codes, Counts, Floats

Start = Callable[[LocalProblem, float], tuple[NDArray[np.int64], bool]]
"""From a problem and a deadline to each cell's group (-1: none) and whether the time sufficed."""

REGIONS = ("regions", "loss")
ALPHABET = ("alphabet regions", "alphabet loss")
"""The same where texts without a hierarchy are cut by the alphabet, as Mondrian itself does."""

_COMPLETE = REGIONS + ALPHABET  # ways that have a group for every cell at any time
LEAVES_MORE = {"price": 0.99}
"""Ways that leave more to refine: prices end below a walk that begins one per cent better."""
PRICES = 40  # even steps up to the loss of a row of which nothing is released
_ROWS_OF_A_SAMPLED_GROUP = 3  # parts of the sample should be this large before they count
_WEIGHED = 400  # nodes at one price, times the root of the smallest group
_LEAST_SAMPLE = 2_048
_ABOVE_THE_PRICE = 1.25  # nodes with a higher average loss hardly have a part below the price
WIDTHS = (0.0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.07, 0.1, 0.14, 0.2, 0.27, 0.35, 0.5, 1.0)
"""Of the windows on the axis, as shares of it."""
_STEPS_PER_LOOK = 512  # at the clock, and at how many cells are left
_MOST_ALIVE_WORDS = 2**25  # 256 MB of marks of living cells


class FirstGroups(NamedTuple):
    """What one way came to."""

    name: str
    group_of: NDArray[np.int64]  # complete
    is_allowed: bool  # a model that merging can break may leave groups that nothing mends
    loss: float
    promise: float  # the lower, the less it is expected to lose once it is refined


def first_groups(problem: LocalProblem, names: Sequence[str], deadline: float) -> list[FirstGroups]:
    """The groupings that the named ways come to: allowed ones first, and least loss first.

    They are looked for at the same time; which is ready first changes nothing.
    """
    with ThreadPoolExecutor(n_threads()) as pool:
        starts = list(pool.map(partial(_find, problem, deadline), names))
    return sorted(starts, key=lambda start: (not start.is_allowed, start.loss))


def _find(problem: LocalProblem, deadline: float, name: str) -> FirstGroups:
    group_of, in_time = STARTS[name](problem, deadline)
    if not in_time and name not in _COMPLETE:  # its cells without a group would take long
        return FirstGroups(name, group_of, False, math.inf, math.inf)
    groups, loss = open_groups(problem.loss, problem.compiled, problem.keys, group_of, True)
    allowed = all_allowed(problem, groups.group_of)
    promise = loss * LEAVES_MORE.get(name, 1.0) if allowed else math.inf
    return FirstGroups(name, groups.group_of, allowed, loss, promise)


def all_allowed(problem: LocalProblem, group_of: NDArray[np.int64]) -> bool:
    """Whether every group of a complete grouping is allowed."""
    number = np.unique(group_of, return_inverse=True)[1]
    return bool(allowed_groups(problem.compiled, number, int(number.max(initial=-1)) + 1).all())


def by_price(problem: LocalProblem, deadline: float) -> tuple[NDArray[np.int64], bool]:
    """The generalization that pays best for the rows left, again and again, at a rising price."""
    keys, compiled = problem.keys, problem.compiled
    nodes, losses = price_nodes(problem.ladders, keys, compiled.sizes)
    group_of = np.full(len(keys), -1, np.int64)
    wakes = np.zeros(len(losses))
    draw = np.random.default_rng(0)
    # the larger groups are, the fewer there are, and the longer each may be searched for
    smallest = compiled.minimum_size
    most_weighed = int(_WEIGHED * math.sqrt(max(1, smallest)))
    n_groups = 0
    highest = sum(ladder.losses[-1] for ladder in problem.ladders)
    for price in np.linspace(0, highest, PRICES + 1)[1:]:
        free = np.flatnonzero(group_of < 0)
        rows = int(compiled.sizes[free].sum())
        if rows < max(1, smallest):
            break
        if time.perf_counter() > deadline:
            return group_of, False
        wanted = max(_LEAST_SAMPLE, _ROWS_OF_A_SAMPLED_GROUP * len(free) // max(1, smallest))
        sampled = np.sort(draw.choice(free, min(len(free), wanted), replace=False))
        sample = nodes._replace(
            first_part=np.ascontiguousarray(nodes.first_part[:, sampled]),
            second_part=np.ascontiguousarray(nodes.second_part[:, sampled]),
            keys=np.ascontiguousarray(nodes.keys[sampled]),
            sizes=nodes.sizes[sampled],
        )
        least = max(1.0, smallest * int(sample.sizes.sum()) / rows)
        # parts only shrink, so a node sleeps until the price reaches what its parts cost
        chosen = np.flatnonzero((wakes < price) & (losses < _ABOVE_THE_PRICE * price))
        if len(chosen) > most_weighed:
            chosen = np.sort(draw.choice(chosen, most_weighed, replace=False))
        values = np.zeros(len(losses))
        everyone = np.arange(len(sampled))
        weigh = partial(weigh_nodes, sample, everyone, least, price, values, wakes)
        work = len(chosen) * len(everyone)
        in_threads(work, weigh, np.array_split(chosen, n_threads()))
        n_groups = take_best_nodes(
            compiled, nodes, sample, sampled, least, price, values, group_of, n_groups
        )
    return group_of, True


def price_nodes(ladders: Sequence[Ladder], keys: Codes, sizes: Counts) -> tuple[Nodes, Floats]:
    """All nodes of a lattice of some levels, or the cheapest; and what each loses on average."""
    if math.prod(len(ladder.losses) for ladder in ladders) > MOST_NODES:
        ladders = thinned(ladders, MOST_NODES)
    lattice = make_lattice(ladders, keys, [0] * len(ladders))
    start = np.zeros((len(ladders), max(len(ladder.nodes) for ladder in ladders)), np.int64)
    costs: list[Floats] = []
    filled = 0
    for column, ladder in enumerate(ladders):
        for level, cost in enumerate(ladder.costs):
            start[column, level] = filled
            costs.append(cost)
            filled += len(cost)
    costs_of = start, np.concatenate(costs)
    return Nodes(*lattice[2:], lattice.levels, *costs_of, keys, sizes), lattice.losses


def by_walk(problem: LocalProblem, deadline: float) -> tuple[NDArray[np.int64], bool]:
    """Cells released at the finest generalization at which they are allowed, on average."""
    group_of = np.full(len(problem.keys), -1, np.int64)
    n_groups = 0
    for stage in range(max(len(ladder.losses) for ladder in problem.ladders)):
        if not (group_of < 0).any():
            break
        walk = make_walk(problem, stage, group_of)
        marked = 2 * len(group_of) + 1
        for begin in range(0, len(walk.first), _STEPS_PER_LOOK):
            n_left = int((group_of < 0).sum())
            if n_left == 0:
                return group_of, True
            if time.perf_counter() > deadline:
                return group_of, False
            if n_left < 0.7 * marked:  # marking costs as much as many steps: only when it pays
                mark_walk(problem.compiled, walk, n_left)
                marked = n_left
            end = min(begin + _STEPS_PER_LOOK, len(walk.first))
            n_groups = walk_steps(problem.compiled, walk, begin, end, n_groups)
        if walk.is_whole and problem.compiled.size_only:
            break  # parts only shrink: what is too small now is so at every node
    return group_of, True


def mark_walk(compiled: CompiledModel, walk: Walk, n_left: int) -> None:
    """Mark the cells in no group, and which of them are alive; before the first step, and later."""
    bits = np.zeros(64 * walk.remaining.shape[1], np.bool_)
    bits[: len(walk.group_of)] = walk.group_of < 0
    walk.remaining[0] = np.packbits(bits, bitorder="little").view("<u8")
    parts, alive = (
        [some for half in halves for some in np.array_split(half, n_threads())]
        for halves in ((walk.first_part, walk.second_part), (walk.first_alive, walk.second_alive))
    )
    mark = partial(mark_alive, compiled.sizes, walk.group_of, compiled.minimum_size)
    in_threads(n_left * sum(map(len, parts)), mark, parts, alive)


def make_walk(problem: LocalProblem, stage: int, group_of: NDArray[np.int64]) -> Walk:
    """A walk before its first step; steps are in the order of their average loss.

    Levels below `stage` are left out: where there are more nodes than fit, later stages begin
    higher up.
    """
    keys, axis = problem.keys, problem.axis
    columns = sorted(
        (column for column in range(len(problem.ladders)) if column != axis),
        key=lambda column: -len(problem.ladders[column].losses),
    )
    ladders = [problem.ladders[column] for column in columns]
    lowest = [min(stage, len(ladder.losses) - 1) for ladder in ladders]
    widths = np.array(WIDTHS if axis >= 0 else (1.0,))
    lattice = make_lattice(ladders, keys[:, columns], lowest, len(widths))
    extra = widths * (problem.ladders[axis].losses[-1] if axis >= 0 else 0.0)
    order = np.argsort((lattice.losses[:, None] + extra[None, :]).ravel(), kind="stable")
    node, width = np.divmod(order, len(widths))
    n_first, n_second = len(lattice.first_part), len(lattice.second_part)
    n_words = (len(keys) + 63) // 64
    # without an axis each node comes once, so that it need not be remembered who is alive at it
    keeps_alive = axis >= 0 and n_first * n_second * n_words < _MOST_ALIVE_WORDS
    return Walk(
        problem.position[keys[:, axis]],
        lattice.first_part,
        lattice.second_part,
        lattice.n_second,
        lattice.first[node],
        lattice.second[node],
        widths[width] + 1e-9 * (widths[width] < 1),  # rounding must not shut a value out
        np.zeros((n_first, n_words), np.uint64),
        np.zeros((n_second, n_words), np.uint64),
        np.zeros((n_first * n_second if keeps_alive else 0, n_words), np.uint64),
        np.zeros(n_first * n_second, np.int8),
        np.zeros((1, n_words), np.uint64),
        group_of,
        len(lattice.losses) == math.prod(len(ladder.losses) for ladder in ladders),
    )


def by_regions(
    problem: LocalProblem, deadline: float, *, loss: float = 0.0, alphabet: bool = False
) -> tuple[NDArray[np.int64], bool]:
    """Mondrian's regions, cut where the widest column is; with `loss` 1, where most is saved.

    Columns have the order of the table, which decides between cuts that are equally good.
    """
    position = np.argsort(problem.order)
    weight = problem.loss.weight[position]
    shares = weight / weight.max() if weight.max() > 0 else np.ones_like(weight)
    preferences = Preferences(shares, spread=1 - loss, priority=1 - loss, loss=loss)
    by_tree = tuple(problem.codings[column] for column in position)
    codings = problem.by_alphabet if alphabet and problem.by_alphabet else by_tree
    keys = np.ascontiguousarray(problem.keys[:, position])
    cells = FrequencyTable(codings, keys, problem.compiled.sizes)
    leaf = grow_regions(cells, problem.compiled, preferences, None, deadline).leaves()
    is_used = np.zeros(int(leaf.max(initial=-1)) + 1, np.bool_)
    is_used[leaf] = True
    group_of: NDArray[np.int64] = (np.cumsum(is_used, dtype=np.int64) - 1)[leaf]
    return group_of, time.perf_counter() <= deadline


STARTS: dict[str, Start] = {
    "price": by_price,
    "walk": by_walk,
    "regions": by_regions,
    "loss": partial(by_regions, loss=1.0),
    "alphabet regions": partial(by_regions, alphabet=True),
    "alphabet loss": partial(by_regions, loss=1.0, alphabet=True),
}
