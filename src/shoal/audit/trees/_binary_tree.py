"""Trees of tests with two branches, whichever library grew them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.audit._compiled_parts import check_children
from shoal.audit.trees._reach_kernels import TreeArrays
from shoal.typing import Flags, Floats

ZERO = float(np.float32(1e-35))  # what LightGBM takes for 0
Nodes = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class BinaryTree:
    """Tests by node: ``feature <= threshold``, or a category among chosen ones, goes left.

    Values are compared as they are given: whoever reads a library that compares single precision
    rounds the features first.

    Parameters
    ----------
    left, right : ndarray of intp
        Children of each node; -1 at leaves.
    feature : ndarray of intp
        Which feature is tested.
    threshold : ndarray of float64
        Largest value that goes left.
    missing_left : ndarray of bool
        Whether missing values go left.
    zero_missing : ndarray of bool
        Whether a zero goes where missing values go.
    chosen : mapping of int to ndarray of int64
        The nodes that test categories, and the codes that go left there, rising.
    number : ndarray of int64
        What the library calls each node, or each leaf.
    strict : bool
        Whether the library compares ``<``; thresholds are the number below then.
    """

    left: Nodes
    right: Nodes
    feature: Nodes
    threshold: Floats
    missing_left: Flags
    zero_missing: Flags
    number: NDArray[np.int64]
    chosen: Mapping[int, NDArray[np.int64]] = field(default_factory=dict)
    strict: bool = False

    def __post_init__(self) -> None:
        check_children(self.left, self.right)

    @classmethod
    def from_sklearn(cls, tree: Any) -> BinaryTree:
        """Read the `tree_` of a fitted scikit-learn tree."""
        n_nodes = int(tree.node_count)
        missing = getattr(tree, "missing_go_to_left", np.zeros(n_nodes))
        return cls(
            np.asarray(tree.children_left, np.intp),
            np.asarray(tree.children_right, np.intp),
            np.asarray(tree.feature, np.intp),
            np.asarray(tree.threshold, np.float64),
            np.asarray(missing, np.bool_),
            np.zeros(n_nodes, np.bool_),
            np.arange(n_nodes),
        )

    @cached_property
    def _parent(self) -> Nodes:
        parent = np.zeros(len(self.left), np.intp)
        inner = np.flatnonzero(self.left >= 0)
        parent[self.left[inner]] = parent[self.right[inner]] = inner
        return parent

    @cached_property
    def leaves(self) -> Nodes:
        """Nodes without children."""
        return np.flatnonzero(self.left < 0)

    @cached_property
    def tested(self) -> Nodes:
        """Features that some node tests."""
        return np.unique(self.feature[self.left >= 0])

    @cached_property
    def depth(self) -> int:
        """Tests on the longest way down."""
        n_tests, level = 0, np.array([0])
        while len(level := level[self.left[level] >= 0]):
            level = np.concatenate([self.left[level], self.right[level]])
            n_tests += 1
        return n_tests

    @cached_property
    def arrays(self) -> TreeArrays:
        """Everything about the tests, as kernels take it."""
        return TreeArrays(
            self.left,
            self.right,
            self.feature,
            self.threshold,
            self.missing_left,
            self.zero_missing,
            *self._codes,
        )

    @cached_property
    def _codes(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """For each node, where its chosen codes start and stop in one array (start -1: none)."""
        start = np.full(len(self.left), -1, np.int64)
        stop = start.copy()
        listed: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
        n_listed = 0
        for node, own in self.chosen.items():
            start[node], stop[node] = n_listed, n_listed + len(own)
            listed.append(own)
            n_listed += len(own)
        return start, stop, np.concatenate(listed)

    def goes_left(self, node: int, values: Floats) -> Flags:
        """Which values of the node's feature go left."""
        lost = np.isnan(values)
        if node in self.chosen:
            left = np.isin(np.where(lost, -1, np.trunc(values)), self.chosen[node])
        else:
            left = values <= self.threshold[node]
        if self.zero_missing[node]:
            lost |= np.abs(values) <= ZERO
        return np.where(lost, self.missing_left[node], left)

    def turning_points(self, feature: int) -> Floats:
        """Values of a feature that between them give every outcome of its tests.

        Tests cut the line into intervals.  Of each interval that a cut ends or starts, the value
        next to the cut is given, in double and in single precision.
        """
        here = np.flatnonzero((self.feature == feature) & (self.left >= 0))
        plain = np.array([node not in self.chosen for node in here.tolist()], np.bool_)
        cut = np.unique(self.threshold[here[plain]])
        with np.errstate(over="ignore"):  # a threshold may be beyond single precision
            single = cut.astype(np.float32)
        points = [cut, np.nextafter(cut, np.inf), single.astype(np.float64)]
        for way in (-np.inf, np.inf):
            points.append(np.nextafter(single, np.float32(way)).astype(np.float64))
        for node in here[~plain].tolist():
            points += [self.chosen[node] + shift for shift in (-1.0, 0.0, 1.0)]
        if self.zero_missing[here].any():
            points.append(np.array([-2 * ZERO, 0.0, 2 * ZERO]))
        return np.unique(np.concatenate(points))

    def path(self, leaf: int, names: tuple[str, ...]) -> str:
        """The tests on the way to a leaf, in words; of bounds on one side only the tightest."""
        tests: list[str] = []
        bounded: set[tuple[int, bool]] = set()
        node = leaf
        while node != 0:
            parent = int(self._parent[node])
            side = int(self.feature[parent]), bool(self.left[parent] == node)
            if parent in self.chosen or side not in bounded:  # further up it is wider
                tests.append(self._test_in_words(parent, names, side[1]))
            if parent not in self.chosen:
                bounded.add(side)
            node = parent
        return " and ".join(reversed(tests)) or "no test"

    def _test_in_words(self, node: int, names: tuple[str, ...], left: bool) -> str:
        name = names[self.feature[node]]
        if node in self.chosen:
            listed = ", ".join(map(str, self.chosen[node].tolist()))
            return f"{name} {'in' if left else 'not in'} categories {listed}"
        if self.strict:
            shown = np.nextafter(np.float32(self.threshold[node]), np.float32(np.inf))
            return f"{name} {'<' if left else '>='} {shown:g}"
        return f"{name} {'<=' if left else '>'} {self.threshold[node]:g}"


@dataclass(eq=False)
class TreeWriter:
    """A tree in the making, node by node from the root; the nested formats are read with it."""

    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    feature: list[int] = field(default_factory=list)
    threshold: list[float] = field(default_factory=list)
    missing_left: list[bool] = field(default_factory=list)
    zero_missing: list[bool] = field(default_factory=list)
    number: list[int] = field(default_factory=list)
    rows: list[float] = field(default_factory=list)
    chosen: dict[int, NDArray[np.int64]] = field(default_factory=dict)

    def add(self, number: int, rows: float) -> int:
        """A new node, a leaf until it is given a test; its index."""
        self.left.append(-1)
        self.right.append(-1)
        self.feature.append(0)
        self.threshold.append(0.0)
        self.missing_left.append(False)
        self.zero_missing.append(False)
        self.number.append(number)
        self.rows.append(rows)
        return len(self.left) - 1

    def test(
        self,
        node: int,
        feature: int,
        against: float | list[int],
        *,
        missing_left: bool,
        zero_missing: bool = False,
    ) -> None:
        """Make a node test a feature against a threshold or a list of codes."""
        self.feature[node] = feature
        self.missing_left[node] = missing_left
        self.zero_missing[node] = zero_missing
        if isinstance(against, list):
            self.chosen[node] = np.unique(np.array(against, np.int64))
        else:
            self.threshold[node] = against

    def finish(self, *, strict: bool = False) -> BinaryTree:
        """The tree."""
        return BinaryTree(
            np.array(self.left, np.intp),
            np.array(self.right, np.intp),
            np.array(self.feature, np.intp),
            np.array(self.threshold, np.float64),
            np.array(self.missing_left, np.bool_),
            np.array(self.zero_missing, np.bool_),
            np.array(self.number, np.int64),
            self.chosen,
            strict,
        )
