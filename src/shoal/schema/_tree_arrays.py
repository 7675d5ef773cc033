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
    # the rows say on which level a short branch repeats a node; parents alone do not
    return numbered(list(number), parent, grid, first_row)


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
    # levels are counted from the root, and short branches repeat their leaf
    own = np.setdiff1d(np.arange(len(labels)), parent)
    path = paths(parent, own)[:, ::-1]
    levels = np.where(path < 0, own[:, None], path)
    return numbered(labels, parent, levels, np.arange(len(labels)))


def numbered(
    labels: Sequence[str | None], parent: Codes | Nodes, levels: Codes | Nodes, rank: Nodes
) -> TreeArrays:
    """A tree with its nodes in order: leaves as a walk meets them, then inner nodes.

    Siblings are visited by rising `rank`; an inner node follows all that is below it.
    """
    n_nodes = len(parent)
    is_inner = np.isin(np.arange(n_nodes), parent)
    leaves, inner = np.flatnonzero(~is_inner), np.flatnonzero(is_inner)
    path = paths(parent, leaves)
    walked = np.lexsort(np.append(rank, -1)[path].T[::-1])
    stop, depth = np.zeros((2, n_nodes + 1), np.int64)  # the last place is that of -1
    for level, nodes in enumerate(path[walked].T):
        np.maximum.at(stop, nodes, np.arange(1, len(nodes) + 1))
        depth[nodes] = level
    # of two nodes whose last leaf is the same, one is above the other
    finished = np.lexsort((-depth[inner], stop[inner]))
    order = np.concatenate([leaves[walked], inner[finished]])
    renumbered = np.append(np.empty(n_nodes, np.int32), np.int32(-1))
    renumbered[order] = np.arange(n_nodes)
    ordered = renumbered[levels]
    return TreeArrays(
        tuple(labels[node] for node in order.tolist()),
        renumbered[parent[order]],
        ordered[np.argsort(ordered[:, 0])],
    )


def paths(parent: Codes | Nodes, leaves: Nodes) -> Nodes:
    """Node at each depth on the way from the root to each leaf; -1 below the leaf."""
    up = np.append(parent, -1).astype(
        np.int64
    )  # above -1, which is the last place, is nothing either
    ways = [leaves]
    while (above := up[ways[-1]]).max() >= 0:
        ways.append(above)
    climbed = np.array(ways).T
    row, step = np.nonzero(climbed >= 0)
    path = np.full(climbed.shape, -1, np.int64)
    path[row, (climbed >= 0).sum(axis=1)[row] - 1 - step] = climbed[row, step]
    return path


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


def columns_of_tree(tree: Mapping[str, Any], column: str) -> list[tuple[str, ...]]:
    """Labels of all leaves of nested mappings on each level, the root `*` last.

    Levels are counted from the root, and short branches repeat their leaf.
    """
    if set(tree) == {ROOT_LABEL}:
        tree = tree[ROOT_LABEL]
    seen, ways = {ROOT_LABEL}, []
    todo: list[tuple[tuple[str, ...], Any]] = [((ROOT_LABEL,), tree)]
    while todo:
        way, below = todo.pop()
        if not below and len(way) > 1:
            ways.append(way)
            continue
        if isinstance(below, Mapping):
            inner = list(below.items())
        elif isinstance(below, str) or not isinstance(below, Iterable):
            inner = [(below, None)]
        else:
            inner = [(leaf, None) for leaf in below]
        for label, _ in inner:
            if str(label) in seen:
                raise HierarchyError(
                    f"{subject(column)}: {str(label)!r} appears twice. A value has one parent."
                )
            seen.add(str(label))
        todo += [((str(label), *way), deeper) for label, deeper in reversed(inner)]
    if not ways:
        raise HierarchyError(f"{subject(column)} is empty. Name at least one value.")
    n_levels = max(map(len, ways))
    return list(zip(*(way[:1] * (n_levels - len(way)) + way for way in ways), strict=True))


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
    return numbered(tree.labels, tree.parent, tree.levels, rank)
