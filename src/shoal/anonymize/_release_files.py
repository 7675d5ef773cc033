"""The files of a release, and how to get from one of them to the others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from shoal.errors import ParameterError, TableError

if TYPE_CHECKING:
    from shoal.typing import PathText

FORMATS = (".csv", ".parquet", ".arrow", ".feather")
"""How the name of a released table may end."""

FileKind = Literal["manifest", "recoding", "schema", "report"]

_ENDINGS: dict[FileKind, str] = {
    "manifest": ".manifest.json",
    "recoding": ".recoding.json",
    "schema": ".schema.toml",
    "report": ".report.html",
}


def release_files(table: PathText) -> dict[str, Path]:
    """Paths of "table", "manifest", "recoding" and "schema", all of which a release writes.

    Examples
    --------
    >>> [path.name for path in release_files("out/people.csv").values()]
    ['people.csv', 'people.manifest.json', 'people.recoding.json', 'people.schema.toml']
    """
    table = Path(table)
    if table.suffix.lower() not in FORMATS:
        raise ParameterError(
            f"cannot tell the format of {table.name!r}. End it in {', '.join(FORMATS)}."
        )
    return {
        "table": table,
        "manifest": file_beside(table, "manifest"),
        "recoding": file_beside(table, "recoding"),
        "schema": file_beside(table, "schema"),
    }


def file_beside(path: PathText, kind: FileKind) -> Path:
    """Where another file of the same release lies; `path` is its table or any of its files.

    Examples
    --------
    >>> file_beside("people.csv", "manifest").name
    'people.manifest.json'
    >>> file_beside("people.recoding.json", "schema").name
    'people.schema.toml'
    """
    path = Path(path)
    return path.with_name(_stem(path) + _ENDINGS[kind])


def is_manifest(path: PathText) -> bool:
    """Whether the name is that of a manifest."""
    return Path(path).name.endswith(_ENDINGS["manifest"])


def table_beside(path: PathText) -> Path | None:
    """The released table that a file belongs to; None when it is not there."""
    path = Path(path)
    there = [table for end in FORMATS if (table := path.with_name(_stem(path) + end)).exists()]
    if len(there) > 1:
        shown = ", ".join(table.name for table in there)
        raise TableError(f"{path.name} may belong to {shown}. Name the table instead.")
    return there[0] if there else None


def _stem(path: Path) -> str:
    for ending in _ENDINGS.values():
        if path.name.endswith(ending):
            return path.name.removesuffix(ending)
    return path.name.removesuffix(path.suffix)
