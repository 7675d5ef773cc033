"""How the domain of a table is cut into regions: by codes of its columns, again and again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.typing import Codes


@dataclass(frozen=True)
class Cut:
    """A cut of the domain at some codes of one column.

    Every combination of values, seen or not, lies in exactly one part.

    Parameters
    ----------
    column : int
        Number of the quasi-identifier.
    starts : tuple of int
        First codes of all parts but the first, rising.
    parts : tuple of Cut or int
        One more than `starts`; a number is that of a region.

    Examples
    --------
    >>> cut = Cut(0, (3,), (0, Cut(1, (1,), (1, 2))))
    >>> assign(cut, np.array([[2, 9], [3, 0], [3, 1]], np.int32)).tolist()
    [0, 1, 2]
    """

    column: int
    starts: tuple[int, ...]
    parts: tuple[Cut | int, ...]


def assign(cut: Cut | int, codes: Codes) -> NDArray[np.int64]:
    """Region of each row of codes."""
    region = np.zeros(len(codes), np.int64)
    todo: list[tuple[Cut | int, NDArray[np.int64]]] = [(cut, np.arange(len(codes)))]
    while todo:
        part, rows = todo.pop()
        if isinstance(part, int):
            region[rows] = part
            continue
        part_of_row = np.searchsorted(np.array(part.starts), codes[rows, part.column], side="right")
        todo += [(inner, rows[part_of_row == number]) for number, inner in enumerate(part.parts)]
    return region


def regions_of(cut: Cut | int) -> Iterator[int]:
    """Numbers of the regions, from the first part to the last."""
    if isinstance(cut, int):
        yield cut
        return
    for part in cut.parts:
        yield from regions_of(part)


def renumber(cut: Cut | int, number: Sequence[int]) -> Cut | int:
    """The same cuts with other numbers; a cut all of whose parts have one number is none."""
    if isinstance(cut, int):
        return int(number[cut])
    parts = tuple(renumber(part, number) for part in cut.parts)
    if isinstance(parts[0], int) and all(part == parts[0] for part in parts):
        return parts[0]
    return replace(cut, parts=parts)


def cut_sql(cut: Cut | int, columns: Sequence[str]) -> str:
    """The region as an expression of SQL; `columns` name the codes."""
    return cut_cases(cut, lambda column, start: f"{columns[column]} < {start}")


def cut_cases(cut: Cut | int, below: Callable[[int, int], str]) -> str:
    """The region as an expression of SQL; `below` says that a column's code is below another."""
    if isinstance(cut, int):
        return str(cut)
    cases = " ".join(
        f"WHEN {below(cut.column, start)} THEN {cut_cases(part, below)}"
        for start, part in zip(cut.starts, cut.parts, strict=False)
    )
    return f"CASE {cases} ELSE {cut_cases(cut.parts[-1], below)} END"
