"""A release as it lies on disk: its manifest, and its groups counted once more."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from shoal.anonymize import count_released
from shoal.errors import TableError
from shoal.schema import Schema
from shoal.typing import Counts, PathText

_MANIFEST = ".manifest.json"
_FORMATS = (".csv", ".parquet", ".arrow", ".feather")


@dataclass(frozen=True, eq=False)
class ReleaseFile:
    """What a report may know of a release: never a row, never a sensitive value.

    Parameters
    ----------
    name : str
        Name of the released table, or of the manifest when the table is not beside it.
    manifest : mapping
        What `Release.write` wrote.
    sizes : ndarray of int64 or None
        Rows of every group, counted in the released table; None without the table.
    digests : dict of str to str
        SHA-256 of each file that was read.
    """

    name: str
    manifest: Mapping[str, Any]
    sizes: Counts | None
    digests: dict[str, str]

    def get(self, *path: str | int) -> Any:
        """What the manifest says under these keys."""
        found: Any = self.manifest
        for key in path:
            try:
                found = found[key]
            except (KeyError, IndexError, TypeError):
                raise _damaged(path) from None
        return found

    def mapping(self, *path: str | int) -> Mapping[str, Any]:
        """The same, for what has to be a mapping."""
        found = self.get(*path)
        if not isinstance(found, Mapping):
            raise _damaged(path)
        return found

    def entries(self, *path: str | int) -> list[Any]:
        """The same, for what has to be a list."""
        found = self.get(*path)
        if not isinstance(found, list):
            raise _damaged(path)
        return found

    def number(self, *path: str | int) -> float | int | None:
        """The same, for what has to be a finite number or nothing."""
        found = self.get(*path)
        if found is None:
            return None
        if isinstance(found, bool) or not isinstance(found, int | float) or not isfinite(found):
            raise _damaged(path)
        return found

    def columns(self, role: str) -> tuple[str, ...]:
        """Names of the columns in one role."""
        described = self.mapping("schema", "columns")
        return tuple(n for n in described if self.get("schema", "columns", n, "role") == role)


def _damaged(path: tuple[str | int, ...]) -> TableError:
    return TableError(
        f"the manifest lacks {'.'.join(map(str, path))!r} or has something else there. "
        "Write the release again."
    )


def read_release(source: PathText, *, encoding: str | None = None) -> ReleaseFile:
    """Read the manifest of a release and count its table.

    Parameters
    ----------
    source : path
        The released table, with `NAME.manifest.json` beside it; or that manifest, in which case
        the table is looked for beside it.
    encoding : str, optional
        Encoding of a CSV table.
    """
    source = Path(source)
    if source.name.endswith(_MANIFEST):
        manifest_path, table = source, _table_beside(source)
    else:
        manifest_path = source.with_name(source.name.removesuffix(source.suffix) + _MANIFEST)
        table = source
        if not source.exists():
            raise TableError(f"there is no {source.name!r}. Give a released table or its manifest.")
    manifest = _read_manifest(manifest_path)
    digests = {manifest_path.name: _digest(manifest_path)}
    release = ReleaseFile((table or manifest_path).name, manifest, None, digests)
    if table is None:
        return release
    if table.is_file():
        digests[table.name] = _digest(table)
    return ReleaseFile(table.name, manifest, _count(table, release, encoding), digests)


def _table_beside(manifest: Path) -> Path | None:
    stem = manifest.name.removesuffix(_MANIFEST)
    there = [path for end in _FORMATS if (path := manifest.with_name(stem + end)).exists()]
    if len(there) > 1:
        shown = ", ".join(path.name for path in there)
        raise TableError(f"{manifest.name} may belong to {shown}. Name the table instead.")
    return there[0] if there else None


def _read_manifest(path: Path) -> Mapping[str, Any]:
    try:
        manifest = json.loads(path.read_text("utf-8"))
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


def _count(table: Path, release: ReleaseFile, encoding: str | None) -> Counts:
    """Sizes of the groups; raises unless they are those that the manifest speaks of."""
    # roles are all that counting needs: hierarchy files may have stayed behind
    coarsened = release.columns("quasi-identifier")
    known = {
        name: {"role": "quasi-identifier" if name in coarsened else "insensitive"}
        for name in release.mapping("schema", "columns")
    }
    groups = count_released(table, Schema(known), encoding=encoding)
    if release.get("suppressed_rows") and groups.n_rows == release.get("rows"):
        groups = count_released(table, Schema(known), encoding=encoding, drop_stars=True)
    sizes = np.sort(groups.sizes[groups.sizes > 0])
    counted = {
        ("released_rows",): int(sizes.sum()),
        ("groups",): len(sizes),
        ("metrics", "after", "smallest_group"): int(sizes[0]) if len(sizes) else 0,
        ("metrics", "after", "largest_group"): int(sizes[-1]) if len(sizes) else 0,
    }
    for path, found in counted.items():
        if found != release.number(*path):
            raise TableError(
                f"{table.name} does not belong to its manifest: {path[-1]} is {found} where "
                f"{release.number(*path)} is written. No report is made of a changed release; "
                "write the release again."
            )
    return sizes


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
