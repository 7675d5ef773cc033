"""Distributions, two-way tables and correlations: how far a release moves them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.metrics.kept._shares import ColumnPair
from shoal.metrics.kept._table_pair import TablePair
from shoal.typing import Floats

FEWEST_LEFT_OUT = 10
"""Rows that a release leaves out at least before means of both tables are compared: whoever has the
release computes theirs from the difference."""


@dataclass(frozen=True)
class ColumnKept:
    """What became of one column.

    Parameters
    ----------
    name : str
        The column.
    moved : float
        Share of the rows that would have to take another value for the two distributions to be
        the same: the total variation distance, 0 to 1.
    pairs_moved : float or None
        The same for its two-way tables with every other column, on average.
    mean_shift : float or None
        Of numbers: mean of the release less that of the raw table, in standard deviations of it;
        None where fewer than ten rows were left out, whose mean it would tell.
    spread_ratio : float or None
        Of numbers: standard deviation of the release over that of the raw table; None likewise.
    """

    name: str
    moved: float
    pairs_moved: float | None = None
    mean_shift: float | None = None
    spread_ratio: float | None = None


@dataclass(frozen=True)
class TablesKept:
    """All one-way and two-way tables, and all correlations of numbers.

    Parameters
    ----------
    columns : tuple of ColumnKept
        Each column.
    moved, largest_moved : float or None
        Mean and largest total variation distance of two-way tables; None of a single column.
    association_difference : float or None
        Mean absolute difference of Cramer's V, over pairs.
    n_pairs : int
        Pairs of columns.
    correlation_difference, largest_difference : float or None
        Mean and largest absolute difference of Pearson's correlations; None without two columns
        of numbers.
    n_correlations : int
        Pairs of columns of numbers.
    """

    columns: tuple[ColumnKept, ...]
    moved: float | None
    largest_moved: float | None
    association_difference: float | None
    n_pairs: int
    correlation_difference: float | None
    largest_difference: float | None
    n_correlations: int


def compare_tables_kept(pair: TablePair) -> TablesKept:
    """Compare every distribution, every two-way table and every correlation.

    Inside a row values are taken to be independent: a row of two labels is spread evenly over all
    pairs of values that they stand for.  The two-way table of columns a and b then is the sum over
    rows of weight times share on a times share on b.
    """
    raw = [column.raw for column in pair.columns]
    released = [column.released for column in pair.columns]
    before = two_way(raw, pair.raw_weights)
    after = two_way(released, pair.released_weights)
    moved = {key: distance(table, after[key]) for key, table in before.items()}
    apart = {key: abs(cramers_v(t) - cramers_v(after[key])) for key, t in before.items()}
    correlations = _correlations(pair)
    columns = tuple(
        _column(column, pair, [m for key, m in moved.items() if index in key])
        for index, column in enumerate(pair.columns)
    )
    return TablesKept(
        columns,
        _mean(list(moved.values())),
        max(moved.values(), default=None),
        _mean(list(apart.values())),
        len(moved),
        _mean(correlations),
        max(correlations, default=None),
        len(correlations),
    )


def two_way(blocks: Sequence[Floats], weights: Floats) -> dict[tuple[int, int], Floats]:
    """The two-way table of every pair of columns, as shares that sum to 1."""
    whole = np.hstack(blocks)
    product = whole.T @ (whole * weights[:, None]) / weights.sum()
    ends = np.cumsum([0, *(block.shape[1] for block in blocks)])
    return {
        (one, two): product[ends[one] : ends[one + 1], ends[two] : ends[two + 1]]
        for one in range(len(blocks))
        for two in range(one + 1, len(blocks))
    }


def distance(one: Floats, two: Floats) -> float:
    """Total variation distance of two tables of shares."""
    return float(np.abs(one - two).sum() / 2)


def cramers_v(table: Floats) -> float:
    """Cramer's V of a two-way table of shares: 0 independent, 1 determined; 0 where one is fixed.

    Examples
    --------
    >>> cramers_v(np.array([[0.5, 0.0], [0.0, 0.5]])), cramers_v(np.full((2, 2), 0.25))
    (1.0, 0.0)
    """
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    table = table[rows > 0][:, columns > 0]
    expected = np.outer(rows[rows > 0], columns[columns > 0])
    least = min(table.shape) - 1
    if least < 1:
        return 0.0
    return float(np.sqrt(((table - expected) ** 2 / expected).sum() / least))


def correlation(one: Floats, two: Floats, weights: Floats) -> float:
    """Pearson's correlation of the rows where both are known; 0 where one does not vary."""
    known = ~np.isnan(one) & ~np.isnan(two) & (weights > 0)
    if known.sum() < 2:
        return 0.0
    x, y, w = one[known], two[known], weights[known]
    x, y = x - np.average(x, weights=w), y - np.average(y, weights=w)
    spread = np.sqrt((w * x * x).sum() * (w * y * y).sum())
    least = 1e-12 * w.sum() * max(np.abs(one[known]).max() * np.abs(two[known]).max(), 1e-300)
    return float((w * x * y).sum() / spread) if spread > least else 0.0


def _correlations(pair: TablePair) -> list[float]:
    numbers = [column for column in pair.columns if column.is_number]
    differences = []
    for index, one in enumerate(numbers):
        for two in numbers[:index]:
            before = correlation(_raw(one), _raw(two), pair.raw_weights)
            after = correlation(_released(one), _released(two), pair.released_weights)
            differences.append(abs(before - after))
    return differences


def _column(column: ColumnPair, pair: TablePair, moved: list[float]) -> ColumnKept:
    shares = [
        np.average(block, axis=0, weights=weights)
        for block, weights in (
            (column.raw, pair.raw_weights),
            (column.released, pair.released_weights),
        )
    ]
    away = distance(shares[0], shares[1])
    if not column.is_number:
        return ColumnKept(column.name, away, _mean(moved))
    if 0 < pair.n_raw - pair.n_released < FEWEST_LEFT_OUT:
        return ColumnKept(column.name, away, _mean(moved))
    mean, spread = _moments(_raw(column), pair.raw_weights)
    other, other_spread = _moments(_released(column), pair.released_weights)
    if not spread > 0:
        return ColumnKept(column.name, away, _mean(moved))
    return ColumnKept(
        column.name, away, _mean(moved), (other - mean) / spread, other_spread / spread
    )


def _moments(numbers: Floats, weights: Floats) -> tuple[float, float]:
    """Mean and standard deviation of the known values; NaN for both if there are none."""
    known = ~np.isnan(numbers)
    if not weights[known].sum() > 0:
        return float("nan"), float("nan")
    mean = np.average(numbers[known], weights=weights[known])
    return float(mean), float(
        np.sqrt(np.average((numbers[known] - mean) ** 2, weights=weights[known]))
    )


def _raw(column: ColumnPair) -> Floats:
    assert column.raw_numbers is not None
    return column.raw_numbers


def _released(column: ColumnPair) -> Floats:
    assert column.released_numbers is not None
    return column.released_numbers


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if len(values) else None
