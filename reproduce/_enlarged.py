"""How many combinations a table has that was enlarged by random values: counted, and expected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shoal.typing import Codes, Counts


class Expected(NamedTuple):
    """Mean number of combinations over all draws, and a bound on its standard deviation."""

    mean: float
    deviation: float


class Original(NamedTuple):
    """Rows as codes, one column each, and how many values may be drawn for each column."""

    codes: Codes
    sizes: Sequence[int]


def count_combinations(
    table: Original, varied: Sequence[int], sigma: int, rng: np.random.Generator
) -> int:
    """Distinct rows among all originals and `sigma - 1` variations of each.

    A variation has random values in the columns `varied`, and agrees with its original elsewhere.
    """
    group, _, drawn = _keys(table, varied)
    size = int(np.prod([table.sizes[column] for column in varied]))
    rows = [group * size + drawn]
    rows += [group * size + rng.integers(0, size, len(group)) for _ in range(sigma - 1)]
    return len(np.unique(np.concatenate(rows)))


def expected_combinations(table: Original, varied: Sequence[int], sigma: int) -> Expected:
    """The same without drawing.

    Originals that agree outside of `varied` are a group.  Of its C possible rows the d different
    originals are there, and each other one is missed by all (sigma - 1) n draws with probability
    (1 - 1/C) ** ((sigma - 1) n).  Whether two rows are missed is negatively correlated, so the
    variance is at most the sum of the variances.
    """
    group, sizes, drawn = _keys(table, varied)
    n_values = int(np.prod([table.sizes[column] for column in varied]))
    there = np.unique(group * n_values + drawn) // n_values
    others = n_values - np.bincount(there, minlength=len(sizes))
    missed = (1 - 1 / n_values) ** ((sigma - 1) * sizes)
    mean = n_values * len(sizes) - float((others * missed).sum())
    return Expected(mean, float(np.sqrt((others * missed * (1 - missed)).sum())))


def _keys(table: Original, varied: Sequence[int]) -> tuple[Counts, Counts, Counts]:
    """Group of each row by its fixed columns, sizes of groups, and the row's varied part."""
    fixed = [c for c in range(table.codes.shape[1]) if c not in varied]
    _, group, sizes = np.unique(_number(table, fixed), return_inverse=True, return_counts=True)
    return group.astype(np.int64), sizes.astype(np.int64), _number(table, varied)


def _number(table: Original, columns: Sequence[int]) -> Counts:
    number = np.zeros(len(table.codes), np.int64)
    for column in columns:
        number = number * table.sizes[column] + table.codes[:, column]
    return number
