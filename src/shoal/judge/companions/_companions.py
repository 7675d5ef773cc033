"""Manifest and schema of a release, read from their bytes: they list no value of people.

What may stand there of a column's values is what the cells of the release say, what the schema
declares public, and labels that stand above either.  The rest of both files is counts, names of
columns and words of Shoal's own.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from shoal.errors import GuaranteeError
from shoal.schema import Schema
from shoal.tables import FrequencyTable

_WITHHELD = "It is withheld; please report this defect."


def told_by(groups: FrequencyTable) -> dict[str, set[str]]:
    """What cells of a release say, by column, as they were counted by the judge."""
    used = {coding.name: (coding, groups.keys[:, at]) for at, coding in enumerate(groups.codings)}
    used |= {name: (counts.coding, counts.codes) for name, counts in groups.histograms.items()}
    return {
        name: {text for code in np.unique(codes) if (text := coding.texts[code]) is not None}
        for name, (coding, codes) in used.items()
    }


def judge_companions(
    manifest: Path, schema: Path, own: Schema, told: Mapping[str, Collection[str]]
) -> None:
    """Raise unless the written files list no value of `own` that the release does not tell."""
    published = {
        "the schema": tomllib.loads(schema.read_text("utf-8")),
        "the manifest": json.loads(manifest.read_text("utf-8"))["schema"],
    }
    for what, plain in published.items():
        for name, column in plain["columns"].items():
            if own[name].public:
                continue
            cells = list(told.get(name, ()))
            if sign := column.get("separator"):  # sets: what is told is items
                cells = [item.strip() for cell in cells for item in cell.split(sign)]
            lost = [text for text in _listed(column) if not any(_names(c, text) for c in cells)]
            if lost:
                raise GuaranteeError(
                    f"{what} beside the output lists {len(lost)} values of column {name!r} that no "
                    f"released row has. {_WITHHELD}"
                )


def _listed(column: Mapping[str, Any]) -> list[str]:
    """Values that a column of a schema lists: orders, limits, leaves of trees, first labels."""
    listed = [*column.get("order", ()), *column.get("limit", ())]
    hierarchy = column.get("hierarchy")
    if isinstance(hierarchy, Mapping):
        listed += [str(way[0]) for way in hierarchy.get("levels", ())]
        trees = [hierarchy.get("tree", {})]
        while trees:
            tree = trees.pop()
            if isinstance(tree, Mapping):
                trees += [below for below in tree.values() if below]
                tree = [label for label, below in tree.items() if not below]
            listed += map(str, tree)
    return listed


def _names(cell: str, text: str) -> bool:
    """Whether a cell says a text, or is a range that begins or ends with it."""
    if cell == text or cell.rpartition(" [level ")[0] == text:
        return True
    begins = cell.startswith((f"[{text} to ", f"[{text}-"))
    return begins or (cell[:1] == "[" and cell.endswith((f" to {text}]", f"-{text}]")))
