"""Hierarchies in the level format that ARX and others use: `leaf;level1;...;*`."""

import csv
from pathlib import Path

from shoal.errors import HierarchyError
from shoal.schema._hierarchy import Hierarchy
from shoal.typing import PathText


def read_hierarchy(path: PathText, *, column: str = "", separator: str | None = None) -> Hierarchy:
    """Read a hierarchy, one line per value; the separator is found when not given."""
    path = Path(path)
    where = f"hierarchy of column {column!r}" if column else "hierarchy"
    try:
        content = path.read_text("utf-8-sig")
    except OSError as error:
        raise HierarchyError(f"{where}: cannot read {path.name}: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise HierarchyError(f"{where}: {path.name} is not UTF-8. Convert it first.") from None
    lines = [line for line in content.splitlines() if line.strip()]
    if not lines:
        raise HierarchyError(f"{where}: {path.name} is empty. Give one line per value.")
    separator = separator or max(";,\t|", key=lines[0].count)
    rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=separator)]
    if len(rows[0]) < 2:
        raise HierarchyError(
            f"{where}: {path.name} has one level. Give lines such as `Kansas;Midwest;*`."
        )
    return Hierarchy.from_levels(rows, column=column)


def write_hierarchy(hierarchy: Hierarchy, path: PathText) -> None:
    """Write the level format; a leaf for missing values is left out."""
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=";", lineterminator="\n")
        for leaf, row in enumerate(hierarchy.levels):
            if leaf != hierarchy.missing:
                writer.writerow([hierarchy.labels[node] for node in row])
