"""Trees out of rows and mappings: checks that name line and label, and walks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from shoal.errors import HierarchyError
from shoal.schema._tree_order import depths, paths
from shoal.typing import Codes

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


def labels_below(tree: Any) -> list[tuple[str, Any]]:
    """Labels below a node of nested mappings, each with what is below it."""
    if isinstance(tree, Mapping):
        return [(str(label), below) for label, below in tree.items()]
    leaves = [tree] if isinstance(tree, str) or not isinstance(tree, Iterable) else tree
    return [(str(leaf), None) for leaf in leaves]


def levels_from_root(parent: Codes) -> Codes:
    """Levels counted from the root, short branches repeating their leaf."""
    n_leaves = int(parent[parent >= 0].min())  # leaves come first
    depth = depths(parent)
    leaves = np.arange(n_leaves)
    path = paths(parent, leaves, depth)[:, ::-1]
    return np.where(path < 0, leaves[:, None], path).astype(np.int32)
