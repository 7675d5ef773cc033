"""People, people who were left out, and a released table, on the same scales."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.anonymize._release_files import as_files_say
from shoal.attacks.rows._match_kernels import CellRanges, Covers
from shoal.audit._training_table import read_frame
from shoal.errors import ParameterError, TableError
from shoal.frames._frame import Frame
from shoal.schema import Schema
from shoal.schema._text import text
from shoal.tables._engine import STAR
from shoal.tables._label_cover import covers, read_range
from shoal.typing import Flags, Floats, Native

MOST_PAIRS = 1 << 26
"""Pairs of a label and a value of a column that are compared; more is taken for names."""


@dataclass(frozen=True, eq=False)
class RowTables:
    """Three tables with the same columns, as arrays.

    Parameters
    ----------
    names : tuple of str
        Columns, in the order of the arrays.
    released : CellRanges
        What was published.
    people, control : CellRanges
        Rows it was made of, and rows of others; a cell is a point.
    covers : Covers
        Columns of categories: which values a label stands for.
    scale : ndarray of float64
        Span of each column of numbers; 1 for others.
    """

    names: tuple[str, ...]
    released: CellRanges
    people: CellRanges
    control: CellRanges
    covers: Covers
    scale: Floats

    def columns(self, names: Sequence[str]) -> NDArray[np.int64]:
        """Places of columns."""
        for name in names:
            if name not in self.names:
                raise ParameterError(f"there is no column {name!r} in all of the tables.")
        return np.array([self.names.index(name) for name in names], np.int64)


def read_row_tables(
    release: Native, original: Native, control: Native | None, schema: Schema | None
) -> RowTables:
    """Bring the columns that all tables have on common scales.

    Identifiers and subjects of a schema are left out: nobody is found by a name in these attacks.
    """
    frames = [read_frame(as_files_say(release)), read_frame(original, schema)]
    frames.append(frames[1].keep(np.zeros(frames[1].n_rows, np.bool_)))
    if control is not None:
        frames[2] = read_frame(control, schema)
    if min(frame.n_rows for frame in frames[: 2 + (control is not None)]) == 0:
        raise TableError("a table has 0 rows: there is nothing to attack, or nobody to attack.")
    names = tuple(n for n in frames[0].names if all(n in f.names for f in frames))
    if schema is not None:
        names = tuple(n for n in names if n in schema and schema[n].is_released)
    if not names:
        raise TableError("the tables have no column in common.")
    columns = [_code(name, frames, schema) for name in names]
    scale = np.array([column.scale for column in columns])
    tables = [_stack([column.cells[table] for column in columns]) for table in range(3)]
    return RowTables(names, tables[0], tables[1], tables[2], _covers(columns), scale)


@dataclass(frozen=True, eq=False)
class _Column:
    cells: tuple[CellRanges, ...]
    scale: float = 1.0
    flags: Flags | None = None  # labels by values, where labels are no ranges


def _stack(cells: Sequence[CellRanges]) -> CellRanges:
    low = np.ascontiguousarray(np.column_stack([cell.low for cell in cells]))
    return CellRanges(low, np.ascontiguousarray(np.column_stack([cell.high for cell in cells])))


def _covers(columns: Sequence[_Column]) -> Covers:
    flags = [np.zeros((0, 0), np.bool_) if c.flags is None else c.flags for c in columns]
    sizes = np.array([f.size for f in flags], np.int64)
    return Covers(
        np.array([c.flags is not None for c in columns], np.bool_),
        np.cumsum(sizes) - sizes,
        np.array([f.shape[1] for f in flags], np.int64),
        np.concatenate([f.ravel() for f in flags]),
    )


def _code(name: str, frames: Sequence[Frame], schema: Schema | None) -> _Column:
    kind = None if schema is None else schema[name].kind
    is_number = all(frame.types[name] == "number" for frame in frames[1:])
    if is_number and kind in (None, "numeric"):
        return _numbers(name, frames)
    return _categories(name, frames, schema)


def _numbers(name: str, frames: Sequence[Frame]) -> _Column:
    points = [frame.numbers(name) for frame in frames[1:]]
    if frames[0].types[name] == "number":
        numbers = frames[0].numbers(name)
        low, high = numbers, numbers
    else:
        codes, labels = frames[0].factorize(name)
        ranges = np.array([*map(_range, labels), (np.nan, np.nan)])  # -1: missing
        low, high = ranges[codes, 0], ranges[codes, 1]
    known = np.concatenate([points[0], points[1]])
    span = float(np.nanmax(known) - np.nanmin(known)) if not np.isnan(known).all() else 0.0
    cells = (CellRanges(low, high), *(CellRanges(point, point) for point in points))
    return _Column(cells, span or 1.0)


def _range(label: Any) -> tuple[float, float]:
    """The numbers a label may stand for: all of them, where it says nothing that can be read."""
    return read_range(str(text(label))) or (-np.inf, np.inf)


def _categories(name: str, frames: Sequence[Frame], schema: Schema | None) -> _Column:
    coded = [frame.factorize(name) for frame in frames]
    labels = [text(value) for value in coded[0][1]]
    values: dict[str | None, int] = {}
    for _, raw in coded[1:]:
        for value in raw:
            values.setdefault(text(value), len(values))
    if (len(labels) + 1) * (len(values) + 1) > MOST_PAIRS:
        return _names(coded, labels, values)
    flags = _flags(name, labels, list(values), schema)
    codes = [_at(coded[0][0], np.arange(len(labels)), len(labels))]
    for own, raw in coded[1:]:
        codes.append(_at(own, np.array([values[text(v)] for v in raw], np.int64), len(values)))
    return _Column(tuple(CellRanges(code, code) for code in codes), 1.0, flags)


def _at(codes: Any, code_of: NDArray[np.int64], missing: int) -> Floats:
    return np.append(code_of, missing)[codes].astype(np.float64)


def _flags(
    name: str, labels: list[str | None], values: list[str | None], schema: Schema | None
) -> Flags:
    if schema is not None and schema[name].role == "quasi-identifier":
        return np.ascontiguousarray(covers(name, [*labels, None], [*values, None], schema).T)
    code_of = {value: code for code, value in enumerate(values)}
    flags = np.zeros((len(labels) + 1, len(values) + 1), np.bool_)
    for row, label in enumerate(labels):
        if label == STAR:
            flags[row] = True
        elif label in code_of:
            flags[row, code_of[label]] = True
    flags[-1, -1] = True  # missing stands for missing
    return flags


def _names(
    coded: Sequence[tuple[Any, list[Any]]], labels: list[str | None], values: dict[str | None, int]
) -> _Column:
    """Texts that are as good as names: the same, or something else."""
    for label in labels:
        values.setdefault(label, len(values))
    points = [
        np.append(np.array([values[text(v)] for v in raw], np.float64), np.nan)[codes]
        for codes, raw in coded
    ]
    # a scale this small makes any two different texts as far apart as can be
    return _Column(tuple(CellRanges(point, point) for point in points), 1e-9)
