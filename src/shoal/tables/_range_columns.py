"""Numbers behind a released range, so that a recipient can compute with it."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np

from shoal.errors import ParameterError
from shoal.schema._band_labels import band_bounds, range_ends
from shoal.schema._text import number
from shoal.tables._recoded import Labels, Recoded
from shoal.typing import Floats

ENDINGS = ("_min", "_max", "_mean")
"""What is put behind a column's name for the numbers of its ranges."""


def refuse_taken_names(names: Collection[str], ranges: Sequence[str]) -> None:
    """Raise when a column that would be added has the name of one of the table's.

    Examples
    --------
    >>> refuse_taken_names(["age", "age_mean"], ["age"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    shoal.errors.ParameterError: ranges: the table has a column 'age_mean' already...
    """
    taken = {name.lower() for name in names}
    for name in ranges:
        for ending in ENDINGS:
            if f"{name}{ending}".lower() in taken:
                raise ParameterError(
                    f"ranges: the table has a column {name + ending!r} already, which numbers of "
                    f"{name!r} would be written to. Rename it, or ask for no numbers of {name!r}."
                )


def refuse_means_of_one(smallest: int, form: str = "ranges") -> None:
    """Raise when the promise lets a group have a single row: its mean would be the person's value.

    Examples
    --------
    >>> refuse_means_of_one(1)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    shoal.errors.ParameterError: ranges: the promise lets groups have a single row...
    """
    if smallest < 2:
        instead = "no numbers of ranges" if form == "ranges" else "labels (--as labels)"
        raise ParameterError(
            f"{form}: the promise lets groups have a single row, and the mean of one row is what "
            f"that person has. Ask for a smallest group besides (-k 5), or for {instead}."
        )


def range_columns(recoded: Recoded, names: Sequence[str]) -> dict[str, Floats]:
    """`NAME_min`, `NAME_max` and `NAME_mean` of each group, for numeric quasi-identifiers.

    The ends are what the label says, and missing where it says nothing: a star has no ends, and
    `>=65` no largest value.  The mean is the mean of the group's own rows that have a value, and
    missing where these are fewer than the rows of the smallest group released: a mean of fewer
    people than the privacy model asks for is not given out.
    """
    columns: dict[str, Floats] = {}
    index_of = {labels.coding.name: index for index, labels in enumerate(recoded.labels)}
    for name in names:
        index = index_of.get(name)
        if index is None or recoded.labels[index].coding.kind not in ("numeric", "date"):
            raise ParameterError(
                f"ranges: {name!r} is neither a numeric nor a date quasi-identifier."
            )
        ends = _said(recoded.labels[index])[recoded.codes[:, index]]
        columns |= {
            f"{name}_min": ends[:, 0],
            f"{name}_max": ends[:, 1],
            f"{name}_mean": _group_means(recoded, index),
        }
    return columns


def _group_means(recoded: Recoded, index: int) -> Floats:
    numbers = recoded.labels[index].coding.numbers[recoded.cells.keys[:, index]]
    inside = (recoded.group_of >= 0) & ~np.isnan(numbers)
    weight = recoded.cells.sizes[inside]
    group = recoded.group_of[inside]
    n_groups = len(recoded.codes)
    people = np.bincount(group, weights=weight, minlength=n_groups)
    total = np.bincount(group, weights=weight * numbers[inside], minlength=n_groups)
    sizes = recoded.groups.sizes
    enough = people >= min(sizes[sizes > 0].tolist(), default=1)
    return np.divide(total, people, out=np.full(n_groups, np.nan), where=enough)


def _said(labels: Labels) -> Floats:
    """Ends of each label, shape (n_labels, 2), as it is written; NaN where it says none."""
    ends = np.full((len(labels.texts), 2), np.nan)
    is_date = labels.coding.kind == "date"  # 1990-1999 are years, not days
    for label, written in enumerate(labels.texts):
        if labels.is_raw[label] and written == labels.coding.texts[labels.low[label]]:
            ends[label] = labels.coding.numbers[labels.low[label]]
        elif not is_date and (bounds := band_bounds(written)) is not None:
            ends[label] = [end if math.isfinite(end) else np.nan for end in bounds]
        elif is_date and (dates := range_ends(written)) is not None:
            ends[label] = [_day(end) for end in dates]
    return ends


def _day(end: str) -> float:
    try:
        return number(np.datetime64(end).astype("datetime64[us]"))
    except ValueError:
        return math.nan
