"""What comes of changing values at random: rows, what was done, and what was measured."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal._atomic import atomic_paths, refuse_existing
from shoal.anonymize._release_files import digest, file_beside, former_files, release_files
from shoal.anonymize.perturbed._linkage import Linkage
from shoal.frames._frame import Frame
from shoal.judge._read_csv import with_own_header
from shoal.judge._read_memory import read_texts
from shoal.judge._text_table import TextTable
from shoal.judge.numbers._perturbed import judge_perturbed
from shoal.schema import Schema
from shoal.tables.engines._duck_write import write_frame
from shoal.typing import Native, PathText

NOTHING_PROMISED = (
    "nothing is promised by counting: values were changed at random, and nobody is sure to hide "
    "among others"
)
"""What stands where a release has its guarantee."""


def without_values(schema: Schema) -> Schema:
    """The schema as it may be published: hierarchies list values that nobody may have now."""
    return Schema(
        {
            name: replace(column, hierarchy=None, limit=(), limit_level=None)
            for name, column in schema.items()
        }
    )


@dataclass(frozen=True, eq=False)
class Perturbed:
    """A table with values changed at random.

    Parameters
    ----------
    frame : Frame
        The changed rows.
    schema : Schema
        What the columns are.
    changes : mapping
        "noise", "swap" and "pram": columns and how strongly they were changed.
    before, after : Linkage
        How many rows are found again by nearest quasi-identifiers, in the raw table and in this.
    source : Frame
        The raw rows.
    order : ndarray of int64
        Raw row behind each changed one.

    Examples
    --------
    >>> from shoal.anonymize import perturb_table
    >>> schema = Schema({"age": {"role": "quasi-identifier", "kind": "numeric"}})
    >>> made = perturb_table({"age": [20, 30, 40, 50]}, schema, swap={"age": 0.5})
    >>> sorted(made.table["age"].tolist()), made.to_dict()["guarantee"][:19]
    ([20, 30, 40, 50], 'nothing is promised')
    """

    frame: Frame
    schema: Schema
    changes: Mapping[str, Mapping[str, float]]
    before: Linkage
    after: Linkage
    source: Frame = field(repr=False)
    order: NDArray[np.int64] = field(repr=False)

    @cached_property
    def table(self) -> Native:
        """The changed rows, in a library of the table's or the one that is installed; judged."""
        self._judge(read_texts(self.frame.eager))
        return self.frame.native

    def to_dict(self) -> dict[str, Any]:
        """The manifest: what was done and what was measured.  Holds no row, and no promise."""
        return {
            "shoal": "perturbed",
            "version": 1,
            "form": "perturbed",
            "guarantee": NOTHING_PROMISED,
            "changes": {how: dict(columns) for how, columns in self.changes.items() if columns},
            "rows": self.frame.n_rows,
            "linkage": {"before": self.before.to_dict(), "after": self.after.to_dict()},
            "schema": without_values(self.schema).to_dict(),
            "software": {"shoal": version("shoal")},
        }

    def write(self, path: PathText, *, force: bool = False) -> dict[str, Path]:
        """Write the rows, what was done and the schema; paths of "table", "manifest", "schema"."""
        paths = {kind: p for kind, p in release_files(path).items() if kind != "recoding"}
        refuse_existing(paths.values(), force=force)
        outdated = [*former_files(path), file_beside(path, "recoding")]
        with atomic_paths(paths, "the changed table", outdated=outdated) as drafts:
            dialect = write_frame(self.frame, drafts["table"])
            if dialect is not None:
                dialect = with_own_header(drafts["table"], dialect)
            self._judge(read_texts(drafts["table"], dialect=dialect))
            without_values(self.schema).to_toml(drafts["schema"], folder=paths["table"].parent)
            sealed = {paths[kind].name: digest(drafts[kind]) for kind in ("table", "schema")}
            content = json.dumps(self.to_dict() | {"files": sealed}, indent=2)
            drafts["manifest"].write_text(content + "\n", "utf-8")
        return paths

    def _judge(self, written: TextTable) -> None:
        source = read_texts(self.source.eager)
        judge_perturbed(written, source, self.order, self.schema, self.changes)

    def __repr__(self) -> str:
        return f"Perturbed({self.frame.n_rows} rows, {self.after.share:.1%} found again)"
