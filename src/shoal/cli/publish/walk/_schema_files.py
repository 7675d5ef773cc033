"""A schema and the hierarchies that it names, written together or not at all."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from shoal._atomic import atomic_paths

if TYPE_CHECKING:
    from shoal.schema import Hierarchy, Schema


def hierarchy_folder(out: Path, asked: Path | None) -> Path:
    """Where hierarchies go: what was asked for, else a folder named after the schema."""
    return asked or out.with_name(f"{out.stem}-hierarchies")


def hierarchy_paths(names: Sequence[str], folder: Path) -> dict[str, Path]:
    """A file for each column; names that no file can have are written with `_`."""
    paths: dict[str, Path] = {}
    for name in names:
        stem = re.sub(r"[^\w.-]+", "_", name).strip("._") or "column"
        path, number = folder / f"{stem}.csv", 1
        while path in paths.values():
            number += 1
            path = folder / f"{stem}-{number}.csv"
        paths[name] = path
    return paths


def write_schema(
    out: Path,
    schema: Schema,
    trees: Mapping[str, Hierarchy],
    folder: Path,
    *,
    comments: Mapping[str, Sequence[str]],
    header: Sequence[str],
) -> dict[str, Path]:
    """Write the schema, and each tree as CSV; gives the files of the trees.

    They appear together; where trees go elsewhere than beside the schema, they come first, so that
    a schema never names a file that is not there.
    """
    from shoal.schema._csv import FromFile, write_hierarchy

    paths = hierarchy_paths(list(trees), folder)
    home = out.resolve().parent
    files = {
        name: FromFile(Path(os.path.relpath(path.resolve(), home)).as_posix(), str(home))
        for name, path in paths.items()
    }
    named = {name: replace(schema[name], hierarchy=file) for name, file in files.items()}
    described = schema.replace(**named)
    trees_at = {f"column {name}": path for name, path in paths.items()}
    beside = folder.resolve().parent == home or not paths
    moves = {"schema": out, **trees_at} if beside else trees_at
    with atomic_paths(moves, "the schema and its hierarchies") as drafts:
        for name in paths:
            write_hierarchy(trees[name], drafts[f"column {name}"])
        if beside:
            described.to_toml(drafts["schema"], comments=comments, header=header, folder=home)
    if not beside:
        described.to_toml(out, comments=comments, header=header)
    return paths
