"""A release as it lies on disk: its manifest, its schema, its table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import Any

from shoal._addresses import is_address
from shoal._atomic import settle
from shoal._plain import from_json
from shoal.anonymize._release_files import (
    as_written,
    digest,
    file_beside,
    find_schema,
    is_manifest,
    require_labels,
    table_beside,
)
from shoal.errors import TableError
from shoal.schema import Schema
from shoal.tables._engine import OpenOptions, TableFile
from shoal.typing import PathText


@dataclass(frozen=True, eq=False)
class ReleaseFile:
    """The files of a release that a report is made of.

    Parameters
    ----------
    name : str
        Name of the released table, or of the manifest when the table is not beside it.
    manifest : mapping
        What `Release.write` wrote.
    path : Path
        Path of the manifest.
    table : Path or None
        The released table, if it is beside the manifest.
    digests : dict of str to str
        SHA-256 of each file that was read.
    """

    name: str
    manifest: Mapping[str, Any]
    path: Path
    table: Path | None
    digests: dict[str, str]

    def get(self, *path: str | int) -> Any:
        """What the manifest says under these keys."""
        value: Any = self.manifest
        for key in path:
            try:
                value = value[key]
            except (KeyError, IndexError, TypeError):
                raise _damaged(path) from None
        return value

    def mapping(self, *path: str | int) -> Mapping[str, Any]:
        """The same, for what has to be a mapping."""
        value = self.get(*path)
        if not isinstance(value, Mapping):
            raise _damaged(path)
        return value

    def entries(self, *path: str | int) -> list[Any]:
        """The same, for what has to be a list."""
        value = self.get(*path)
        if not isinstance(value, list):
            raise _damaged(path)
        return value

    def number(self, *path: str | int) -> float | int | None:
        """The same, for what has to be a finite number or nothing."""
        value = self.get(*path)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
            raise _damaged(path)
        return value

    @property
    def torn(self) -> tuple[str, ...]:
        """Files that are not the ones the manifest was written with, by their digests."""
        sealed = self.manifest.get("files")
        if not isinstance(sealed, Mapping):  # of an older version
            return ()
        return tuple(
            name for name, digest in self.digests.items() if sealed.get(name, digest) != digest
        )

    @cached_property
    def schema(self) -> Schema:
        """The columns; the schema file beside the manifest knows where hierarchies lie."""
        described = self.mapping("schema", "columns")
        roles = {name: self.get("schema", "columns", name, "role") for name in described}
        beside = find_schema(self.path)
        if not beside.exists():
            return Schema.from_dict({"columns": described}, folder=str(self.path.parent))
        schema = Schema.from_toml(beside)
        if {name: column.role for name, column in schema.items()} != roles:
            raise TableError(
                f"{beside.name} gives columns other roles than the manifest. Write the release "
                "again."
            )
        return schema

    def columns(self, role: str) -> tuple[str, ...]:
        """Names of the columns in one role."""
        described = self.mapping("schema", "columns")
        return tuple(n for n in described if self.get("schema", "columns", n, "role") == role)


def _damaged(path: tuple[str | int, ...]) -> TableError:
    return TableError(
        f"the manifest lacks {'.'.join(map(str, path))!r} or has something else there. "
        "Write the release again."
    )


def read_release(source: PathText) -> ReleaseFile:
    """Find the files of a release and read its manifest.

    Parameters
    ----------
    source : path
        The released table, with `NAME.manifest.json` beside it; or that manifest, in which case
        the table is looked for beside it.
    """
    if is_address(source):
        beside = file_beside(source, "manifest").name
        raise TableError(
            "a report is made of files, and this is the address of a table in a database. Give "
            f"its manifest, {beside!r}, for a report on what that says, or write the release to a "
            "file, whose rows are counted again."
        )
    source = Path(source)
    settle(source.parent)
    if is_manifest(source):
        manifest_path, table = source, table_beside(source)
    else:
        manifest_path, table = file_beside(source, "manifest"), source
        if not source.exists():
            raise TableError(f"there is no {source.name!r}. Give a released table or its manifest.")
    manifest = _read_manifest(manifest_path)
    require_labels(manifest_path, "a report")
    schema = file_beside(manifest_path, "schema")
    digests = {
        path.name: digest(path) for path in (manifest_path, table, schema) if path and path.exists()
    }
    if table is not None:
        table = TableFile.of(str(table), as_written(table, OpenOptions()))
    return ReleaseFile((table or manifest_path).name, manifest, manifest_path, table, digests)


def _read_manifest(path: Path) -> Mapping[str, Any]:
    try:
        manifest = from_json(path.read_text("utf-8"))
    except OSError:
        raise TableError(
            f"cannot read {path.name!r}. A report needs the manifest that was written beside the "
            "release; keep both in one folder."
        ) from None
    except ValueError:
        raise TableError(f"{path.name} is not valid JSON. Write the release again.") from None
    if not isinstance(manifest, Mapping) or manifest.get("shoal") != "release":
        raise TableError(f"{path.name} is not the manifest of a release.")
    if manifest.get("version") != 1:
        raise TableError(f"{path.name} was written by another version of Shoal. Use that one.")
    return manifest
