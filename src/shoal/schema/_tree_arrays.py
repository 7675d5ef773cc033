"""Hierarchies as arrays: built from rows, parents or nested mappings, extended, reordered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from shoal.errors import HierarchyError
from shoal.schema._tree_parts import (
    ROOT_LABEL,
    check_rows,
    distinct_labels,
    labels_below,
    levels_from_root,
    parents_of_rows,
    several_roots,
    subject,
    walk,
)
from shoal.typing import Codes


class TreeArrays(NamedTuple):
    """What a :class:`~shoal.schema.Hierarchy` is made of, as its parameters say."""

    labels: tuple[str | None, ...]
    parent: Codes
    levels: Codes


def arrays_of_levels(
    rows: Iterable[Sequence[str]], column: str, lines: Sequence[int] | None
) -> TreeArrays:
    """From one row per leaf: the leaf, then ever coarser labels, the root last."""
    table = [tuple(str(label) for label in row) for row in rows]
    lines = range(1, len(table) + 1) if lines is None else lines
    check_rows(table, column, lines)
    table = distinct_labels(table)
    parents = parents_of_rows(table, column, lines)
    tree = arrays_of_parents(parents, column, [row[0] for row in table])
    code = {label: node for node, label in enumerate(tree.labels)}
    # the rows say on which level a short branch repeats a node; parents alone do not
    given = np.array([[code[label] for label in row] for row in table], np.int32)
    return tree._replace(levels=given[np.argsort(given[:, 0])])


def arrays_of_parents(
    parents: Mapping[str, str], column: str, leaves: Sequence[str] | None = None
) -> TreeArrays:
    """From each label's parent; `leaves` are labels that must not be parents."""
    where = subject(column)
    children: dict[str, list[str]] = {}
    for child, parent in parents.items():
        children.setdefault(parent, []).append(child)
    order, inner_order = walk(_only_root(parents, where), children)
    if len(order) + len(inner_order) < len(parents) + 1:
        lost = sorted(set(parents) - set(order) - set(inner_order))
        raise HierarchyError(
            f"{where}: a cycle through {lost[0]!r}. Remove the link that closes it."
        )
    if leaves is not None and (extra := [leaf for leaf in leaves if leaf in children]):
        raise HierarchyError(
            f"{where}: {extra[0]!r} is both a value and the parent of others. Rename one."
        )
    labels = tuple(order + inner_order)
    code = {label: node for node, label in enumerate(labels)}
    parent_codes = np.full(len(labels), -1, np.int32)
    for child, parent in parents.items():
        parent_codes[code[child]] = code[parent]
    return TreeArrays(labels, parent_codes, levels_from_root(parent_codes, len(order)))


def _only_root(parents: Mapping[str, str], where: str) -> str:
    roots = sorted(set(parents.values()) - parents.keys())
    if not roots:
        raise HierarchyError(
            f"{where}: a cycle, no label is without a parent. Remove the link that closes it."
        )
    if len(roots) > 1:
        raise HierarchyError(
            f"{where}: {several_roots(roots)}. Put them under the one label '{ROOT_LABEL}'."
        )
    return roots[0]


def parents_of_tree(tree: Mapping[str, Any], column: str) -> dict[str, str]:
    """Parent of each label of nested mappings, under the root `*`."""
    if set(tree) == {ROOT_LABEL}:
        tree = tree[ROOT_LABEL]
    parents: dict[str, str] = {}
    todo: list[tuple[str, Any]] = [(ROOT_LABEL, tree)]
    while todo:
        parent, below = todo.pop()
        for child, deeper in labels_below(below):
            if child in parents or child == ROOT_LABEL:
                raise HierarchyError(
                    f"{subject(column)}: {child!r} appears twice. A value has one parent."
                )
            parents[child] = parent
            if deeper:
                todo.append((child, deeper))
    if not parents:
        raise HierarchyError(f"{subject(column)} is empty. Name at least one value.")
    return parents


def add_leaves(tree: TreeArrays, values: Sequence[str | None]) -> TreeArrays:
    """Further leaves straight under the root, after all others."""
    n_leaves, extra = len(tree.levels), len(values)
    labels = (*tree.labels[:n_leaves], *values, *tree.labels[n_leaves:])
    root = len(labels) - 1
    # leaves come first: whatever is behind them moves by as many places
    parent = np.where(tree.parent >= n_leaves, tree.parent + extra, tree.parent)
    parent = np.concatenate([parent[:n_leaves], np.full(extra, root), parent[n_leaves:]])
    levels = np.where(tree.levels >= n_leaves, tree.levels + extra, tree.levels)
    own = np.full((extra, tree.levels.shape[1]), root)
    own[:, 0] = np.arange(n_leaves, n_leaves + extra)
    return TreeArrays(labels, parent.astype(np.int32), np.vstack([levels, own]).astype(np.int32))


def sort_children(tree: TreeArrays, keys: Sequence[float]) -> TreeArrays:
    """Children ordered by the least key below them; one key per leaf."""
    n_nodes, root = len(tree.labels), len(tree.labels) - 1
    least = np.full(n_nodes, np.inf)
    least[: len(tree.levels)] = keys
    for node in range(root):
        above = tree.parent[node]
        least[above] = min(least[above], least[node])
    children: dict[int, list[int]] = {}
    for node in np.argsort(least, kind="stable").tolist():
        if node != root:
            children.setdefault(int(tree.parent[node]), []).append(node)
    leaves, inner = walk(root, children)
    order = np.array(leaves + inner)
    renumbered = np.empty(n_nodes, np.int32)
    renumbered[order] = np.arange(n_nodes)
    parent = tree.parent[order]
    return TreeArrays(
        tuple(tree.labels[node] for node in order),
        np.where(parent >= 0, renumbered[parent], -1).astype(np.int32),
        renumbered[tree.levels[order[: len(leaves)]]],
    )
