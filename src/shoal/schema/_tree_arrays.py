"""Hierarchies as arrays: built from rows, parents or nested mappings, extended, reordered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np

from shoal.errors import HierarchyError
from shoal.schema._tree_order import Nodes, cut_off, number_nodes
from shoal.schema._tree_parts import (
    ROOT_LABEL,
    check_rows,
    distinct_labels,
    labels_below,
    levels_from_root,
    parents_of_rows,
    several_roots,
    subject,
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
    table = [tuple(map(str, row)) for row in rows]
    lines = range(1, len(table) + 1) if lines is None else lines
    check_rows(table, column, lines)
    return arrays_of_columns(list(zip(*table, strict=True)), column, lines)


def arrays_of_columns(
    columns: Sequence[Sequence[str]], column: str, lines: Sequence[int] | None = None
) -> TreeArrays:
    """From the label of each leaf on every level; level by level, the root last."""
    if not columns[0]:
        raise HierarchyError(f"{subject(column)}: there are no values to use.")
    columns = distinct_labels(columns)
    number = {label: i for i, label in enumerate(dict.fromkeys(chain.from_iterable(columns)))}
    grid = np.array(
        [np.fromiter(map(number.__getitem__, one), np.int64, len(one)) for one in columns]
    ).T
    parent = _parents_of_grid(grid, len(number))
    if parent is None:  # then these say which line is at fault
        table = list(zip(*columns, strict=True))
        parents = parents_of_rows(table, column, lines or range(1, len(table) + 1))
        return arrays_of_parents(parents, column, columns[0])
    first_row = np.full(len(number), len(grid), np.int64)
    for labels in grid.T:
        np.minimum.at(first_row, labels, np.arange(len(grid)))
    tree, renumbered = _arrays(list(number), parent, first_row)
    # the rows say on which level a short branch repeats a node; parents alone do not
    given = renumbered[grid]
    return tree._replace(levels=given[np.argsort(given[:, 0])])


def _parents_of_grid(grid: Nodes, n_labels: int) -> Nodes | None:
    """Parent of each label, from rows of labels' numbers; None where they are no tree."""
    parent = np.full(n_labels, -1, np.int64)
    for below, above in pairwise(grid.T):
        parent[below[below != above]] = above[below != above]
    agree = all((parent[below] == above)[below != above].all() for below, above in pairwise(grid.T))
    root_is_top = parent[grid[0, -1]] < 0
    no_leaf_above = not np.isin(grid[:, 0], parent).any()
    return parent if agree and root_is_top and no_leaf_above else None


def arrays_of_parents(
    parents: Mapping[str, str], column: str, leaves: Sequence[str] | None = None
) -> TreeArrays:
    """From each label's parent; `leaves` are labels that must not be parents."""
    where = subject(column)
    root = _only_root(parents, where)
    labels = [*parents, root]
    number = {label: node for node, label in enumerate(labels)}
    parent = np.array([*(number[above] for above in parents.values()), -1], np.int64)
    if (lost := cut_off(parent, len(labels) - 1)).any():
        first = min(labels[node] for node in np.flatnonzero(lost).tolist())
        raise HierarchyError(f"{where}: a cycle through {first!r}. Remove the link that closes it.")
    above = set(parents.values())
    if leaves is not None and (extra := [leaf for leaf in leaves if leaf in above]):
        raise HierarchyError(
            f"{where}: {extra[0]!r} is both a value and the parent of others. Rename one."
        )
    return _arrays(labels, parent, np.arange(len(labels)))[0]


def _arrays(labels: Sequence[str], parent: Nodes, rank: Nodes) -> tuple[TreeArrays, Codes]:
    """A tree whose siblings are ordered by rank, and the new number of each label."""
    order = number_nodes(parent, rank)
    renumbered = np.empty(len(parent), np.int32)
    renumbered[order] = np.arange(len(parent))
    above = parent[order]
    renamed = np.where(above >= 0, renumbered[above], -1).astype(np.int32)
    texts = tuple(labels[node] for node in order.tolist())
    return TreeArrays(texts, renamed, levels_from_root(renamed)), renumbered


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
    n_nodes = len(tree.labels)
    least = np.full(n_nodes, np.inf)
    for nodes in tree.levels.T:
        np.minimum.at(least, nodes, np.asarray(keys, np.float64))
    rank = np.empty(n_nodes, np.int64)
    rank[np.argsort(least, kind="stable")] = np.arange(n_nodes)
    order = number_nodes(tree.parent.astype(np.int64), rank)
    renumbered = np.empty(n_nodes, np.int32)
    renumbered[order] = np.arange(n_nodes)
    parent = tree.parent[order]
    return TreeArrays(
        tuple(tree.labels[node] for node in order.tolist()),
        np.where(parent >= 0, renumbered[parent], -1).astype(np.int32),
        renumbered[tree.levels[order[: len(tree.levels)]]],
    )
