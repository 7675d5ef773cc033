"""How many rows an attacker links who knows the raw quasi-identifiers of everybody."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.metrics._wilson import wilson
from shoal.typing import Codes, Floats

TARGETS = 1_000
"""People who are looked for, at most; drawn alike."""

_PAIRS = 4_000_000  # distances computed at a time


@dataclass(frozen=True)
class Linkage:
    """What an attack by nearest row achieved.

    Parameters
    ----------
    share, low, high : float
        Rows that are found again, with a 95 % interval; a tie among n rows counts as 1/n.
    trials : int
        People who were looked for.
    baseline : float
        What guessing a row achieves.
    """

    share: float
    low: float
    high: float
    trials: int
    baseline: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


class Points(NamedTuple):
    """Rows as an attacker compares them: numbers by distance, other values by being the same."""

    numbers: Floats
    codes: Codes

    def take(self, rows: NDArray[np.int64]) -> Points:
        """Some of the rows."""
        return Points(self.numbers[rows], self.codes[rows])


def link(
    raw: Points, released: Points, generator: np.random.Generator, targets: int = TARGETS
) -> Linkage:
    """Take the nearest released row for each raw one; rows with equal numbers belong together.

    Examples
    --------
    >>> nothing = np.empty((3, 0), np.int32)
    >>> here = np.array([[0.0], [1.0], [5.0]])
    >>> found = link(Points(here, nothing), Points(here + 0.1, nothing), np.random.default_rng(0))
    >>> found.share, found.trials
    (1.0, 3)
    """
    n = len(raw.numbers)
    wanted = np.sort(generator.permutation(n)[:targets])
    step = max(1, _PAIRS // max(n, 1))
    n_linked = 0.0
    for start in range(0, len(wanted), step):
        rows = wanted[start : start + step]
        apart = _distances(raw.take(rows), released)
        nearest = apart.min(axis=1)
        room = 1e-9 * (1.0 + nearest)
        own = apart[np.arange(len(rows)), rows] <= nearest + room
        ties = (apart <= (nearest + room)[:, None]).sum(axis=1)
        n_linked += float((own / ties).sum())
    low, high = wilson(n_linked, len(wanted))
    return Linkage(n_linked / max(len(wanted), 1), low, high, len(wanted), 1 / max(n, 1))


def _distances(rows: Points, others: Points) -> Floats:
    total = np.zeros((len(rows.numbers), len(others.numbers)))
    for own, theirs in zip(rows.numbers.T, others.numbers.T, strict=True):
        total += (own[:, None] - theirs[None, :]) ** 2
    for own_codes, their_codes in zip(rows.codes.T, others.codes.T, strict=True):
        total += own_codes[:, None] != their_codes[None, :]
    return total


def place_numbers(raw: Floats, released: Floats) -> tuple[Floats, Floats]:
    """Two sides of both tables for a column of numbers, by the spread that it has in the raw one.

    A missing value lies in the middle on the first side, and apart on the second.
    """
    middle, spread = np.nanmean(raw), np.nanstd(raw)
    placed = []
    for values in (raw, released):
        absent = np.isnan(values)
        position = np.where(absent, 0.0, (values - middle) / (spread or 1.0))
        placed.append(np.column_stack([position, absent.astype(np.float64)]))
    return placed[0], placed[1]
