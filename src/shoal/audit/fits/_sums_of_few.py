"""Whether sums tell of a few people what bits over everybody do not show.

Of ten thousand people sums have fewer bits than nobody knows, and yet one leaf may add up twelve of
them.  So the bits of each sum are dealt out to the people that it adds up.  Where some people have
all that is told of them, one at least has as many bits as are not known of a person.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal.audit.fits._moment_bits import MOST_BITS, SPARE_BITS, bits_of_classes, step_of
from shoal.typing import Floats

Part: TypeAlias = tuple[NDArray[np.integer], list[NDArray[np.int64]], NDArray[np.integer], int]
"""Of one tree: rows numbered by leaves, leaves behind each number, rows' own, and how many."""


@dataclass
class BitsOfPeople:
    """Bits that sums reveal about each person, as a share of the unknown ones.

    Parameters
    ----------
    n_rows : int
        People.
    """

    n_rows: int
    told: Floats = field(init=False)
    spare: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.told, self.spare = np.zeros(self.n_rows), np.zeros(self.n_rows)

    def add(self, people: NDArray[np.intp], bits: float, unknown: float) -> None:
        """Spread the bits of sums over people, each of whom has `unknown` bits to hide."""
        if len(people) and unknown > 0:
            whole = len(people) * unknown
            self.told[people] += bits / whole
            self.spare[people] = np.maximum(self.spare[people], SPARE_BITS / whole)

    @property
    def is_all(self) -> bool:
        """Whether too few combinations are left of somebody."""
        return bool((self.told + np.minimum(self.told, self.spare) >= 1.0).any())


def add_parts(
    bits: BitsOfPeople,
    label: NDArray[np.integer],
    outputs: list[NDArray[np.int64]],
    own: NDArray[np.integer],
    known: Floats,
    n_sums: int = 1,
) -> None:
    """Deal out sums of what everybody knows, over the people of each leaf or cluster.

    Parameters
    ----------
    bits : BitsOfPeople
        What is told so far.
    label : ndarray
        Rows numbered by the leaves or clusters that they can be in.
    outputs : list of ndarray
        Leaves or clusters behind each number.
    own : ndarray
        The one that each row is in.
    known : ndarray of shape (n_rows, n_columns)
        What everybody knows of the rows, and what is summed up.
    n_sums : int, default=1
        Sums of each column: two where there is a deviation beside a mean.
    """
    steps = [_step(column) for column in known.T]
    many = [number for number, ways in enumerate(outputs) if len(ways) > 1]
    order = np.argsort(label, kind="stable")
    start = np.searchsorted(label[order], np.arange(len(outputs) + 1))
    rows_of = {number: order[start[number] : start[number + 1]] for number in many}
    joined: dict[tuple[int, ...], list[int]] = {}
    numbers_of: dict[int, list[int]] = {}
    for number in many:
        for output in outputs[number].tolist():
            numbers_of.setdefault(output, []).append(number)
    for output, numbers in numbers_of.items():
        joined.setdefault(tuple(numbers), []).append(output)
    for numbers, together in joined.items():
        people = np.concatenate([rows_of[number] for number in numbers])
        # what is in the last of them is what the others leave, if there are no more
        closed = all(len(outputs[number]) == len(together) for number in numbers)
        n_free = len(together) - closed
        told = sum(_bits(column[people], step) for column, step in zip(known.T, steps, strict=True))
        bits.add(people, n_free * n_sums * told, bits_of_classes(own[people]))


def add_columns(
    bits: BitsOfPeople,
    matrix: Floats,
    steps: float,
    gaps: Floats,
    unknown: Callable[[NDArray[np.intp]], float],
    n_outputs: int,
) -> None:
    """Deal out the sums of a linear model, over the people whom each feature sets apart.

    As in :func:`~shoal.audit.fits._moment_bits.tells_too_much`, but `unknown` says how many bits
    are not known of some people, each of them: where nearly all of them have one class it is few.
    """
    everybody = unknown(np.arange(len(matrix)))
    for column, gap in zip(matrix.T, gaps, strict=True):
        known = np.where(np.isfinite(column), column, 0.0)
        values, counts = np.unique(known, return_counts=True)
        if len(values) < 2:
            continue
        away = np.abs(known - values[counts.argmax()])
        people = np.flatnonzero(away)
        own = everybody
        if np.ptp(known[people]):  # else a sum is a count, which tells nobody from another
            own = min(own, unknown(people)) or own
        whole = float(away.sum()) * steps
        least = max(step_of(values), gap, whole * 2.0**-MOST_BITS)
        bits.add(people, float(np.log2(1 + whole / least)) * n_outputs, own)


def _step(column: Floats) -> float:
    values = np.unique(column[np.isfinite(column)])
    return step_of(values) if len(values) > 1 else 0.0


def _bits(values: Floats, step: float) -> float:
    """Bits of a sum over some of these: at most the root of n times their deviation from it."""
    values = values[np.isfinite(values)]
    if len(values) < 2:
        return 0.0
    wide = len(values) * float(values.std())
    return float(np.log2(1 + wide / max(step, wide * 2.0**-MOST_BITS))) if wide else 0.0
