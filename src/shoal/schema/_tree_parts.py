"""Rows that are to become a tree: checks that name line and label."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from shoal.errors import HierarchyError

ROOT_LABEL = "*"
"""What a value becomes that says nothing any more."""


def subject(column: str) -> str:
    """What a message is about."""
    return f"hierarchy of column {column!r}" if column else "hierarchy"


def check_rows(table: list[tuple[str, ...]], column: str, lines: Sequence[int]) -> None:
    """Raise unless the rows are level rows: equally long, one root, no value twice."""
    where = subject(column)
    if not table:
        raise HierarchyError(f"{where} is empty. Give one line per value.")
    usual = len(table[0])
    if usual < 2:
        raise HierarchyError(f"{where} has one level. Put at least the root above the values.")
    for number, row in () if set(map(len, table)) == {usual} else zip(lines, table, strict=True):
        if len(row) != usual:
            raise HierarchyError(
                f"{where}, line {number}: {len(row)} levels where line {lines[0]} has {usual}. "
                "Repeat a label to fill a short branch."
            )
    roots = sorted({row[-1] for row in table})
    if len(roots) > 1:
        raise HierarchyError(
            f"{where}: {several_roots(roots)}. Add a last level with the one label '{ROOT_LABEL}'."
        )
    if len({row[0] for row in table}) == len(table):
        return
    seen: dict[str, int] = {}
    for number, row in zip(lines, table, strict=True):
        if seen.setdefault(row[0], number) != number:
            raise HierarchyError(
                f"{where}, line {number}: value {row[0]!r} was given before, on line "
                f"{seen[row[0]]}. Keep one of the lines."
            )


def several_roots(roots: list[str]) -> str:
    """How many, and the first of them."""
    shown = ", ".join(map(repr, roots[:5]))
    return f"{len(roots)} roots ({shown}{', ...' if len(roots) > 5 else ''})"


def parents_of_rows(
    table: list[tuple[str, ...]], column: str, lines: Sequence[int]
) -> dict[str, str]:
    parents: dict[str, str] = {}
    first: dict[str, int] = {}
    for number, row in zip(lines, table, strict=True):
        for child, parent in pairwise(row):
            if child == parent:
                continue
            first.setdefault(child, number)
            if parents.setdefault(child, parent) != parent:
                raise HierarchyError(
                    f"{subject(column)}, line {number}: {child!r} lies under {parent!r} here and "
                    f"under {parents[child]!r} on line {first[child]}. A value has one parent; "
                    "rename one."
                )
    return parents
