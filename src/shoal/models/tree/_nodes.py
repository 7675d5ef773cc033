"""A fitted tree: what it tests, where rows go, which bins and spans that makes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.models._input import Input
from shoal.models.tree._attributes import Attribute
from shoal.models.tree._node_arrays import check_nodes, nodes_from_dict, nodes_to_dict
from shoal.models.tree._route_kernels import LEAF, Nodes, route, step
from shoal.privacy.spans._spans import Bins, PrivateColumns, Spans
from shoal.tables._frequency import group_keys
from shoal.typing import Codes, Flags, Floats


@dataclass(frozen=True)
class View:
    """An attribute as tests see it: at one level of its hierarchy, or on the number line.

    Parameters
    ----------
    attribute : int
        Which attribute.
    level : int
        Level of its hierarchy; 0 is the value itself.
    labels : tuple of str or None
        Labels that some branch has; None is a missing value.  Empty for ordered attributes.
    """

    attribute: int
    level: int = 0
    labels: tuple[str | None, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"attribute": self.attribute, "level": self.level, "labels": list(self.labels)}


@dataclass(frozen=True, eq=False)
class Viewed:
    """Rows as a tree sees them, one line per view."""

    codes: Codes  # -1 where the value has no label in the view
    values: Floats
    lost: Flags  # whether the value is missing

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.codes.shape[1]

    def take(self, rows: NDArray[np.int64]) -> Viewed:
        """Some rows, in any order and number."""
        return Viewed(
            np.ascontiguousarray(self.codes[:, rows]),
            np.ascontiguousarray(self.values[:, rows]),
            np.ascontiguousarray(self.lost[:, rows]),
        )


class PublicTest(NamedTuple):
    """One test of a public attribute, and the rows that meet it."""

    name: str
    level: int
    threshold: float  # NaN for a categorical test
    cells: NDArray[np.int64]  # the rows
    told: Flags  # whether the row has a branch of its own; rows without one may join others
    side: Codes  # 0 at most the threshold, 1 above it, -1 otherwise
    missing: Flags  # whether the row's value is missing
    hidden: bool  # whether something private is tested above, so that nobody knows who is here


@dataclass(frozen=True, eq=False)
class FittedTree:
    """All that is published of a tree.  It holds no training row.

    Parameters
    ----------
    attributes : tuple of Attribute
        The columns that the tree may test.
    views : tuple of View
        The ways in which it tests them.
    nodes : Nodes
        Tests, branches and counts.
    class_is_public : bool
        Whether an attacker may know the class.
    """

    attributes: tuple[Attribute, ...]
    views: tuple[View, ...]
    nodes: Nodes
    class_is_public: bool = False

    # -- shape ------------------------------------------------------------------------------

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.nodes.slot)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return self.nodes.counts.shape[1]

    @property
    def leaves(self) -> NDArray[np.intp]:
        """Nodes that test nothing."""
        return np.flatnonzero(self.nodes.slot == LEAF)

    def attribute(self, node: int) -> Attribute:
        """What an inner node tests."""
        return self.attributes[self.views[self.nodes.slot[node]].attribute]

    def children(self, node: int) -> list[int]:
        """Children of a node, in the order of their branches."""
        nodes = self.nodes
        first = int(nodes.first[node])
        table = nodes.child[first : first + int(nodes.width[node])].tolist()
        table.append(int(nodes.other[node]))  # a branch that names no value is only there
        return list(
            dict.fromkeys(child for child in table if child >= 0 and self._is_own(node, child))
        )

    def _is_own(self, node: int, child: int) -> bool:
        return int(self.nodes.parent[child]) == node

    def labels(self, node: int, child: int) -> list[str | None]:
        """Labels of the branch from a categorical test to a child; none: all that others lack."""
        nodes = self.nodes
        first = int(nodes.first[node])
        view = self.views[nodes.slot[node]]
        return [
            label for index, label in enumerate(view.labels) if nodes.child[first + index] == child
        ]

    def depth(self) -> Codes:
        """Steps from the root to each node."""
        depth = np.zeros(self.n_nodes, np.int32)
        for node in range(1, self.n_nodes):  # parents come before their children
            depth[node] = depth[self.nodes.parent[node]] + 1
        return depth

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "attributes": [attribute.to_dict() for attribute in self.attributes],
            "views": [view.to_dict() for view in self.views],
            "nodes": nodes_to_dict(self.nodes),
            "class_is_public": self.class_is_public,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> FittedTree:
        """Inverse of :meth:`to_dict`."""
        attributes = tuple(Attribute.from_dict(attribute) for attribute in data["attributes"])
        views = tuple(View(v["attribute"], v["level"], tuple(v["labels"])) for v in data["views"])
        nodes = nodes_from_dict(data["nodes"])
        check_nodes(nodes, [len(attributes), *(view.attribute for view in views)])
        return cls(attributes, views, nodes, data["class_is_public"])

    # -- rows -------------------------------------------------------------------------------

    def look(self, table: Input, places: Mapping[str, int]) -> Viewed:
        """Read a table as the tests do."""
        n = table.n_rows
        codes = np.full((len(self.views), n), -1, np.int32)
        values = np.full((len(self.views), n), np.nan)
        lost = np.zeros((len(self.views), n), np.bool_)
        read: dict[int, Any] = {}
        for line, view in enumerate(self.views):
            attribute = self.attributes[view.attribute]
            place = places.get(attribute.name, -1)
            if place < 0:  # a private column of a table that leaves it out
                continue
            if attribute.ordered:
                values[line] = attribute.places(table, place)
                lost[line] = np.isnan(values[line])
                continue
            if view.attribute not in read:
                factor = table.factor(place)
                read[view.attribute] = factor.codes, attribute.labels(factor.values)
            rows, labels = read[view.attribute]
            code_of = {label: code for code, label in enumerate(view.labels)}
            code_of_value = [
                -1 if own is None else code_of.get(own[view.level], -1) for own in labels
            ]
            codes[line] = np.array([*code_of_value, code_of.get(None, -1)], np.int32)[rows]
            lost[line] = rows < 0
        return Viewed(codes, values, lost)

    def apply(self, rows: Viewed) -> NDArray[np.int64]:
        """Node at which each row stops: a leaf, or the last node with a branch for it."""
        return route(self.nodes, rows.codes, rows.values)

    # -- what an attacker sees --------------------------------------------------------------

    def find_spans(
        self, rows: Viewed, classes: Codes, private: PrivateColumns
    ) -> tuple[Spans, NDArray[np.int64], Bins]:
        """Spans of training rows by the definition: public values fixed, private ones free.

        Shares nothing with the bookkeeping by which the tree grew.
        """
        span_of_row, n_spans = self._tell_apart(rows, classes)
        first = np.zeros(n_spans, np.int64)
        first[span_of_row[::-1]] = np.arange(rows.n_rows)[::-1]
        reached, stops = [], []
        for node, here in self._walk(rows, np.arange(n_spans), first, stopping=True):
            reached.append(here)
            stops.append(np.full(len(here), node))
        span, stop = np.concatenate(reached), np.concatenate(stops)
        kept = np.unique(np.concatenate([stop, self.leaves]))
        bins, n_classes = np.searchsorted(kept, stop), self.n_classes
        if self.class_is_public:
            bins = bins * n_classes + classes[first[span]]
        else:
            span = np.repeat(span, n_classes)
            bins = (bins[:, None] * n_classes + np.arange(n_classes)).ravel()
        order = np.lexsort((bins, span))
        start = np.searchsorted(span[order], np.arange(n_spans + 1)).astype(np.int64)
        spans = Spans.from_members(span_of_row, start, bins[order].astype(np.int32), private)
        return spans, span_of_row, self._bins(kept)

    def _bins(self, stops: NDArray[np.int64]) -> Bins:
        leaf = self.nodes.slot[stops] == LEAF
        names = tuple(
            f"{'leaf' if is_leaf else 'other values at node'} {stop}, class {c}"
            for stop, is_leaf in zip(stops.tolist(), leaf.tolist(), strict=True)
            for c in range(self.n_classes)
        )
        return Bins(names, np.where(leaf[:, None], self.nodes.counts[stops], 0).ravel())

    def _tell_apart(self, rows: Viewed, classes: Codes) -> tuple[NDArray[np.int64], int]:
        """Number the rows by what public values make of them: equal numbers, equal spans."""
        everything = np.arange(rows.n_rows)
        label = classes.astype(np.int64) if self.class_is_public else np.zeros(rows.n_rows, int)
        n_labels = self.n_classes
        for node, here in self._walk(rows, everything, everything, stopping=False):
            if not self.attribute(node).public:
                continue
            goes = self._step(node, rows, here)
            keys = np.column_stack([np.unique(label[here], return_inverse=True)[1], goes + 1])
            part, n_parts = group_keys(keys.astype(np.int32))
            label[here] = n_labels + part
            n_labels += n_parts
        return group_keys(label.astype(np.int32)[:, None])

    def _walk(
        self, rows: Viewed, who: NDArray[np.int64], row: NDArray[np.int64], *, stopping: bool
    ) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Nodes with those of `who` (whose rows are `row`) that can get there.

        With `stopping`: only nodes where they can stop; else only inner nodes.
        """
        todo = [(0, who)]
        while todo:
            node, here = todo.pop()
            if not len(here):
                continue
            if self.nodes.slot[node] == LEAF:
                if stopping:
                    yield node, here
                continue
            children = self.children(node)
            if not stopping:
                yield node, here
            if not self.attribute(node).public:
                todo.extend((child, here) for child in children)
                continue
            goes = self._step(node, rows, row[here])
            if stopping:
                stays = (goes == node) | ((goes < 0) & self._holds_missing(node))
                if stays.any():
                    yield node, here[stays]
            todo.extend((child, here[(goes == child) | (goes < 0)]) for child in children)

    def rare_names(self, rows: Viewed, least: int) -> dict[str, int]:
        """How many values tests name that fewer than `least` rows have of those that may be there.

        By column.  Read off the finished tree: shares nothing with the search, which refuses them.
        """
        everything = np.arange(rows.n_rows)
        rare: dict[str, set[str]] = {}
        for node, here in self._walk(rows, everything, everything, stopping=False):
            view, first = int(self.nodes.slot[node]), int(self.nodes.first[node])
            codes = rows.codes[view, here]
            for code, label in enumerate(self.views[view].labels):
                named = label is not None and self.nodes.child[first + code] >= 0
                if named and np.count_nonzero(codes == code) < least:
                    rare.setdefault(self.attribute(node).name, set()).add(str(label))
        return {name: len(labels) for name, labels in rare.items()}

    def public_tests(self, table: Input) -> Iterator[PublicTest]:
        """Public tests that rows meet, whatever their private values are."""
        places = {name: place for place, name in enumerate(table.names)}
        rows = self.look(table, places)
        everything = np.arange(table.n_rows)
        nodes = self.nodes
        for node, here in self._walk(rows, everything, everything, stopping=False):
            if not self.attribute(node).public:
                continue
            view = int(nodes.slot[node])
            goes = self._step(node, rows, here)
            first, ordered = int(nodes.first[node]), self.attribute(node).ordered
            side = np.full(len(here), -1, np.int32)
            told = goes >= 0
            if ordered:
                below = rows.values[view, here] <= nodes.threshold[node]
                side[told] = np.where(below[told], 0, 1)
            else:
                code = rows.codes[view, here]
                own = nodes.child[first + np.maximum(code, 0)]
                joined = np.unique(goes[told & ((code < 0) | (own != goes))]).tolist()
                # of a branch for several labels a row is not told by its own
                joined += [c for c in self.children(node) if len(self.labels(node, c)) > 1]
                told &= (code >= 0) & (own == goes) & ~np.isin(goes, joined)
            yield PublicTest(
                self.attribute(node).name,
                self.views[view].level,
                float(nodes.threshold[node]),
                here,
                told,
                side,
                goes < 0,
                any(not self.attribute(above).public for above in self._above(node)),
            )

    def _above(self, node: int) -> Iterator[int]:
        while (node := int(self.nodes.parent[node])) >= 0:
            yield node

    def _holds_missing(self, node: int) -> bool:
        """Whether a row whose value is missing stops at the node."""
        nodes = self.nodes
        if nodes.other[node] >= 0:
            return False
        first = int(nodes.first[node])
        if not np.isnan(nodes.threshold[node]):
            return bool(nodes.child[first + 2] < 0)
        labels = self.views[nodes.slot[node]].labels
        return None not in labels or bool(nodes.child[first + labels.index(None)] < 0)

    def _step(self, node: int, rows: Viewed, here: NDArray[np.int64]) -> Codes:
        view = int(self.nodes.slot[node])
        return step(self.nodes, node, rows.codes[view], rows.values[view], rows.lost[view], here)
