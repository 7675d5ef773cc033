"""How one column coarsens: a rooted tree over its values, stored as integer arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, pairwise
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal._plain import pack, unpack_numbers
from shoal.errors import HierarchyError
from shoal.schema._text import texts
from shoal.schema._tree_parts import (
    ROOT_LABEL,
    check_rows,
    distinct_labels,
    link_labels,
    parents_of_rows,
    subject,
)
from shoal.typing import Codes, Counts

Nodes: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """A tree whose leaves are the values of one column and whose root is the least specific value.

    Nodes are numbered: leaves first (0 to ``n_leaves - 1``, in the order in which a walk through
    the tree meets them), then inner nodes, children before parents, the root last.  So every node
    covers one run of leaf codes.

    Parameters
    ----------
    labels : tuple of str
        Text of every node.  A missing value's leaf has the label None.
    parent : ndarray of int32
        Parent of every node; -1 for the root.
    levels : ndarray of int32, shape (n_leaves, n_levels)
        Node that stands for each leaf at each level; level 0 is the leaf, the last level the root.
        Short branches repeat a node.

    See Also
    --------
    from_levels, from_tree, from_parents : Ways to build one.

    Examples
    --------
    >>> tree = Hierarchy.from_tree({"Midwest": ["Kansas", "Nebraska"], "West": ["California"]})
    >>> tree.labels
    ('Kansas', 'Nebraska', 'California', 'Midwest', 'West', '*')
    >>> tree.labels[tree.lowest_common_ancestor(0, 1)]
    'Midwest'
    """

    labels: tuple[str | None, ...]
    parent: Codes
    levels: Codes
    #: Number of leaves, a missing value's leaf included.
    n_leaves: int = field(init=False)
    #: Number of nodes.
    n_nodes: int = field(init=False)
    #: Number of levels, leaves and root included.
    n_levels: int = field(init=False)
    #: Code of the root.
    root: int = field(init=False)
    #: Code of the leaf for missing values, -1 without one.
    missing: int = field(init=False)
    #: Number of leaves that are values: the leaf for missing values does not count.
    n_values: int = field(init=False)

    #: Steps from the root to each node.
    depth: Codes = field(init=False)
    #: Longest way from each node down to a leaf.
    height: Codes = field(init=False)
    #: First leaf below each node.
    start: Codes = field(init=False)
    #: One past the last leaf below each node.
    stop: Codes = field(init=False)
    #: Values that each node covers; the leaf for missing values does not count as a value.
    n_leaves_below: Counts = field(init=False)

    def __post_init__(self) -> None:
        (n_leaves, n_levels), n_nodes = self.levels.shape, len(self.labels)
        missing = n_leaves - 1 if self.labels[n_leaves - 1] is None else -1
        known = {"n_leaves": n_leaves, "n_levels": n_levels, "n_nodes": n_nodes}
        known |= {"root": n_nodes - 1, "missing": missing, "n_values": n_leaves - (missing >= 0)}
        leaves = np.arange(n_leaves, dtype=np.int32)
        depth, height, stop = (np.zeros(n_nodes, np.int32) for _ in range(3))
        start = np.full(n_nodes, n_leaves, np.int32)
        for above, nodes in pairwise(self.levels.T[::-1]):
            depth[nodes] = depth[above] + (nodes != above)
        for nodes in self.levels.T:  # every node is on the way from a leaf to the root
            np.minimum.at(start, nodes, leaves)
            np.maximum.at(stop, nodes, leaves + 1)
            np.maximum.at(height, nodes, depth[:n_leaves] - depth[nodes])
        below = (stop - start).astype(np.int64)
        below[-1] -= missing >= 0
        vars(self).update(
            known, depth=depth, height=height, start=start, stop=stop, n_leaves_below=below
        )

    # -- builders ---------------------------------------------------------------------------

    @classmethod
    def from_levels(
        cls,
        rows: Iterable[Sequence[str]],
        *,
        column: str = "",
        lines: Sequence[int] | None = None,
    ) -> Hierarchy:
        """Build from one row per leaf: the leaf, then ever coarser labels, the root last.

        Labels that repeat along a row stand for one node, so unbalanced trees need no padding
        of their own.  `lines` are the lines of a file that the rows come from, for messages.
        """
        table = [tuple(map(str, row)) for row in rows]
        lines = range(1, len(table) + 1) if lines is None else lines
        check_rows(table, column, lines)
        return cls.from_columns(list(zip(*table, strict=True)), column=column, lines=lines)

    @classmethod
    def from_columns(
        cls,
        columns: Sequence[Sequence[Any]],
        *,
        column: str = "",
        lines: Sequence[int] | None = None,
    ) -> Hierarchy:
        """Build from the labels of all leaves on each level: the leaves first, the root last.

        The same as :meth:`from_levels` of the rows, without making them.  The leaves may be values
        of any type, which stand for their texts.
        """
        columns = [list(map(str, texts(columns[0]))), *columns[1:]]
        n_leaves, leaves = len(columns[0]), set(columns[0])
        lines = range(1, n_leaves + 1) if lines is None else lines
        if not n_leaves:
            raise HierarchyError(f"{subject(column)}: there are no values to use.")
        if len(leaves) < n_leaves:  # rows say which value was given twice
            check_rows(list(zip(*columns, strict=True)), column, lines)
        if not leaves.isdisjoint(chain.from_iterable(columns[1:])):
            columns = distinct_labels(columns)
        number = {label: i for i, label in enumerate(dict.fromkeys(chain.from_iterable(columns)))}
        grid = np.array(
            [np.fromiter(map(number.__getitem__, one), np.int64, len(one)) for one in columns]
        )
        parent = np.full(len(number), -1, np.int64)
        for below, above in pairwise(grid):
            parent[below[below != above]] = above[below != above]
        agree = all((parent[low] == high)[low != high].all() for low, high in pairwise(grid))
        if not agree or parent[grid[-1, 0]] >= 0 or np.isin(grid[0], parent).any():
            # no tree: rows and parents say which line is at fault
            parents = parents_of_rows(list(zip(*columns, strict=True)), column, lines)
            return cls.from_parents(parents, column=column, leaves=columns[0])
        first_row = np.full(len(number), n_leaves, np.int64)
        for labels in grid:
            np.minimum.at(first_row, labels, np.arange(n_leaves))
        # the rows say on which level a short branch repeats a node; parents alone do not
        return cls(*numbered(list(number), parent, grid.T, first_row))

    @classmethod
    def from_parents(
        cls,
        parents: Mapping[str, str],
        *,
        column: str = "",
        leaves: Sequence[str] | None = None,
    ) -> Hierarchy:
        """Build from each label's parent; the one label without a parent is the root.

        `leaves` are labels that must not be parents.
        """
        labels, parent = link_labels(parents, column, leaves)
        return cls(*numbered(labels, parent, None, np.arange(len(labels))))

    @classmethod
    def from_tree(cls, tree: Mapping[str, Any], *, column: str = "") -> Hierarchy:
        """Build from nested mappings; a list, or a mapping to nothing, holds leaves.

        The root `*` is added unless the outermost mapping has that single key.
        """
        whole = tree[ROOT_LABEL] if set(tree) == {ROOT_LABEL} else tree
        number, parent = {ROOT_LABEL: 0}, [-1]
        todo: list[tuple[int, Any]] = [(0, whole)]
        while todo:
            node, below = todo.pop()
            if not below and node:
                continue  # a leaf
            if isinstance(below, Mapping):
                inner = list(below.items())
            elif isinstance(below, str) or not isinstance(below, Iterable):
                inner = [(below, None)]
            else:
                inner = [(leaf, None) for leaf in below]
            for label, _ in inner:
                if str(label) in number:
                    raise HierarchyError(
                        f"{subject(column)}: {str(label)!r} appears twice. A value has one parent."
                    )
                number[str(label)] = len(parent)
                parent.append(node)
            todo += [(number[str(label)], deeper) for label, deeper in reversed(inner)]
        if len(parent) == 1:
            raise HierarchyError(f"{subject(column)} is empty. Name at least one value.")
        return cls(*numbered(list(number), np.array(parent), None, np.arange(len(parent))))

    @classmethod
    def flat(cls, values: Sequence[str]) -> Hierarchy:
        """Every value straight under the root."""
        leaves = list(dict.fromkeys(values))
        return cls.from_columns([leaves, [ROOT_LABEL] * len(leaves)])

    # -- shape ------------------------------------------------------------------------------

    def children(self, node: int) -> Codes:
        """Children of a node, in leaf order."""
        below = np.flatnonzero(self.parent == node)
        return below[np.argsort(self.start[below])].astype(np.int32)

    def lowest_common_ancestor(self, left: ArrayLike, right: ArrayLike) -> Codes:
        """Deepest node that covers both; element by element for arrays."""
        a, b = np.broadcast_arrays(np.asarray(left, np.int32), np.asarray(right, np.int32))
        while (beside := (self.start[b] < self.start[a]) | (self.stop[b] > self.stop[a])).any():
            a = np.where(beside, self.parent[a], a)
        # of nodes over the same leaves one is above the other, and has the larger number
        same = (self.start[a] == self.start[b]) & (self.stop[a] == self.stop[b])
        return np.where(same, np.maximum(a, b), a).astype(np.int32)

    def find(self, label: str) -> int:
        """Code of the node with this label; -1 when there is none."""
        return self._codes.get(label, -1)

    @cached_property
    def _codes(self) -> dict[str | None, int]:
        return {label: node for node, label in enumerate(self.labels)}

    # -- variants ---------------------------------------------------------------------------

    def with_missing(self) -> Hierarchy:
        """The same tree with a leaf for missing values straight under the root."""
        return self if self.missing >= 0 else self.with_leaves([None])

    def with_leaves(self, values: Sequence[str | None]) -> Hierarchy:
        """The same tree with further leaves straight under the root, after all others."""
        n_leaves, extra = self.n_leaves, len(values)
        labels = (*self.labels[:n_leaves], *values, *self.labels[n_leaves:])
        root = len(labels) - 1
        # leaves come first: whatever is behind them moves by as many places
        parent = np.where(self.parent >= n_leaves, self.parent + extra, self.parent)
        parent = np.concatenate([parent[:n_leaves], np.full(extra, root), parent[n_leaves:]])
        levels = np.where(self.levels >= n_leaves, self.levels + extra, self.levels)
        own = np.full((extra, self.n_levels), root)
        own[:, 0] = np.arange(n_leaves, n_leaves + extra)
        return Hierarchy(labels, parent.astype(np.int32), np.vstack([levels, own]).astype(np.int32))

    def sorted_by(self, keys: Sequence[float]) -> Hierarchy:
        """The same tree with children ordered by the least key below them (one key per leaf)."""
        least = np.full(self.n_nodes, np.inf)
        for nodes in self.levels.T:
            np.minimum.at(least, nodes, np.asarray(keys, np.float64))
        rank = np.empty(self.n_nodes, np.int64)
        rank[np.argsort(least, kind="stable")] = np.arange(self.n_nodes)
        return Hierarchy(*numbered(self.labels, self.parent, self.levels, rank))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hierarchy):
            return NotImplemented
        return (
            self.labels == other.labels
            and np.array_equal(self.parent, other.parent)
            and np.array_equal(self.levels, other.levels)
        )

    def __hash__(self) -> int:
        return hash((self.labels, self.parent.tobytes()))

    def __reduce__(self) -> tuple[object, ...]:
        """What is pickled: what the rest is computed from."""
        return Hierarchy, (self.labels, self.parent, self.levels)

    def __repr__(self) -> str:
        return f"Hierarchy({self.n_leaves} leaves, {self.n_nodes} nodes, {self.n_levels} levels)"

    def to_dict(self, packed: bool = False) -> dict[str, Any]:
        """Plain lists, for JSON; long arrays as their bytes if `packed`."""
        plain: dict[str, Any] = pack(self, packed)
        return plain

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Hierarchy:
        """Inverse of :meth:`to_dict`."""
        return cls(
            tuple(data["labels"]),
            unpack_numbers(data["parent"], np.int32),
            unpack_numbers(data["levels"], np.int32),
        )


def numbered(
    labels: Sequence[str | None], parent: Codes | Nodes, levels: Codes | Nodes | None, rank: Nodes
) -> tuple[tuple[str | None, ...], Codes, Codes]:
    """What a hierarchy is made of, with nodes in order: leaves as a walk meets them, then the rest.

    Siblings are visited by rising `rank`; an inner node follows all that is below it.  Without
    `levels` these are counted from the root, and short branches repeat their leaf.
    """
    n_nodes = len(parent)
    is_inner = np.isin(np.arange(n_nodes), parent)
    leaves, inner = np.flatnonzero(~is_inner), np.flatnonzero(is_inner)
    up = np.append(parent, -1)  # above -1, which is the last place, is nothing either
    ways = [leaves]
    while (above := up[ways[-1]]).max() >= 0:
        ways.append(above)
    climbed = np.array(ways).T
    row, step = np.nonzero(climbed >= 0)
    path = np.full(climbed.shape, -1, np.int64)  # from the root to each leaf; -1 below it
    path[row, (climbed >= 0).sum(axis=1)[row] - 1 - step] = climbed[row, step]
    if levels is None:
        levels = np.where(path < 0, leaves[:, None], path)[:, ::-1]
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
    texts_in_order = tuple(labels[node] for node in order.tolist())
    return texts_in_order, renumbered[parent[order]], ordered[np.argsort(ordered[:, 0])]


Values: TypeAlias = Sequence[Any]


@runtime_checkable
class Recipe(Protocol):
    """Makes the hierarchy of a column out of its values."""

    def build(self, values: Values, *, column: str = "") -> Hierarchy:
        """Hierarchy over `values` (distinct, not missing, in natural order)."""

    def to_toml(self) -> Any:
        """What stands behind `hierarchy =` in a schema file."""
