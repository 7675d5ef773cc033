"""The rows of a table as features for a model: numbers in their own spread, values as shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.metrics.kept._shares import ColumnPair
from shoal.typing import Floats


@dataclass(frozen=True, eq=False)
class FeaturePair:
    """Features of raw and released rows, of test rows if any, and the column that each is of.

    A number is counted in standard deviations of the raw column from its mean; where it is missing
    the mean of its own table stands in, with a flag beside it.  Of values the most frequent one is
    what others are compared with, and has no feature.
    """

    raw: Floats
    released: Floats
    column_of: tuple[str, ...]
    test: Floats | None = None


def make_features(columns: Sequence[ColumnPair]) -> FeaturePair:
    """The features of some columns, side by side."""
    blocks = [_numbers(column) if column.is_number else _values(column) for column in columns]
    names = [column.name for column, made in zip(columns, blocks, strict=True) for _ in made[0].T]
    raw, released, *test = (np.hstack(side) for side in zip(*blocks, strict=True))
    return FeaturePair(raw, released, tuple(names), test[0] if test else None)


def _values(column: ColumnPair) -> list[Floats]:
    sides = (column.raw, column.released, column.test)
    usual = int(np.argmax(column.raw.sum(axis=0)))
    return [np.delete(side, usual, axis=1) for side in sides if side is not None]


def _numbers(column: ColumnPair) -> list[Floats]:
    given = (column.raw_numbers, column.released_numbers, column.test_numbers)
    sides = [side for side in given if side is not None]
    known = sides[0][~np.isnan(sides[0])]
    mean, spread = (known.mean(), known.std()) if len(known) else (0.0, 1.0)
    has_gaps = any(bool(np.isnan(side).any()) for side in sides)
    return [_filled((side - mean) / (spread or 1.0), with_flag=has_gaps) for side in sides]


def _filled(numbers: Floats, *, with_flag: bool) -> Floats:
    gap = np.isnan(numbers)
    usual = numbers[~gap].mean() if not gap.all() else 0.0
    filled = np.where(gap, usual, numbers)
    return np.column_stack([filled, gap]) if with_flag else filled[:, None]
