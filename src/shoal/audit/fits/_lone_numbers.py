"""Whether sums over people tell a number that fewer than k of them have.

A mean over k people is one of k, and yet it says what one has where the others have nothing, or
little beside it, or only round numbers.  Statistical offices call the first two dominance, and
keep such totals to themselves.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from shoal.audit._training_table import TrainingTable
from shoal.audit.trees._lone_thresholds import is_scale
from shoal.typing import Floats

BESIDE = 0.1
"""All others are negligible beside one number if together they lie less than this share of its
distance away from the median."""
DIGITS = 3
"""Digits that the numbers of few people have beyond those of all others."""
FINEST, ROUNDEST = 9, -9


def tells_of_few(values: Floats, k: int) -> bool:
    """Whether mean and deviation of these numbers tell those of fewer than `k` people.

    Examples
    --------
    >>> tells_of_few(np.array([0, 0, 0, 0, 0, 0, 250.0]), 5)
    True
    >>> tells_of_few(np.array([210, 180, 230, 240, 190, 200, 12345.0]), 5)
    True
    >>> tells_of_few(np.array([21e3, 18e3, 23e3, 24e3, 19e3, 20e3, 21345.0]), 5)
    True
    >>> tells_of_few(np.array([210, 180, 230, 240, 190, 200, 250.0]), 5)
    False
    """
    known = np.sort(values[np.isfinite(values)])
    if len(known) < 2 or known[0] == known[-1]:
        return False
    starts = np.flatnonzero(np.r_[True, known[1:] != known[:-1]])
    most = int(np.diff(np.r_[starts, len(known)]).max())
    if 2 * most >= len(known) and len(known) - most < k:
        return True  # all others have the same
    away = np.abs(known - np.median(known))
    if away.sum() - away.max() < BESIDE * away.max():
        return True  # all others are negligible beside one
    digits = np.sort(_decimals(known))[::-1][:k]
    return len(known) > len(digits) - 1 and bool((digits[:-1] - digits[1:] >= DIGITS).any())


def lone_sums(
    table: TrainingTable, names: Iterable[str], groups: NDArray[np.integer], k: int
) -> list[str]:
    """Private numeric columns of which a sum over a group reveals the values of few people."""
    order = np.argsort(groups, kind="stable")
    cuts = np.flatnonzero(np.diff(groups[order])) + 1
    lone = []
    for name in names:
        if table.schema[name].role != "sensitive" or table.frame.types.get(name) != "number":
            continue
        values = np.asarray(table.frame.numbers(name), np.float64)
        lots = np.split(values[order], cuts)
        if not is_scale(values) and any(tells_of_few(own, k) for own in lots):
            lone.append(name)
    return lone


def lone_message(name: str, k: int) -> str:
    """The finding about a column, without any of its numbers."""
    return (
        f"means of {name!r} over people of whom fewer than {k} have much of it, or digits that the "
        "others have not: their numbers may follow. Cap and round them before you train"
    )


def _decimals(values: Floats) -> NDArray[np.int64]:
    """Digits behind the point that each number needs; before it, if it is round."""
    decimals = np.full(len(values), FINEST, np.int64)
    for digits in range(FINEST - 1, ROUNDEST - 1, -1):
        scaled = values * 10.0**digits
        fits = np.abs(scaled - np.round(scaled)) <= 1e-9 * np.maximum(1, np.abs(scaled)) * 1e-3
        decimals[fits & (decimals == digits + 1)] = digits
    return decimals
