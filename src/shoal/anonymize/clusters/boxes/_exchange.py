"""Exchange the boxes of few large groups for others, as long as that lowers the loss.

Where groups are few and large, moves of single cells gain little, since a group cannot do without
most of its rows.  Whole boxes are exchanged instead: thousands are tried in a second, in two
searches side by side.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._resources import n_threads
from shoal.anonymize.clusters._local_plan import Ladder
from shoal.anonymize.clusters._local_problem import LocalProblem
from shoal.anonymize.clusters.boxes._box_kernels import Boxes, Places, fill_boxes, mark_below
from shoal.anonymize.clusters.boxes._exchange_kernels import exchange_boxes
from shoal.typing import Floats

LARGE, _MOST_BOXES = 50, 1_024  # rows of a group, and groups; else single moves gain as much
_WORK, _WORK_OF_A_CELL = 400_000_000, 25_000  # cells looked at, in all
_STAGES = 10  # between two of them the clock is looked at
_HEAT = 0.02  # by how much loss may rise at first: of a column, for as many rows as a group needs
_HOTTER, _COOLED = 0.05, 0.002  # the same for the second search, and what is left of it in the end
_LONG, _LONG_HEAT = 20, 5  # times the work and the heat of the first search, where asked for
_MOST_CODES = 1_024  # of a column that has a mask for each of them


class Exchanged(NamedTuple):
    """A grouping and what it loses."""

    group_of: NDArray[np.int64]
    loss: float


def exchange_work(problem: LocalProblem) -> int:
    """Cells that are worth looking at: none where groups are small or many."""
    sizes, least = problem.compiled.sizes, problem.compiled.minimum_size
    n_groups = int(sizes.sum()) // max(1, least)
    # a cell without rows of its own would be left behind in a box that counts as empty
    if least < LARGE or not 2 <= n_groups <= _MOST_BOXES or sizes.min() < 1:
        return 0
    return min(_WORK, _WORK_OF_A_CELL * len(sizes))


def exchange(
    problem: LocalProblem, first: Exchanged, deadline: float, seed: int = 1, *, long: bool = False
) -> Exchanged:
    """The best grouping that exchanging boxes comes to; never worse than the first.

    Two searches begin at it.  One cools evenly, the other is hotter and cools by a share in every
    stage: which of them ends better is chance, and a second core has nothing else to do.  With
    `long` both look at more, and the one that cools evenly begins hotter: more looks alone gain
    little.
    """
    work = exchange_work(problem) * (_LONG if long else 1)
    if work == 0 or first.loss <= 0:
        return first
    if long:  # what the short searches find is not lost
        first = exchange(problem, first, deadline, seed)
    boxes = make_boxes(problem, first.group_of)
    searches = zip(
        (boxes, _beside(boxes)),
        _warmths(problem, _LONG_HEAT if long else 1),
        (seed, seed + 1),
        strict=True,
    )

    def search(own: tuple[Boxes, Floats, int]) -> Exchanged:
        return _search(first, work, deadline, *own)

    with ThreadPoolExecutor(n_threads()) as pool:
        return min(pool.map(search, list(searches)), key=lambda found: found.loss)


def _warmths(problem: LocalProblem, hotter: int = 1) -> tuple[Floats, Floats]:
    """By how much loss may rise at the ends of the stages of each search."""
    unit = problem.compiled.minimum_size * float(problem.loss.weight.mean())
    return (
        np.linspace(hotter * _HEAT * unit, 0, _STAGES + 1),
        np.geomspace(_HOTTER * unit, _COOLED * unit, _STAGES + 1),
    )


def _search(
    first: Exchanged, work: int, deadline: float, boxes: Boxes, warm: Floats, seed: int
) -> Exchanged:
    """The best grouping of one search, which changes the boxes."""
    best, state = first, seed
    for stage in range(_STAGES):
        if time.perf_counter() > deadline:
            break
        now = float((boxes.places.size * boxes.places.loss).sum())
        loss, state, group_of = exchange_boxes(
            boxes, now, work // _STAGES, warm[stage], warm[stage + 1], state
        )
        if loss < best.loss - 1e-9:
            best = Exchanged(group_of, loss)
    return best


def make_boxes(problem: LocalProblem, group_of: NDArray[np.int64]) -> Boxes:
    """The boxes of a complete grouping, with room for as many as there can be."""
    number = np.unique(group_of, return_inverse=True)[1].astype(np.int64)
    compiled, keys = problem.compiled, problem.keys
    (n, d), n_words = keys.shape, (len(keys) + 63) // 64
    n_groups = int(number.max()) + 1
    n_boxes = max(n_groups, int(compiled.sizes.sum()) // max(1, compiled.minimum_size)) + 2
    start = _mask_starts(problem.loss.n_codes)
    boxes = Boxes(
        problem.loss,
        compiled,
        keys,
        mark_below(keys, start, problem.loss.n_codes),
        start,
        *_ladder_ends(problem.ladders, problem.loss.n_codes),
        Places(
            np.empty(n, np.int64),
            np.zeros((n_boxes, n_words), np.uint64),
            np.zeros(n_boxes, np.int64),
            np.zeros(n_boxes),
            compiled.sizes,
            np.empty(4 * n, np.int64),
            np.empty(4 * n, np.int64),
            np.zeros(2, np.int64),
            np.zeros(1),
        ),
        np.zeros((n_boxes, d), np.int32),
        np.zeros((n_boxes, d), np.int32),
        np.zeros((n_boxes, compiled.n_codes), np.int64),
        np.empty(n, np.int64),
        np.empty(n_boxes, np.int64),
        np.zeros(n_boxes, np.bool_),
    )
    fill_boxes(boxes, number, n_groups)
    return boxes


def _beside(boxes: Boxes) -> Boxes:
    """The same boxes for another search, which shares only what no search changes."""
    places = boxes.places._replace(
        group_of=boxes.places.group_of.copy(),
        member=boxes.places.member.copy(),
        size=boxes.places.size.copy(),
        loss=boxes.places.loss.copy(),
        moved=boxes.places.moved.copy(),
        origin=boxes.places.origin.copy(),
        log=boxes.places.log.copy(),
        change=boxes.places.change.copy(),
    )
    return boxes._replace(
        places=places,
        low=boxes.low.copy(),
        high=boxes.high.copy(),
        histogram=boxes.histogram.copy(),
        cells=boxes.cells.copy(),
        rows=boxes.rows.copy(),
        touched=boxes.touched.copy(),
    )


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
