"""Hierarchies as arrays: built from rows, parents or nested mappings, extended, reordered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import HierarchyError
from shoal.schema._tree_parts import (
    ROOT_LABEL,
    check_rows,
    parents_of_rows,
    several_roots,
    subject,
)
from shoal.typing import Codes, Flags

Nodes = NDArray[np.int64]


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
    if not set(columns[0]).isdisjoint(chain.from_iterable(columns[1:])):
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
    root = _only_root(parents, column)
    labels = [*parents, root]
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
    return _arrays(labels, parent, np.arange(len(labels)))[0]


def _arrays(labels: Sequence[str], parent: Nodes, rank: Nodes) -> tuple[TreeArrays, Codes]:
    """A tree whose siblings are ordered by rank, and the new number of each label."""
    order = number_nodes(parent, rank)
    renumbered = np.empty(len(parent), np.int32)
    renumbered[order] = np.arange(len(parent))
    above = parent[order]
    renamed = np.where(above >= 0, renumbered[above], -1).astype(np.int32)
    texts = tuple(labels[node] for node in order.tolist())
    # levels are counted from the root, and short branches repeat their leaf
    leaves = np.arange(int(renamed[renamed >= 0].min()))
    path = paths(renamed, leaves, depths(renamed))[:, ::-1]
    levels = np.where(path < 0, leaves[:, None], path).astype(np.int32)
    return TreeArrays(texts, renamed, levels), renumbered


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


def parents_of_tree(tree: Mapping[str, Any], column: str) -> dict[str, str]:
    """Parent of each label of nested mappings, under the root `*`."""
    if set(tree) == {ROOT_LABEL}:
        tree = tree[ROOT_LABEL]
    parents: dict[str, str] = {}
    todo: list[tuple[str, Any]] = [(ROOT_LABEL, tree)]
    while todo:
        parent, below = todo.pop()
        if isinstance(below, str) or not isinstance(below, Iterable):
            below = [below]
        inner = below.items() if isinstance(below, Mapping) else [(leaf, None) for leaf in below]
        for label, deeper in inner:
            child = str(label)
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


def depths(parent: Codes | Nodes) -> Nodes:
    """Steps from the root (whose parent is -1) to each node of a tree."""
    depth = np.zeros(len(parent), np.int64)
    above = np.asarray(parent, np.int64)
    while (below_root := above >= 0).any():
        depth += below_root
        above = np.where(below_root, parent[above], -1)
    return depth


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


def paths(parent: Codes | Nodes, leaves: Nodes, depth: Nodes) -> Nodes:
    """Node at each depth on the way from the root to each leaf; -1 below the leaf."""
    path = np.full((len(leaves), int(depth[leaves].max(initial=0)) + 1), -1, np.int64)
    row, node = np.arange(len(leaves)), leaves
    while len(row):
        path[row, depth[node]] = node
        above = parent[node]
        row, node = row[above >= 0], above[above >= 0]
    return path


def number_nodes(parent: Nodes, rank: Nodes) -> Nodes:
    """Nodes in the order of their numbers: leaves as a walk meets them, then inner nodes.

    Siblings are visited by rising `rank`; an inner node follows all that is below it.
    """
    is_inner = np.zeros(len(parent), np.bool_)
    is_inner[parent[parent >= 0]] = True
    leaves, inner = np.flatnonzero(~is_inner), np.flatnonzero(is_inner)
    depth = depths(parent)
    path = paths(parent, leaves, depth)
    ranks = np.append(rank, -1)[path]
    walked = np.lexsort(ranks.T[::-1])
    stop = np.zeros(len(parent) + 1, np.int64)  # the last place is that of -1
    for nodes in path[walked].T:
        np.maximum.at(stop, nodes, np.arange(1, len(nodes) + 1))
    # of two nodes whose last leaf is the same, one is above the other
    finished = np.lexsort((-depth[inner], stop[inner]))
    return np.concatenate([leaves[walked], inner[finished]])


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
