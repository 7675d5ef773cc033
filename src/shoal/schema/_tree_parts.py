"""Rows and parents that are to become a tree: checks that name line and label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from shoal.errors import HierarchyError
from shoal.typing import Flags

Nodes = NDArray[np.int64]

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


def distinct_labels(columns: Sequence[Sequence[str]]) -> Sequence[Sequence[str]]:
    """A group that has a value's name gets its level added, so that a release is unambiguous.

    A label that repeats its leaf and covers nothing else only fills a short branch, unless it is
    the root: no value is all of them.
    """
    root = len(columns) - 1
    leaves, renamed = set(columns[0]), [columns[0]]
    for level, labels in enumerate(columns[1:], 1):
        if not leaves.isdisjoint(labels):
            covers = Counter(labels)
            labels = [
                f"{label} [level {level}]"
                if label in leaves and (label != leaf or covers[label] > 1 or level == root)
                else label
                for leaf, label in zip(columns[0], labels, strict=True)
            ]
        renamed.append(labels)
    return renamed


def link_labels(
    parents: Mapping[str, str], column: str, leaves: Sequence[str] | None = None
) -> tuple[list[str], Nodes]:
    """All labels, the root last, and the place of each one's parent; -1 for the root."""
    labels = [*parents, _only_root(parents, column)]
    number = {label: node for node, label in enumerate(labels)}
    parent = np.array([*(number[above] for above in parents.values()), -1], np.int64)
    if (lost := cut_off(parent, len(labels) - 1)).any():
        first = min(labels[node] for node in np.flatnonzero(lost).tolist())
        raise HierarchyError(
            f"{subject(column)}: a cycle through {first!r}. Remove the link that closes it."
        )
    above = set(parents.values())
    if leaves is not None and (extra := [leaf for leaf in leaves if leaf in above]):
        raise HierarchyError(
            f"{subject(column)}: {extra[0]!r} is both a value and the parent of others. Rename one."
        )
    return labels, parent


def _only_root(parents: Mapping[str, str], column: str) -> str:
    roots = sorted(set(parents.values()) - parents.keys())
    if not roots:
        raise HierarchyError(
            f"{subject(column)}: a cycle, no label is without a parent. Remove the link that "
            "closes it."
        )
    if len(roots) > 1:
        raise HierarchyError(
            f"{subject(column)}: {several_roots(roots)}. Put them under the one label "
            f"'{ROOT_LABEL}'."
        )
    return roots[0]


def cut_off(parent: Nodes, root: int) -> Flags:
    """Nodes from which no way leads to the root: those on a cycle, and those that hang on one.

    Every node jumps twice as far in each round, so that as many rounds suffice as the number of
    nodes has binary digits.
    """
    jump = parent.copy()
    jump[root] = root
    for _ in range(len(parent).bit_length()):
        jump = jump[jump]
    return jump != root
