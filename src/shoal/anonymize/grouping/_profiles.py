"""In whose company the values of a column are seen."""

from __future__ import annotations

import numpy as np

from shoal.tables import FrequencyTable
from shoal.tables._people import People
from shoal.typing import Counts, Floats

_MOST_VALUES = 200
"""Other columns with more values say little about likeness, and cost memory."""


def value_counts(cells: FrequencyTable, column: int, people: People | None = None) -> Counts:
    """Rows with each value of a column; people, where it is known who they are."""
    n_codes = cells.codings[column].n_codes
    if people is not None:
        who = np.unique(people.person * n_codes + cells.keys[people.cell, column])
        return np.bincount(who % n_codes, minlength=n_codes).astype(np.int64)
    return np.bincount(cells.keys[:, column], cells.row_counts, n_codes).astype(np.int64)


def value_profiles(cells: FrequencyTable, column: int, target: str | None = None) -> Floats:
    """For every value, how the other columns are spread among its rows; the target alone if given.

    A row of the result holds, for each other column, the square roots of shares, so that distances
    between rows are Hellinger distances summed over columns.  Shares of rare values are drawn to
    those of all rows by as many rows as there are values, so that chance is not taken for likeness.
    """
    counts = value_counts(cells, column)
    parts = []
    if target is not None and target in cells.histograms:
        spread = cells.histograms[target].dense().astype(np.float64)
        joint = np.zeros((len(counts), spread.shape[1]))
        np.add.at(joint, cells.keys[:, column], spread)
        parts.append(_roots_of_shares(joint))
    else:
        for other, coding in enumerate(cells.codings):
            if other != column and 1 < coding.n_codes <= _MOST_VALUES:
                joint = np.zeros((len(counts), coding.n_codes))
                places = (cells.keys[:, column], cells.keys[:, other])
                np.add.at(joint, places, cells.row_counts.astype(np.float64))
                parts.append(_roots_of_shares(joint))
    return np.hstack(parts) if parts else np.zeros((len(counts), 1))


def _roots_of_shares(joint: Floats) -> Floats:
    whole = joint.sum(axis=0) / max(joint.sum(), 1.0)
    drawn = joint + whole * joint.shape[1]
    return np.sqrt(drawn / drawn.sum(axis=1, keepdims=True))
