"""Hierarchies in the level format that ARX and others use: `leaf;level1;...;*`."""

from __future__ import annotations

import csv
import io
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal._atomic import atomic_path
from shoal.errors import HierarchyError
from shoal.schema._hierarchy import Hierarchy, Values
from shoal.typing import PathText

_SEPARATORS = ";\t|,"
_BLANK = re.compile(r"[^\S\n]")
_LONG_LINE = 100_000  # longer cells are refused by the csv module


def read_hierarchy(path: PathText, *, column: str = "", separator: str | None = None) -> Hierarchy:
    """Read a hierarchy, one line per value; the separator is found when not given.

    Blanks around labels do not count, unless the file quotes its labels.

    Examples
    --------
    >>> import tempfile
    >>> tree = Hierarchy.from_tree({"Midwest": ["Kansas", "Nebraska"], "West": ["Nevada"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "state.csv"
    ...     write_hierarchy(tree, path)
    ...     read_hierarchy(path) == tree
    True
    """
    path = Path(path)
    where = f"hierarchy of column {column!r}" if column else "hierarchy"
    try:
        content = path.read_text("utf-8-sig")
    except OSError as error:
        raise HierarchyError(f"{where}: cannot read {path.name}: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise HierarchyError(f"{where}: {path.name} is not UTF-8. Convert it first.") from None
    columns = _plain_columns(content, separator)
    if columns is not None:
        return Hierarchy.from_columns(columns, column=column)
    try:
        rows = _parse(content, separator or find_separator(content))
    except csv.Error as error:
        raise HierarchyError(f"{where}: {path.name} is no CSV file: {error}.") from None
    if not rows:
        raise HierarchyError(f"{where}: {path.name} is empty. Give one line per value.")
    if len(rows[0][1]) < 2:
        raise HierarchyError(
            f"{where}: {path.name} has one level. Give lines such as `Kansas;Midwest;*`."
        )
    lines = [line for line, _ in rows]
    return Hierarchy.from_levels([row for _, row in rows], column=column, lines=lines)


def write_hierarchy(hierarchy: Hierarchy, path: PathText) -> None:
    """Write the level format; a leaf for missing values is left out.

    Examples
    --------
    >>> import tempfile
    >>> tree = Hierarchy.from_tree({"Midwest": ["Kansas", "Nebraska"], "West": ["Nevada"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "state.csv"
    ...     write_hierarchy(tree, path)
    ...     print(path.read_text().splitlines()[0])
    Kansas;Midwest;*
    """
    labels = [label for label in hierarchy.labels if label is not None]
    blanks = any(label != label.strip() or not label for label in labels)
    with atomic_path(path) as part, part.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(
            file,
            delimiter=";",
            lineterminator="\n",
            quoting=csv.QUOTE_ALL if blanks else csv.QUOTE_MINIMAL,
        )
        for leaf, row in enumerate(hierarchy.levels):
            if leaf != hierarchy.missing:
                writer.writerow([hierarchy.labels[node] for node in row])


def _plain_columns(content: str, separator: str | None) -> list[list[str]] | None:
    """Labels by level where a file is as plain as most are; None where it has to be looked at.

    Plain is: no quotes, no blank line or cell, equally many cells in all lines, distinct values,
    one root.  What :func:`_parse` finds is the same, in several times the time.
    """
    if separator is None:
        separator = next((sign for sign in _SEPARATORS if sign in content), ";")
    lines = content.removesuffix("\n").split("\n")
    widths = {line.count(separator) for line in lines}
    if '"' in content or len(widths) != 1 or 0 in widths or max(map(len, lines)) > _LONG_LINE:
        return None
    cells = separator.join(lines).split(separator)
    if _BLANK.search(content):
        cells = [cell.strip() for cell in cells]
    n_levels = widths.pop() + 1
    columns = [cells[level::n_levels] for level in range(n_levels)]
    is_plain = len(set(columns[0])) == len(lines) and len(set(columns[-1])) == 1
    return columns if is_plain and "" not in cells else None


def _parse(content: str, separator: str) -> list[tuple[int, list[str]]]:
    """Line number and cells of every line that is not blank."""
    exact = '"' in content
    reader = csv.reader(io.StringIO(content), delimiter=separator, skipinitialspace=True)
    rows, line = [], 1
    for row in reader:
        if exact and row:
            rows.append((line, row))
        elif any(cell.strip() for cell in row):
            rows.append((line, [cell.strip() for cell in row]))
        line = reader.line_num + 1
    return rows


def find_separator(content: str) -> str:
    """The one that cuts every line into equally many cells; else the most frequent."""
    for separator in _SEPARATORS:
        if separator in content:
            widths = {len(row) for _, row in _parse(content, separator)}
            if len(widths) == 1 and max(widths) > 1:
                return separator
    return max(_SEPARATORS, key=content.count)


@dataclass(frozen=True, eq=False)
class FromFile:
    """A file in the level format: `leaf;level1;...;*`, one line per value.

    Parameters
    ----------
    path : str
        Where the file is, as written in the schema.
    folder : str
        What a relative path is relative to: the schema file's folder, or the working one.

    Examples
    --------
    >>> from shoal.schema import Column
    >>> Column("quasi-identifier", hierarchy=FromFile("town.csv")).to_toml()["hierarchy"]
    {'file': 'town.csv'}
    """

    path: str
    folder: str = ""

    def build(self, values: Values, *, column: str = "") -> Hierarchy:
        """Read the file; `values` may be any part of its leaves."""
        return read_hierarchy(Path(self.folder) / self.path, column=column)

    def seen_from(self, folder: Path) -> FromFile:
        """The same file as a schema in another folder names it."""
        if os.path.isabs(self.path):
            return self
        path = os.path.relpath(self._location, folder.resolve())
        return FromFile(Path(path).as_posix(), str(folder))

    @property
    def _location(self) -> str:
        return str((Path(self.folder) / self.path).resolve())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FromFile) and self._location == other._location

    def __hash__(self) -> int:
        return hash(self._location)

    def to_toml(self) -> Any:
        """`{file = "age.csv"}`."""
        return {"file": self.path}
