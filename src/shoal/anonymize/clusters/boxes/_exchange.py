"""Exchange the boxes of groups for others, as long as that lowers the loss.

Moves of single cells gain little where groups are large, since a group cannot do without most of
its rows, and end early where they are small.  Whole boxes are exchanged instead: hundreds of
thousands are looked at in a second.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._resources import n_threads
from shoal.anonymize.clusters._improve import cut_groups, effort_of
from shoal.anonymize.clusters._local_problem import Block, Ladder, LocalProblem
from shoal.anonymize.clusters.boxes._box_kernels import (
    Around,
    Boxes,
    Ladders,
    Lookup,
    Places,
    Tally,
    fill_boxes,
    mark_below,
)
from shoal.anonymize.clusters.boxes._exchange_kernels import cover_all, exchange_boxes
from shoal.typing import Floats

_MOST_BOXES = 2_048  # groups that are exchanged together
_TURNS = 4  # parts of many groups are cut anew so often
_STAGES = 8  # between two of them the clock is looked at
_HEAT, _COOLED = 0.06, 0.006  # by how much loss may rise, first and last: of a group's loss
_HEAT_IN_HASTE = 0.5  # of it in a short search, which has no time to make up for what it loses
_DEAR_IN_HASTE = 0.7  # of what a row loses on average: beyond, few labels are tried then
_MOST_CODES = 1_024  # of a column that has a mask for each of them
_MOST_PLACES = 2**18  # pairs of codes in the columns that cells are sorted by
_LENDERS = 16  # boxes whose spare rows are known


class Exchanged(NamedTuple):
    """A grouping and what it loses."""

    group_of: NDArray[np.int64]
    loss: float


def exchange(
    problem: LocalProblem, first: Exchanged, deadline: float, seed: int = 1, *, share: float = 1
) -> Exchanged:
    """The best grouping that exchanging boxes comes to; never worse than the first.

    Two searches begin at it: which of them ends better is chance, and a second core has nothing
    else to do.  Many groups are searched in parts that lie together, cut anew in every turn; a turn
    goes on where the last one ended, which need not be the best that it came by.  They look at a
    `share` of the boxes that are worth it: more than all where loss counts, fewer where time does.
    """
    work = int(effort_of(problem).looks * share)
    if work == 0 or first.loss <= 0:
        return first
    n_groups = len(np.unique(first.group_of))
    n_turns = 1 if n_groups <= _MOST_BOXES else _TURNS
    heats = np.geomspace(_HEAT, _COOLED, n_turns + 1) * first.loss / n_groups
    dear = np.inf
    if share < 1:
        heats *= _HEAT_IN_HASTE
        dear = _DEAR_IN_HASTE * first.loss / float(problem.compiled.sizes.sum())
    group_of, best = np.unique(first.group_of, return_inverse=True)[1], first
    with ThreadPoolExecutor(n_threads()) as pool:
        for turn in range(n_turns):
            if n_turns > 1:
                parts = cut_groups(problem, group_of, turn, _MOST_BOXES)
            else:
                parts = [np.arange(len(group_of))] * 2
            of_a_turn = work // n_turns, heats[turn:], dear, deadline
            search = partial(_search, problem, group_of, *of_a_turn)
            seeds = range(seed + turn, seed + turn + len(parts))
            ends, bests = zip(*pool.map(search, parts, seeds), strict=True)
            if n_turns == 1:
                found = min(bests, key=attrgetter("loss"))
            else:
                group_of = _put_together(parts, ends).group_of
                found = _put_together(parts, bests)
            if found.loss < best.loss - 1e-9:
                best = found
    return best


def _put_together(parts: Sequence[Block], found: Sequence[Exchanged]) -> Exchanged:
    """The groupings of all parts as one."""
    group_of = np.empty(sum(map(len, parts)), np.int64)
    n_groups = 0
    for part, own in zip(parts, found, strict=True):
        group_of[part] = np.unique(own.group_of, return_inverse=True)[1] + n_groups
        n_groups = int(group_of[part].max()) + 1
    return Exchanged(group_of, sum(own.loss for own in found))


def _search(
    problem: LocalProblem,
    group_of: NDArray[np.int64],
    work: int,
    heats: Floats,
    dear: float,
    deadline: float,
    cells: Block,
    seed: int,
) -> tuple[Exchanged, Exchanged]:
    """Where one search through some of the cells ends, and the best that it came by.

    `work` is that of all cells.
    """
    boxes, order = make_boxes(problem.take(cells), group_of[cells])
    places, state = boxes.places, seed
    end = best = Exchanged(places.group_of.copy(), float(places.size @ places.loss))
    budget = work * len(cells) // len(problem.keys) // _STAGES
    warm = np.geomspace(heats[0], heats[1], _STAGES + 1)
    for stage in range(_STAGES):
        if time.perf_counter() > deadline:
            break
        loss, state, found = exchange_boxes(
            boxes, end.loss, budget, warm[stage], warm[stage + 1], dear, state
        )
        end = Exchanged(places.group_of, float(places.size @ places.loss))
        if loss < best.loss - 1e-9:
            best = Exchanged(found, loss)
    back = np.argsort(order)
    return Exchanged(end.group_of[back], end.loss), Exchanged(best.group_of[back], best.loss)


def make_boxes(problem: LocalProblem, group_of: NDArray[np.int64]) -> tuple[Boxes, Block]:
    """The boxes of a complete grouping, with room for as many as there can be.

    Cells are sorted by two columns: returns also which cell stands where.
    """
    n_codes = problem.loss.n_codes
    start = _mask_starts(n_codes)
    leading = int(np.argmin(start))  # one without masks, if there is any
    second = [j for j in np.flatnonzero(start >= 0).tolist() if j != leading][:1]
    if second and n_codes[leading] * (n_codes[second[0]] + 1) > _MOST_PLACES:
        second = []
    lead = np.array([leading, *second, -1][:2])
    width = int(n_codes[lead[1]]) + 1 if second else 1
    place = problem.keys[:, leading].astype(np.int64) * width
    if second:
        place += problem.keys[:, lead[1]]
    order = np.lexsort((*problem.keys.T[::-1], place))
    first = np.searchsorted(place[order], np.arange(n_codes[leading] * width + 1)).astype(np.int64)
    problem = problem.take(order)
    number = np.unique(group_of[order], return_inverse=True)[1].astype(np.int64)
    compiled, keys = problem.compiled, problem.keys
    n, d = keys.shape
    n_groups = int(number.max()) + 1
    n_boxes = max(n_groups, int(compiled.sizes.sum()) // max(1, compiled.minimum_size)) + 2
    n_words, log = (n_boxes + 63) // 64, np.zeros(3, np.int64)
    boxes = Boxes(
        problem.loss,
        compiled,
        keys,
        Lookup(
            keys,
            n_codes,
            lead,
            first,
            width,
            mark_below(keys, start, n_codes),
            start,
            np.empty((d, 2), np.int64),
            log,
        ),
        Ladders(*_ladder_ends(problem.ladders, n_codes), n_codes),
        Places(
            np.empty(n, np.int64),
            np.full(n_boxes, -1, np.int64),
            np.full(n, -1, np.int64),
            np.full(n, -1, np.int64),
            np.zeros(n_boxes, np.int64),
            np.zeros(n_boxes),
            compiled.sizes,
            np.empty(4 * n, np.int64),
            np.empty(4 * n, np.int64),
            log,
            np.zeros(1),
        ),
        Around(
            np.zeros((n, n_words), np.uint64),
            np.zeros(n),
            np.zeros(n_boxes),
            np.zeros((n_boxes, _LENDERS), np.int64),
            np.zeros((n_boxes, _LENDERS)),
            np.zeros((n_boxes, _LENDERS), np.int64),
            np.full(n_boxes, -1, np.int64),
        ),
        np.zeros((n_boxes, d), np.int32),
        np.zeros((n_boxes, d), np.int32),
        np.zeros((n_boxes, compiled.n_codes), np.int64),
        np.zeros(n_boxes, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(64 * n_words, np.int64),
        np.empty(n_boxes, np.int64),
        Tally(np.empty(n_boxes, np.int64), np.zeros(n_boxes, np.int64), np.zeros(n_boxes)),
        np.zeros(n_boxes, np.bool_),
        np.zeros(n_boxes, np.bool_),
        np.zeros(n, np.bool_),
        np.empty(n, np.int64),
    )
    fill_boxes(boxes, number, n_groups)
    cover_all(boxes, n_groups)
    return boxes, order


def _mask_starts(n_codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where the masks of each column begin; -1 for columns with too many codes."""
    few = n_codes <= _MOST_CODES
    rows = np.where(few, n_codes + 1, 0)
    return np.where(few, np.cumsum(rows) - rows, -1)


def _ladder_ends(
    ladders: tuple[Ladder, ...], n_codes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Least and largest code of the label of every code at every step, and where they stand."""
    low: list[NDArray[np.int64]] = []
    high: list[NDArray[np.int64]] = []
    for ladder, n in zip(ladders, n_codes.tolist(), strict=True):
        codes = np.arange(n)
        for nodes in ladder.nodes:
            first = np.full(int(nodes.max(initial=0)) + 1, n, np.int64)
            last = np.zeros_like(first)
            np.minimum.at(first, nodes[:n], codes)
            np.maximum.at(last, nodes[:n], codes)
            low.append(first[nodes[:n]])
            high.append(last[nodes[:n]])
    n_steps = np.array([len(ladder.nodes) for ladder in ladders], np.int64)
    room = n_steps * n_codes
    return np.concatenate(low), np.concatenate(high), np.cumsum(room) - room, n_steps
