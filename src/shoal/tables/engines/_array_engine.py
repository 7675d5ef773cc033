"""Plain columns: a mapping of names to arrays or lists, and no dataframe library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import TableError
from shoal.frames._frame import Frame
from shoal.schema import Schema
from shoal.schema._text import is_missing
from shoal.tables._engine import ColumnMap, Compressed, OpenOptions
from shoal.tables._frequency import CodingOptions, group_keys
from shoal.tables._row_codes import code_array, plain_array, stack_codes
from shoal.tables.engines._frame_engine import FrameEngine
from shoal.typing import Codes, Counts, Native


class ArrayEngine:
    """Columns by name.  To write rows, it makes a dataframe of them first."""

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self._given = columns
        self.names = tuple(columns)

    @classmethod
    def recognizes(cls, source: Any) -> bool:
        """Whether a table is a mapping, or has one as its `columns`, as data sets do."""
        if isinstance(source, Mapping):
            # a sparse matrix may be a dictionary; asking scipy would load it for every table
            return not hasattr(source, "tocsr")
        return isinstance(getattr(source, "columns", None), Mapping)

    @classmethod
    def open(cls, source: Any, options: OpenOptions) -> ArrayEngine:
        """The engine for a mapping of names to columns."""
        return cls(source if isinstance(source, Mapping) else source.columns)

    @cached_property
    def _arrays(self) -> dict[str, NDArray[Any]]:
        arrays = {name: plain_array(values) for name, values in self._given.items()}
        if len({len(values) for values in arrays.values()}) > 1:
            raise TableError("the columns differ in length. Give every column as many rows.")
        return arrays

    @property
    def types(self) -> dict[str, str]:
        """Sort of value of each column."""
        return {name: _sort(values) for name, values in self._arrays.items()}

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self._arrays.values()), ()))

    def distinct(self, name: str, limit: int | None = None) -> tuple[list[Any], bool]:
        """Distinct values of a column, at most `limit`, and whether some are missing."""
        listed = list(dict.fromkeys(self._arrays[name].tolist()))
        values = [value for value in listed if not is_missing(value)]
        return values[:limit], len(values) < len(listed)

    def columns(self) -> dict[str, NDArray[Any]]:
        """Every row, by column."""
        return dict(self._arrays)

    def frame(self) -> Frame:
        """Every row as a dataframe of whichever library is installed."""
        return Frame.from_columns(self._given)

    def compress(self, schema: Schema, options: CodingOptions | None = None) -> Compressed:
        """Group the rows into cells."""
        return self._in_frame().compress(schema, options)

    def view(self, names: Sequence[str], widths: Mapping[str, float]) -> ArrayEngine:
        """Some columns, with the numbers of some put into bins of a given width."""
        chosen = ArrayEngine({name: self._given[name] for name in names})
        binned = {name: np.floor(chosen._arrays[name] / width) for name, width in widths.items()}
        return ArrayEngine(chosen._arrays | binned)

    def fractional(self) -> tuple[str, ...]:
        """Columns with numbers that are not whole."""
        return tuple(
            name
            for name, values in self._arrays.items()
            if values.dtype.kind == "f" and (values != np.floor(values))[~np.isnan(values)].any()
        )

    @cached_property
    def _codes(self) -> Codes:
        coded = (code_array(name, values) for name, values in self._arrays.items())
        return stack_codes(coded, self.n_rows)

    def code_rows(self) -> Codes:
        """Codes of every column (first axis) and row, for telling equal from unequal."""
        return self._codes

    def sample_rows(self, size: int, generator: np.random.Generator) -> Codes:
        """Codes of rows drawn uniformly without replacement."""
        if size >= self.n_rows:
            return self._codes
        rows = np.sort(generator.choice(self.n_rows, size, replace=False, shuffle=False))
        return np.ascontiguousarray(self._codes[:, rows])

    def group_sizes(self) -> tuple[Counts, Counts]:
        """Distinct sizes of the groups of equal rows, and the number of groups of each size."""
        group_of, n_groups = group_keys(self._codes.T)
        return np.unique(np.bincount(group_of, minlength=n_groups), return_counts=True)

    def distinct_rows(self) -> ArrayEngine:
        """The same table without duplicate rows."""
        group_of, _ = group_keys(self._codes.T)
        _, first = np.unique(group_of, return_index=True)
        rows = np.sort(first)
        return ArrayEngine({name: values[rows] for name, values in self._arrays.items()})

    def exchange(self, maps: Mapping[str, ColumnMap]) -> Native:
        """The rows with some columns exchanged, as a dataframe."""
        return self._in_frame().exchange(maps)

    def write(self, names: Sequence[str], path: Path) -> None:
        """Write some columns of every row to a file, as they are, in a secret order."""
        self._in_frame().write(names, path)

    def _in_frame(self) -> FrameEngine:
        return FrameEngine.of_frame(self.frame())


def _sort(values: NDArray[Any]) -> str:
    kinds = {"b": "boolean", "M": "date", "i": "number", "u": "number", "f": "number"}
    return kinds.get(values.dtype.kind, "text")
