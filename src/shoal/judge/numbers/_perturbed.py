"""Tables with values changed at random: what can be checked of them, and is.

Columns are those that may be released, nothing is stored besides the cells, and every row stands
for one of the source.  A column that was not changed says what the source says.  Swapped values are
those of the column, each as often as there, and none came from farther than was said; values
that were drawn are values of the column.  Noise is a number where the source has one: which one is
chance, and cannot be checked.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from shoal.errors import GuaranteeError
from shoal.judge._means import source_places
from shoal.judge._text_table import TextColumn, TextTable
from shoal.judge._values import canonical, is_missing, number, same_value
from shoal.judge.numbers._coarse import judge_coarse
from shoal.schema import Schema
from shoal.schema._column import NEVER_RELEASED
from shoal.typing import Codes

_WITHHELD = "It is withheld; please report this defect."


def judge_perturbed(
    written: TextTable,
    source: TextTable,
    row_ids: NDArray[np.int64],
    schema: Schema,
    changes: Mapping[str, Mapping[str, float]],
) -> None:
    """Raise unless the output is the source with some columns changed as was said."""
    allowed = [name for name in schema if schema[name].role not in NEVER_RELEASED]
    if sorted(written.names) != sorted(allowed) or written.side_doors:
        raise GuaranteeError(f"the output has other columns, or more than its cells. {_WITHHELD}")
    if written.n_rows != source.n_rows or sorted(row_ids.tolist()) != [*range(source.n_rows)]:
        raise GuaranteeError(f"the rows of the output are not those of the source. {_WITHHELD}")
    how = {name: (kind, share) for kind, part in changes.items() for name, share in part.items()}
    for name in written.names:
        cells, own = written.columns[name], source.columns[name]
        values = own.codes[row_ids]
        if name not in how:
            if schema[name].is_coarse:
                judge_coarse(name, cells, own, values, schema[name])
            else:
                _refuse(name, _differing(cells, own, values))
        elif how[name][0] == "noise":
            _refuse(name, _no_numbers(cells, own, values))
        else:
            _refuse(name, _strange(cells, own))
            if how[name][0] == "swap":
                order = schema[name].order
                _refuse(name, _moved_far(cells, own, values, how[name][1], order))


def _refuse(name: str, wrong: int) -> None:
    if wrong:
        raise GuaranteeError(
            f"column {name!r}: {wrong} values are not what the change that was asked for makes. "
            + _WITHHELD
        )


def _pairs(cells: TextColumn, own: TextColumn, values: Codes) -> list[tuple[int, int]]:
    room = max(len(own.texts), 1)
    packed = np.unique(cells.codes.astype(np.int64) * room + values)
    return [divmod(pair, room) for pair in packed.tolist()]


def _differing(cells: TextColumn, own: TextColumn, values: Codes) -> int:
    pairs = _pairs(cells, own, values)
    return sum(not same_value(cells.texts[a], own.texts[b]) for a, b in pairs)


def _no_numbers(cells: TextColumn, own: TextColumn, values: Codes) -> int:
    wrong = 0
    for cell, value in _pairs(cells, own, values):
        text = cells.texts[cell]
        absent = is_missing(own.texts[value])
        wrong += is_missing(text) != absent or (not absent and number(text or "") is None)
    return wrong


def _strange(cells: TextColumn, own: TextColumn) -> int:
    known = {canonical(text) for text in own.texts}
    written = {canonical(cells.texts[code]) for code in np.unique(cells.codes).tolist()}
    return len(written - known - {None})


def _moved_far(
    cells: TextColumn, own: TextColumn, values: Codes, share: float, order: tuple[str, ...]
) -> int:
    """Values that occur more or less often than in the source, or came from too far."""
    rank = {canonical(text): float(index) for index, text in enumerate(order)}

    def placed(column: TextColumn) -> NDArray[np.float64]:
        if not rank:
            return source_places(column)[0]
        return np.array([rank.get(canonical(text), np.nan) for text in column.texts])

    after, before = placed(cells)[cells.codes], placed(own)[values]
    if np.isnan(before).all() and np.isnan(after).all():  # texts in their own order
        return 0
    line = np.sort(before[~np.isnan(before)])
    if not np.array_equal(np.sort(after[~np.isnan(after)]), line):
        return len(after)
    known = ~np.isnan(before)
    if not np.array_equal(known, ~np.isnan(after)):
        return int((known != ~np.isnan(after)).sum())
    reach = max(1, int(share * len(line)))
    first, last = (
        np.searchsorted(line, before[known]),
        np.searchsorted(line, before[known], "right"),
    )
    least = line[np.maximum(first - reach, 0)]
    most = line[np.minimum(last - 1 + reach, len(line) - 1)]
    moved = after[known]
    return int(((moved < least) | (moved > most)).sum())
