"""Ends of ranges on a cluster: whether few rows have them, and they are no public line.

The workers name the ranges that stand in the output, each once, in one pass over its rows; how many
rows have which value of a quasi-identifier is known to whoever planned the release.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from shoal.errors import GuaranteeError
from shoal.judge._labels import LabelReader
from shoal.judge._proofs import ends_of_few
from shoal.judge._text_table import TextColumn
from shoal.typing import Counts, Native


def judge_ends(
    frame: Native,
    held: Mapping[str, tuple[LabelReader, Sequence[str | None], Counts]],
    fewest: int,
) -> None:
    """Raise :class:`GuaranteeError` where a range ends at a value of few rows, and at no line.

    Parameters
    ----------
    frame : Spark DataFrame
        The written files, read again.
    held : mapping of str to tuple
        For quasi-identifiers, how labels are read, the texts of the source, and rows with each.
    fewest : int
        Rows that may be told of together.
    """
    kinds = dict(frame.dtypes)
    names = [
        name
        for name, (reader, *_) in held.items()
        if reader.on_lines and reader.kind in ("numeric", "date") and kinds[name] == "string"
    ]  # ranges are texts: a column of numbers or dates has none
    if not names:
        return
    (label_sets,) = frame.selectExpr(
        *(_ranges_in(name, index) for index, name in enumerate(names))
    ).collect()
    for name, labels in zip(names, label_sets, strict=True):
        reader, texts, rows = held[name]
        own = TextColumn(np.arange(len(texts), dtype=np.int32), tuple(texts))
        if few := ends_of_few(reader, labels, own, fewest, rows=rows):
            raise GuaranteeError(
                f"column {name!r}: {few} ranges end at a value that fewer than {fewest} rows have, "
                "and at no public line. It is withheld; please report this defect."
            )


def _ranges_in(name: str, index: int) -> str:
    """SQL for the distinct texts of a column that begin as ranges do."""
    column = "`" + name.replace("`", "``") + "`"
    is_range = f"substring({column}, 1, 1) IN ('[', '<', '>')"
    return f"collect_set(CASE WHEN {is_range} THEN {column} END) AS e{index}"
