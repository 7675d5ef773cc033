"""Table, manifest and schema of a release in memory, judged before they get their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal._atomic import atomic_paths, refuse_existing
from shoal.anonymize._release import seal_files
from shoal.anonymize._release_files import file_beside, release_files
from shoal.frames._frame import Frame
from shoal.judge._read_files import read_texts, with_own_header
from shoal.judge._text_table import TextTable
from shoal.schema import Schema
from shoal.schema._schema import published_schema
from shoal.tables.engines._duck_write import write_frame
from shoal.typing import PathText


def rowwise_schema(schema: Schema, cells: TextTable) -> Schema:
    """The schema as it may be published: what it lists besides cells may be nobody's value now.

    Hierarchies and limits are left out, which no recipient of such rows needs, and of an order what
    no row says.
    """
    bare = {
        name: replace(column, hierarchy=None, limit=(), limit_level=None)
        for name, column in schema.items()
    }
    return published_schema(Schema(bare), _told(cells))


def write_rowwise(
    frame: Frame,
    schema: Schema,
    manifest: Mapping[str, Any],
    judge: Callable[[TextTable], None],
    path: PathText,
    *,
    what: str,
    force: bool,
) -> dict[str, Path]:
    """Write rows, manifest and schema at one stroke, after their bytes were read and judged.

    Parameters
    ----------
    frame : Frame
        The rows that are released.
    schema : Schema
        What the columns are, with everything that the house knows.
    manifest : mapping
        What was done and what is promised.
    judge : callable
        Raises unless the written rows are what may be released.
    path : path
        The table's file; the others lie beside it.
    what : str
        What the files are, for messages.
    force : bool
        Replace existing files.

    Returns
    -------
    dict
        Paths of "table", "manifest" and "schema".
    """
    paths = {kind: p for kind, p in release_files(path).items() if kind != "recoding"}
    refuse_existing(paths.values(), force=force)
    outdated = [file_beside(path, kind) for kind in ("former recoding", "recoding")]
    with atomic_paths(paths, what, outdated=outdated) as drafts:
        dialect = write_frame(frame, drafts["table"])
        if dialect is not None:
            dialect = with_own_header(drafts["table"], dialect)
        cells = read_texts(drafts["table"], dialect=dialect)
        judge(cells)
        told = {name: {text for text in said if text} for name, said in _told(cells).items()}
        public = rowwise_schema(schema, cells)
        seal_files(drafts, paths, schema, manifest, told, dialect, public)
    return paths


def _told(cells: TextTable) -> dict[str, set[str | None]]:
    """What the rows say, by column."""
    return {
        name: {column.texts[code] for code in np.unique(column.codes).tolist()}
        for name, column in cells.columns.items()
    }
