"""A release of sets, judged from what was written and the source, without the search.

Columns and rows are those that may be released.  Every written item covers an item of the row
behind it, every item of that row is covered by one written item, and an item is written alike in
all rows.  Written items stand in the order of the alphabet, each once.  No combination of at most
m written items is in fewer than k rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import GuaranteeError
from shoal.judge._text_table import TextColumn, TextTable
from shoal.judge._values import same_value
from shoal.judge.numbers._coarse import judge_coarse
from shoal.schema import Schema
from shoal.schema._column import NEVER_RELEASED
from shoal.typing import Codes

_WITHHELD = "It is withheld; please report this defect."


class SetCharge(NamedTuple):
    """What the output is measured by.

    Parameters
    ----------
    schema : Schema
        Roles of the columns.
    column : str
        The column of sets.
    separator : str
        What stands between items.
    k, m : int
        The promise.
    parents : mapping of str to str
        Node above each item or node, by their labels; the root has none.
    """

    schema: Schema
    column: str
    separator: str
    k: int
    m: int
    parents: Mapping[str, str]


def judge_sets(
    charge: SetCharge, written: TextTable, source: TextTable, row_ids: NDArray[np.int64]
) -> None:
    """Raise :class:`GuaranteeError` unless the output keeps the promise."""
    schema = charge.schema
    allowed = [name for name in schema if schema[name].role not in NEVER_RELEASED]
    if sorted(written.names) != sorted(allowed) or written.side_doors:
        raise GuaranteeError(f"the output has other columns, or more than its cells. {_WITHHELD}")
    if written.n_rows != source.n_rows or sorted(row_ids.tolist()) != [*range(source.n_rows)]:
        raise GuaranteeError(f"the rows of the output are not those of the source. {_WITHHELD}")
    for name in written.names:
        cells, own = written.columns[name], source.columns[name]
        values = own.codes[row_ids]
        if name == charge.column:
            _judge_items(charge, cells, own, values)
        elif schema[name].is_coarse:
            judge_coarse(name, cells, own, values, schema[name])
        else:
            pairs = zip(cells.codes.tolist(), values.tolist(), strict=True)
            if not all(same_value(cells.texts[a], own.texts[b]) for a, b in set(pairs)):
                raise GuaranteeError(
                    f"column {name!r} has values that the source does not have there. {_WITHHELD}"
                )
    _judge_counts(charge, written.columns[charge.column])
    _judge_spelling(charge, written.columns[charge.column])


def items_of(text: str | None, separator: str) -> frozenset[str]:
    """Items of a written set."""
    return frozenset(part.strip() for part in (text or "").split(separator)) - {""}


def rarest(column: TextColumn, separator: str, m: int) -> dict[int, tuple[int, int]]:
    """For each size up to m: the fewest rows of a combination that occurs, and how many occur."""
    rows = np.bincount(column.codes, minlength=len(column.texts)).tolist()
    sets = [(sorted(items_of(text, separator)), n) for text, n in zip(column.texts, rows) if n]  # noqa: B905
    rarest_by_size = {}
    for size in range(1, m + 1):
        counts: Counter[tuple[str, ...]] = Counter()
        for items, n in sets:
            for combination in combinations(items, size):
                counts[combination] += n
        rarest_by_size[size] = (min(counts.values(), default=0), len(counts))
    return rarest_by_size


def _judge_counts(charge: SetCharge, column: TextColumn) -> None:
    for size, (fewest, n) in rarest(column, charge.separator, charge.m).items():
        if n and fewest < charge.k:
            raise GuaranteeError(
                f"column {charge.column!r}: a combination of {size} items is in {fewest} rows, and "
                f"{charge.k} were promised. {_WITHHELD}"
            )


def _judge_spelling(charge: SetCharge, column: TextColumn) -> None:
    for code in np.unique(column.codes).tolist():
        text = column.texts[code] or ""
        if text != charge.separator.join(sorted(items_of(text, charge.separator))):
            raise GuaranteeError(
                f"column {charge.column!r}: labels are not each written once, in the order of the "
                f"alphabet, and how they are written tells of rows. {_WITHHELD}"
            )


def _judge_items(charge: SetCharge, cells: TextColumn, own: TextColumn, values: Codes) -> None:
    written_as: dict[str, str] = {}
    pairs = {*zip(cells.codes.tolist(), values.tolist(), strict=True)}
    for cell, value in pairs:
        nodes = items_of(cells.texts[cell], charge.separator)
        items = items_of(own.texts[value], charge.separator)
        covered = set()
        for item in items:
            above = [node for node in _way_up(item, charge.parents) if node in nodes]
            if len(above) != 1 or written_as.setdefault(item, above[0]) != above[0]:
                raise GuaranteeError(
                    f"column {charge.column!r}: items are written by no label, by several, or "
                    f"differently in different rows. {_WITHHELD}"
                )
            covered.add(above[0])
        if covered != nodes:
            raise GuaranteeError(
                f"column {charge.column!r}: a label is written where no item is. {_WITHHELD}"
            )


def _way_up(item: str, parents: Mapping[str, str]) -> list[str]:
    way = [item]
    while (above := parents.get(way[-1])) is not None and above not in way:
        way.append(above)
    return way
