"""How one column coarsens: a rooted tree over its values, stored as integer arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from shoal._plain import pack_numbers, unpack_numbers
from shoal.errors import HierarchyError
from shoal.schema._text import texts
from shoal.schema._tree_arrays import (
    TreeArrays,
    add_leaves,
    arrays_of_columns,
    arrays_of_levels,
    arrays_of_parents,
    columns_of_tree,
    sort_children,
)
from shoal.schema._tree_parts import ROOT_LABEL
from shoal.typing import Codes, Counts


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
        return cls(*arrays_of_levels(rows, column, lines))

    @classmethod
    def from_columns(cls, columns: Sequence[Sequence[str]], *, column: str = "") -> Hierarchy:
        """Build from the labels of all leaves on each level: distinct leaves first, the root last.

        The same as :meth:`from_levels` of the rows, without making them.
        """
        return cls(*arrays_of_columns(columns, column))

    @classmethod
    def from_parents(
        cls,
        parents: Mapping[str, str],
        *,
        column: str = "",
        leaves: Sequence[str] | None = None,
    ) -> Hierarchy:
        """Build from each label's parent; the one label without a parent is the root."""
        return cls(*arrays_of_parents(parents, column, leaves))

    @classmethod
    def from_tree(cls, tree: Mapping[str, Any], *, column: str = "") -> Hierarchy:
        """Build from nested mappings; a list, or a mapping to nothing, holds leaves.

        The root `*` is added unless the outermost mapping has that single key.
        """
        return cls(*arrays_of_columns(columns_of_tree(tree, column), column))

    @classmethod
    def flat(cls, values: Sequence[str]) -> Hierarchy:
        """Every value straight under the root."""
        leaves = list(dict.fromkeys(values))
        return cls(*arrays_of_columns([leaves, [ROOT_LABEL] * len(leaves)], ""))

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
        return Hierarchy(*add_leaves(self._arrays, values))

    def sorted_by(self, keys: Sequence[float]) -> Hierarchy:
        """The same tree with children ordered by the least key below them (one key per leaf)."""
        return Hierarchy(*sort_children(self._arrays, keys))

    @property
    def _arrays(self) -> TreeArrays:
        return TreeArrays(self.labels, self.parent, self.levels)

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
        return {
            "labels": list(self.labels),
            "parent": pack_numbers(self.parent, packed),
            "levels": pack_numbers(self.levels, packed),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Hierarchy:
        """Inverse of :meth:`to_dict`."""
        return cls(
            tuple(data["labels"]),
            unpack_numbers(data["parent"], np.int32),
            unpack_numbers(data["levels"], np.int32),
        )


Values: TypeAlias = Sequence[Any]


@runtime_checkable
class Recipe(Protocol):
    """Makes the hierarchy of a column out of its values."""

    def build(self, values: Values, *, column: str = "") -> Hierarchy:
        """Hierarchy over `values` (distinct, not missing, in natural order)."""

    def to_toml(self) -> Any:
        """What stands behind `hierarchy =` in a schema file."""


def from_label_columns(values: Values, levels: Sequence[Sequence[str]], column: str) -> Hierarchy:
    """Hierarchy of `values` from the label of each on every level, finest first."""
    leaves = list(map(str, texts(values)))
    if not leaves:
        raise HierarchyError(f"hierarchy of column {column!r}: there are no values to use.")
    if len(set(leaves)) < len(leaves):  # rows say which value was given twice
        rows = zip(leaves, *levels, [ROOT_LABEL] * len(leaves), strict=True)
        return Hierarchy.from_levels(rows, column=column)
    return Hierarchy(*arrays_of_columns([leaves, *levels, [ROOT_LABEL] * len(leaves)], column))
