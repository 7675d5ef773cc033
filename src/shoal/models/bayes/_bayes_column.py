"""One column of a naive Bayes classifier: its labels, and how often each class has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np

from shoal.errors import TableError
from shoal.models._input import Input
from shoal.models.tree._attributes import Attribute
from shoal.models.tree._branches import MISSING, show_threshold
from shoal.typing import Codes, Counts

Node = tuple[str, ...]
"""A value with what it coarsens to, finest first; or what values coarsen to in common."""


@dataclass(frozen=True)
class Labels:
    """What the values of one column are counted as; a value may have no label.

    Parameters
    ----------
    attribute : Attribute
        The column.
    cuts : tuple of float
        Of an ordered column: label i holds what is above cut i - 1 and at most cut i.
    nodes : tuple of tuple of str
        Of a categorical column: label i holds the values that end in node i.
    known : bool
        Whether an ordered column has ranges at all.
    rest : bool
        Whether all values without a label of their own share one.
    missing : bool
        Whether missing values have a label.
    """

    attribute: Attribute
    cuts: tuple[float, ...] = ()
    nodes: tuple[Node, ...] = ()
    known: bool = True
    rest: bool = False
    missing: bool = False

    @property
    def n_own(self) -> int:
        """Labels of values: ranges or nodes."""
        if self.attribute.ordered:
            return len(self.cuts) + 1 if self.known else 0
        return len(self.nodes)

    def __len__(self) -> int:
        return self.n_own + self.rest + self.missing

    @property
    def names(self) -> list[str]:
        """Every label in words: ranges or nodes, then the rest, then missing values."""
        own = self._ranges() if self.attribute.ordered else [node[0] for node in self.nodes]
        return own + ["any other"] * self.rest + [MISSING] * self.missing

    def _ranges(self) -> list[str]:
        if not self.known:
            return []
        shown = [show_threshold(self.attribute, cut) for cut in self.cuts]
        if not shown:
            return ["any"]
        between = [f"above {low}, at most {high}" for low, high in pairwise(shown)]
        return [f"at most {shown[0]}", *between, f"above {shown[-1]}"]

    def codes(self, table: Input, place: int) -> Codes:
        """Label of each row; -1 for a value that has none."""
        lost = len(self) - 1 if self.missing else -1
        if self.attribute.ordered:
            numbers = self.attribute.places(table, place)
            own = np.searchsorted(np.array(self.cuts), numbers) if self.known else -1
            return np.where(np.isnan(numbers), lost, own).astype(np.int32)
        factor = table.factor(place)
        other = self.n_own if self.rest else -1
        label_of = {node: label for label, node in enumerate(self.nodes)}
        label_of_value = [
            _find(path, label_of, other) for path in self.attribute.labels(factor.values)
        ]
        return np.array([*label_of_value, lost], np.int32)[factor.codes]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "attribute": self.attribute.to_dict(),
            "cuts": list(self.cuts),
            "nodes": [list(node) for node in self.nodes],
            "known": self.known,
            "rest": self.rest,
            "missing": self.missing,
            "names": self.names,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Labels:
        """Inverse of :meth:`to_dict`; an error for what no fit writes."""
        attribute = Attribute.from_dict(data["attribute"])
        cuts = tuple(float(cut) for cut in data["cuts"])
        nodes = tuple(tuple(node) for node in data["nodes"])
        labels = cls(attribute, cuts, nodes, data["known"], data["rest"], data["missing"])
        flags = (labels.known, labels.rest, labels.missing, attribute.public)
        right = (
            all(isinstance(flag, bool) for flag in flags)
            and all(isfinite(cut) for cut in cuts)
            and all(low < high for low, high in pairwise(cuts))
            and all(node and all(isinstance(one, str) for one in node) for node in nodes)
            and len(set(nodes)) == len(nodes)
            and not (nodes if attribute.ordered else cuts)
            and labels.names == data["names"]
        )
        if not right:
            raise TableError(f"column {attribute.name!r}: its labels do not fit one another.")
        return labels


def _find(path: Node | None, label_of: Mapping[Node, int], other: int) -> int:
    """Label of a value: that of the finest node it ends in."""
    if path is None:
        return other
    ends = (path[level:] for level in range(len(path)))
    return next((label_of[end] for end in ends if end in label_of), other)


@dataclass(frozen=True, eq=False)
class BayesColumn:
    """A column as it is published: labels, and people of each class with each label.

    Parameters
    ----------
    labels : Labels
        What values are counted as.
    counts : ndarray of int64
        People with each label (rows) in each class (columns), among those whom this column counts.
    """

    labels: Labels
    counts: Counts

    @property
    def name(self) -> str:
        """The column."""
        return self.labels.attribute.name

    def shown_labels(self, *, values: bool = False) -> list[str]:
        """Labels in words; those of a private column as numbers, unless its values are wanted."""
        names = self.labels.names
        if values or self.labels.attribute.public:
            return names
        return [f"label {index + 1}" for index in range(len(names))]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return self.labels.to_dict() | {"counts": self.counts.tolist()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], n_classes: int) -> BayesColumn:
        """Inverse of :meth:`to_dict`; an error for what no fit writes."""
        labels = Labels.from_dict(data)
        counts = read_counts(data["counts"], (len(labels), n_classes))
        return cls(labels, counts)


def read_counts(data: Sequence[Any], shape: tuple[int, ...]) -> Counts:
    """Whole numbers of people, in a shape that is known."""
    counts = np.array(data)
    if counts.size == 0:
        counts = counts.reshape(shape).astype(np.int64)
    if counts.dtype.kind != "i" or counts.shape != shape or counts.min(initial=0) < 0:
        raise TableError("the counts are not those of the labels and classes.")
    return counts.astype(np.int64)
