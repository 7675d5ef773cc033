"""The rows of a table as features for a model: numbers in their own spread, values as shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.metrics.kept._shares import ColumnPair
from shoal.typing import Floats


@dataclass(frozen=True, eq=False)
class FeaturePair:
    """Features of raw and released rows, and the column that each is of.

    A number is counted in standard deviations of the raw column from its mean; where it is missing
    the mean of its own table stands in, with a flag beside it.  Of values the most frequent one is
    what others are compared with, and has no feature.
    """

    raw: Floats
    released: Floats
    column_of: tuple[str, ...]


def make_features(columns: Sequence[ColumnPair]) -> FeaturePair:
    """The features of some columns, side by side."""
    raw, released, names = [], [], []
    for column in columns:
        before, after = _numbers(column) if column.is_number else (column.raw, column.released)
        if not column.is_number:
            usual = int(np.argmax(before.sum(axis=0)))
            before, after = np.delete(before, usual, axis=1), np.delete(after, usual, axis=1)
        raw.append(before)
        released.append(after)
        names += [column.name] * before.shape[1]
    return FeaturePair(np.hstack(raw), np.hstack(released), tuple(names))


def _numbers(column: ColumnPair) -> tuple[Floats, Floats]:
    raw, released = column.raw_numbers, column.released_numbers
    assert raw is not None
    assert released is not None
    known = raw[~np.isnan(raw)]
    mean, spread = (known.mean(), known.std()) if len(known) else (0.0, 1.0)
    has_gaps = bool(np.isnan(raw).any() or np.isnan(released).any())
    return tuple(  # type: ignore[return-value]
        _filled((numbers - mean) / (spread or 1.0), with_flag=has_gaps)
        for numbers in (raw, released)
    )


def _filled(numbers: Floats, *, with_flag: bool) -> Floats:
    gap = np.isnan(numbers)
    usual = numbers[~gap].mean() if not gap.all() else 0.0
    filled = np.where(gap, usual, numbers)
    return np.column_stack([filled, gap]) if with_flag else filled[:, None]
