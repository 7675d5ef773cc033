"""Ordered columns of a release as numbers or dates instead of labels.

What is written is made from the labels alone, those that the release has: two rows with the same
label differ in a draw only, and a draw depends on the label, on how often each label occurs, and
on a seed.  So whoever reads a form learns nothing that the labels would not tell.  Means are the
exception, and are made in :mod:`shoal.tables.forms._means`: they tell of the people in a group.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.tables.forms._draws import draw_values
from shoal.tables.forms._label_ends import LabelEnds, are_whole, closed, label_ends
from shoal.typing import Codes, Flags, Floats

Form = Literal["labels", "intervals", "midpoints", "draws", "means"]
"""How ordered quasi-identifiers are written."""

ORDERED = ("numeric", "date")
"""Kinds of columns that have forms; the others keep their labels."""

_EPOCH = dt.date(1970, 1, 1)


@dataclass(frozen=True, eq=False)
class TypedColumn:
    """Numbers or dates, one for each row.

    Parameters
    ----------
    kind : {"whole", "number", "date"}
        Of what they are; dates count days since 1970.
    values : ndarray of int64 or float64
        One for each row, whatever where it is missing.
    missing : ndarray of bool
        Where there is none.
    """

    kind: Literal["whole", "number", "date"]
    values: NDArray[Any]
    missing: Flags

    def pool(self) -> tuple[list[Any], Codes]:
        """Distinct values, None for a missing one, and the number of each row's value."""
        distinct, codes = np.unique(self.values, return_inverse=True)
        values: list[Any] = distinct.tolist()
        if self.kind == "date":
            values = [_EPOCH + dt.timedelta(days=day) for day in values]
        codes = np.where(self.missing, len(values), codes.ravel()).astype(np.int32)
        return [*values, None], codes

    def plain(self) -> NDArray[Any]:
        """The values as an array of their own type, masked where one is missing."""
        values: Any = self.values
        if self.kind == "date":
            values = values.astype("datetime64[D]")
        return np.ma.MaskedArray(values, self.missing) if self.missing.any() else values


def typed_column(
    name: str, kind: str, texts: Sequence[str | None], codes: Codes, form: Form, seed: int
) -> dict[str, TypedColumn] | None:
    """The columns that stand for a column of labels; None where it stays as it is.

    Parameters
    ----------
    name, kind : str
        Of the column.
    texts : sequence of str or None
        Labels; None is a missing value.
    codes : ndarray of int32
        Place of each row's label.
    form : {"labels", "intervals", "midpoints", "draws"}
        What to make of them.
    seed : int
        Of the draws.

    Examples
    --------
    >>> codes = np.array([0, 1, 2], np.int32)
    >>> made = typed_column("age", "numeric", ("[30-34]", "52", "*"), codes, "intervals", 0)
    >>> {name: column.pool()[0] for name, column in made.items()}
    {'age_low': [0, 30, 52, None], 'age_high': [0, 34, 52, None]}
    """
    used = np.unique(codes)
    if form == "labels" or kind not in ORDERED:
        return None
    said = {label: texts[label] for label in used.tolist()}
    ends = {label: label_ends(text, kind) for label, text in said.items() if text is not None}
    if any(end is None for end in ends.values()):  # a name that says nothing in numbers
        return None
    known = {label: end for label, end in ends.items() if end is not None}
    if form == "draws":
        return {name: _drawn(kind, known, codes, seed)}
    whole = kind == "date" or are_whole(known.values())
    sides = {label: closed(end, whole=whole) for label, end in known.items()}
    if form == "midpoints":
        middle = {label: _middle(*pair) for label, pair in sides.items()}
        return {name: _per_row(kind, middle, codes, whole=False)}
    return {
        f"{name}_{side}": _per_row(
            kind, {a: pair[which] for a, pair in sides.items()}, codes, whole
        )
        for which, side in enumerate(("low", "high"))
    }


def _middle(low: Fraction | None, high: Fraction | None) -> Fraction | None:
    """Halfway between two ends; of one end, that end."""
    if low is None or high is None:
        return high if low is None else low
    return (low + high) / 2


def _per_row(
    kind: str, value_of: Mapping[int, Fraction | None], codes: Codes, whole: bool
) -> TypedColumn:
    size = int(codes.max(initial=-1)) + 1
    known = {label: value for label, value in value_of.items() if value is not None}
    whole = whole and all(abs(value) < 2**63 for value in known.values())
    missing = np.ones(size, np.bool_)
    missing[list(known)] = False
    values: NDArray[Any] = np.zeros(size, np.int64 if whole or kind == "date" else np.float64)
    for label, value in known.items():
        values[label] = value // 1 if kind == "date" else int(value) if whole else float(value)
    sort: Any = "date" if kind == "date" else "whole" if whole else "number"
    return TypedColumn(sort, values[codes], missing[codes])


def _drawn(kind: str, ends: Mapping[int, LabelEnds], codes: Codes, seed: int) -> TypedColumn:
    units, step, missing = draw_values(ends, codes, seed, days=kind == "date")
    if kind == "date" or step == 1:
        return TypedColumn("date" if kind == "date" else "whole", units, missing)
    distinct, index = np.unique(units, return_inverse=True)
    # rounded once: large units are no floats themselves
    numbers: Floats = np.array([float(unit * step) for unit in distinct.tolist()], np.float64)
    return TypedColumn("number", numbers[index.reshape(-1)], missing)
