"""Give up the dearest groups and make new ones of their rows, as long as that lowers the loss.

Groups are made at rising prices, so those made last take what is left over, at a high loss: a few
more or fewer rows left change it by several per cent.  Keeping the cheap groups and redoing the
dear end, each time with another sample that nodes are compared on, costs little and gains most
where groups are few and large, which is where single moves gain least.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._threads import n_threads
from shoal.anonymize.clusters._group_kernels import Groups, total_loss
from shoal.anonymize.clusters._local_problem import LocalProblem
from shoal.anonymize.clusters.prices._priced import Lattice, fill_by_price, make_lattice
from shoal.typing import Counts

Finish = Callable[[NDArray[np.int64]], Groups]
"""From groups of some cells (-1: none) to a grouping of all."""

_SHARES = (0.15, 0.3, 0.5, 0.8, 1.0)  # of the rows, that are redone, round by round
_PRICES = (40, 20)  # of the tries of one round, which differ in their samples as well
_ROUNDS, _ROUNDS_OF_A_CELL = 12, 220_000
_LARGE, _MOST_GROUPS = 50, 512  # rows of a group, and groups; else single moves gain as much
_BELOW = 0.8  # of the least loss given up: at lower prices nothing new is found


class Redone(NamedTuple):
    """A grouping and what it loses."""

    group_of: NDArray[np.int64]
    loss: float


def redo_rounds(problem: LocalProblem) -> int:
    """Rounds that are worth their time: none where groups are small or many."""
    rows, least = int(problem.compiled.sizes.sum()), problem.compiled.minimum_size
    if least < _LARGE or rows // least > _MOST_GROUPS:
        return 0
    return min(_ROUNDS, _ROUNDS_OF_A_CELL // max(1, len(problem.keys)))


def redo_dearest(
    problem: LocalProblem,
    first: Redone,
    finish: Finish,
    is_allowed: Callable[[NDArray[np.int64]], bool],
    deadline: float,
) -> Redone:
    """The best grouping that redoing the dearest groups comes to; never worse than the first.

    `finish` finds a group for cells that are left over; only what `is_allowed` is kept.
    """
    n_rounds = redo_rounds(problem)
    if n_rounds == 0 or first.loss <= 0:
        return first
    lattice = make_lattice(problem.ladders, problem.keys, problem.compiled)
    best = first
    with ThreadPoolExecutor(n_threads()) as pool:
        for turn in range(n_rounds):
            if time.perf_counter() > deadline:
                break
            kept, above = keep_cheap(finish(best.group_of), _SHARES[turn % len(_SHARES)])
            tries = [
                (lattice, kept, above, prices, len(_PRICES) * turn + number + 1)
                for number, prices in enumerate(_PRICES)
            ]
            found = pool.map(lambda each: _redo(problem, finish, deadline, *each), tries)
            for other in found:
                if other.loss < best.loss - 1e-9 and is_allowed(other.group_of):
                    best = other
    return best


def _redo(
    problem: LocalProblem,
    finish: Finish,
    deadline: float,
    lattice: Lattice,
    kept: NDArray[np.int64],
    above: float,
    prices: int,
    seed: int,
) -> Redone:
    group_of, in_time = fill_by_price(
        lattice, problem.compiled, kept, deadline, prices=prices, above=above, seed=seed
    )
    if not in_time:
        return Redone(group_of, np.inf)
    groups = finish(group_of)
    return Redone(groups.group_of, total_loss(groups))


def keep_cheap(groups: Groups, share: float) -> tuple[NDArray[np.int64], float]:
    """Groups without the dearest, which hold a share of the rows; the price to begin at."""
    used = np.flatnonzero(groups.size > 0)
    dear = dearest(groups.size[used], groups.loss[used], share)
    number = np.full(len(groups.size), -1, np.int64)
    number[used[~dear]] = np.arange(int((~dear).sum()))
    return number[groups.group_of], _BELOW * float(groups.loss[used[dear]].min())


def dearest(rows: Counts, loss: NDArray[np.float64], share: float) -> NDArray[np.bool_]:
    """The groups that lose most and hold a share of the rows together; two or more of them."""
    order = np.argsort(-loss, kind="stable")
    n_dear = max(2, int(np.searchsorted(np.cumsum(rows[order]), share * rows.sum())) + 1)
    dear = np.zeros(len(rows), np.bool_)
    dear[order[:n_dear]] = True
    return dear
