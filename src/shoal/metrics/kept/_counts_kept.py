"""Random counts that a recipient may ask for: how wrong is the answer?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.metrics.kept._shares import ColumnPair
from shoal.metrics.kept._table_pair import TablePair
from shoal.typing import Flags

N_QUERIES = 500
FLOOR = 0.01
"""Least share of the rows that an error is divided by: rare answers need not be exact."""


@dataclass(frozen=True)
class CountsKept:
    """Counts on one to three columns, answered from the release.

    Parameters
    ----------
    n_queries : int
        Counts that were asked.
    mean_error, median_error : float
        Difference of the shares of rows, over the true share or over 1 % where it is smaller.
    """

    n_queries: int
    mean_error: float
    median_error: float


def compare_counts(
    pair: TablePair, *, n_queries: int = N_QUERIES, random_state: int = 0
) -> CountsKept:
    """Ask both tables which share of the rows lies within some values of some columns.

    A count takes one to three columns at random; of numbers a run of parts, of categories each with
    chance one half, and at least one.
    """
    rng = np.random.default_rng(random_state)
    errors = []
    for _ in range(n_queries):
        chosen = rng.permutation(len(pair.columns))[: rng.integers(1, 4)]
        raw, released = pair.raw_weights, pair.released_weights
        for index in chosen:
            column = pair.columns[index]
            meant = _meant(column, rng)
            raw, released = (
                raw * column.raw[:, meant].sum(1),
                released * column.released[:, meant].sum(1),
            )
        true, told = (
            raw.sum() / pair.raw_weights.sum(),
            released.sum() / pair.released_weights.sum(),
        )
        errors.append(abs(told - true) / max(true, FLOOR))
    return CountsKept(n_queries, float(np.mean(errors)), float(np.median(errors)))


def _meant(column: ColumnPair, rng: np.random.Generator) -> Flags:
    n = column.raw.shape[1]
    meant = np.zeros(n, np.bool_)
    if column.is_number:
        low, high = np.sort(rng.integers(n, size=2))
        meant[low : high + 1] = True
        return meant
    meant[rng.random(n) < 0.5] = True
    meant[rng.integers(n)] = True
    return meant
