"""The result of changing values at random: the rows, the changes and the measured risk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.anonymize.perturbed._linkage import Linkage
from shoal.anonymize.rowwise._rowwise_files import rowwise_schema, write_rowwise
from shoal.frames._frame import Frame
from shoal.judge._read_files import read_texts
from shoal.judge._text_table import TextTable
from shoal.judge.numbers._perturbed import judge_perturbed
from shoal.schema import Schema
from shoal.typing import Native, PathText

NOTHING_PROMISED = (
    "nothing is promised by counting: values were changed at random, and nobody is sure to hide "
    "among others"
)
"""What stands where a release has its guarantee."""


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
            "schema": rowwise_schema(self.schema, read_texts(self.frame.eager)).to_dict(),
            "software": {"shoal": version("shoal")},
        }

    def write(self, path: PathText, *, force: bool = False) -> dict[str, Path]:
        """Write the rows, what was done and the schema; paths of "table", "manifest", "schema"."""
        return write_rowwise(
            self.frame, self.schema, self.to_dict(), self._judge, path,
            what="the changed table", force=force,
        )  # fmt: skip

    def _judge(self, written: TextTable) -> None:
        source = read_texts(self.source.eager)
        judge_perturbed(written, source, self.order, self.schema, self.changes)

    def __repr__(self) -> str:
        return f"Perturbed({self.frame.n_rows} rows, {self.after.share:.1%} found again)"
