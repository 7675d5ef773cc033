"""A small table in memory that needs no dataframe library."""

from __future__ import annotations

import csv
import hashlib
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal._atomic import atomic_path
from shoal.errors import ParameterError, TableError
from shoal.schema import Schema
from shoal.typing import Flags, PathText

Values: TypeAlias = list[Any] | NDArray[Any]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Columns by name: arrays of numbers, lists of texts (None where a value is missing).

    `pandas.DataFrame(dataset.columns)`, `polars.DataFrame(dataset.columns)` and
    `pyarrow.table(dataset.columns)` make a frame of it; :meth:`path` makes a file.

    Parameters
    ----------
    name : str
        What it is.
    columns : dict of str to sequence
        All of one length.
    make_schema : callable, optional
        Says what the columns are, when asked.

    Examples
    --------
    >>> people = Dataset("people", {"age": np.array([21, 34]), "city": ["Ulm", None]})
    >>> people.names, len(people), people.where(np.array([True, False]))["city"]
    (('age', 'city'), 2, ['Ulm'])
    """

    name: str
    columns: Mapping[str, Values]
    make_schema: Callable[[], Schema] | None = None

    @property
    def schema(self) -> Schema:
        """What the columns are; `adult`, `census` and `hospital` have one."""
        if self.make_schema is None:
            raise ParameterError(
                f"{self.name} brings no schema. Write one, or begin with shoal.suggest_schema."
            )
        whole = self.make_schema()
        return Schema({name: whole[name] for name in self.names})

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self.columns)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self.columns.values()), ()))

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, name: str) -> Values:
        return self.columns[name]

    def select(self, names: Sequence[str]) -> Dataset:
        """Some of the columns, in the given order."""
        unknown = [name for name in names if name not in self.columns]
        if unknown:
            raise ParameterError(f"{self.name} has no column {unknown[0]!r}.")
        chosen = {name: self.columns[name] for name in names}
        return Dataset(self.name, chosen, self.make_schema)

    def where(self, keep: Flags) -> Dataset:
        """The rows that are marked."""
        kept = {name: _take(column, keep) for name, column in self.columns.items()}
        return Dataset(self.name, kept, self.make_schema)

    def to_file(self, path: PathText) -> Path:
        """Write a CSV file with a header; a missing value is an empty cell."""
        path = Path(path)
        if path.suffix != ".csv":
            raise ParameterError(f"cannot write {path.name!r}: end it in .csv.")
        columns = [_plain(column) for column in self.columns.values()]
        with atomic_path(path) as part, part.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self.columns)
            writer.writerows(zip(*columns, strict=True))
        return path

    def path(self) -> Path:
        """A CSV file in the cache folder, written on first use."""
        folder = cache_folder()
        digest = hashlib.sha256(repr(self.names).encode())
        for column in self.columns.values():
            digest.update("\x1f".join(map(str, _plain(column))).encode())
        path = folder / f"{self.name}-{digest.hexdigest()[:16]}.csv"
        return path if path.exists() else self.to_file(path)

    def __repr__(self) -> str:
        return f"Dataset({self.name}, {self.n_rows} rows, {list(self.names)})"


def cache_folder() -> Path:
    """Where generated files may lie: `SHOAL_CACHE`, the user's cache, or a temporary folder."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    private = os.path.join(tempfile.gettempdir(), f"shoal-{os.getpid()}")
    for folder in (os.environ.get("SHOAL_CACHE"), os.path.join(home, "shoal"), private):
        if folder:
            try:
                Path(folder).mkdir(parents=True, exist_ok=True)
            except OSError:
                continue
            if os.access(folder, os.W_OK):
                return Path(folder)
    raise TableError("no folder to keep generated files in. Set SHOAL_CACHE to a writable one.")


def from_rows(
    name: str,
    names: Sequence[str],
    rows: Sequence[Sequence[str | None]],
    kinds: Mapping[str, Callable[[Any], Any]],
    make_schema: Callable[[], Schema] | None = None,
) -> Dataset:
    """Turn rows of texts into columns; `kinds` says which become numbers."""
    columns: dict[str, Values] = {}
    for index, column in enumerate(names):
        cells = [row[index] for row in rows]
        kind = kinds.get(column)
        if kind is None:
            columns[column] = cells
        elif None in cells:
            columns[column] = [None if cell is None else kind(cell) for cell in cells]
        else:
            columns[column] = np.array([kind(cell) for cell in cells])
    return Dataset(name, columns, make_schema)


def _take(column: Values, keep: Flags) -> Values:
    if isinstance(column, list):
        return [value for value, kept in zip(column, keep, strict=True) if kept]
    return column[keep]


def _plain(column: Values) -> list[Any]:
    return column if isinstance(column, list) else column.tolist()
