"""Spans of several trees for somebody who sees them all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray

from shoal.audit._model_spans import MOST_PATHS, ModelSpans
from shoal.audit._row_groups import first_rows, join_labels, with_class
from shoal.audit._training_table import TrainingTable
from shoal.audit.trees._tree_model import OTHERS, TreeModel
from shoal.audit.trees._tree_reach import TreeReach
from shoal.privacy.spans._spans import Bins, Spans, count_groups
from shoal.typing import Codes, Counts, Flags


def find_joint_spans(
    model: TreeModel,
    table: TrainingTable,
    outcome: Codes,
    outcomes: tuple[str, ...],
    *,
    check_table: bool,
) -> ModelSpans:
    """Joint spans of several trees.

    Two rows have the same joint span exactly when they have the same span in every tree: a leaf's
    region is a public region times a private one, so that the leaves which a row can reach in each
    tree tell which combinations it can reach.  Hence the domain is never enumerated.
    """
    parts: list[TreeReach] = []
    filled: list[Counts] = []
    n_differing = 0
    for number, tree in enumerate(model.trees):
        ends = model.ends(number)
        if check_table:
            model.check(number, ends)
        n_differing += model.n_differing(number, ends)
        reach = model.reach(number, ends)
        small = np.min_scalar_type(len(reach.start))  # there may be many trees and many rows
        parts.append(reach._replace(label=reach.label.astype(small)))
        filled.append(np.bincount(ends, minlength=len(tree.left))[tree.leaves])
    labels = [part.label for part in parts]
    if not labels:
        labels = [np.zeros(table.n_rows, np.uint8)]  # a model without trees tells nobody apart
    joint = with_class(table, join_labels(labels), outcome)
    first = first_rows(joint)
    several = np.zeros(len(first), np.bool_)
    for part in parts:
        several |= part.n_leaves[part.label[first]] > 1
    told = outcomes if table.target_is_private else ("",)
    layout = JointBins(model, tuple(parts), first, several, told)
    own = np.bincount(joint * len(told) + (outcome if len(told) > 1 else 0))
    own = np.append(own, np.zeros(len(first) * len(told) - len(own), own.dtype))
    # spans that reach several leaves are counted by these leaves, which follow
    own = np.where(np.repeat(several, len(told)), 0, own)
    spans = JointSpans(
        layout.start,
        np.empty(0, np.int32),
        count_groups(joint, len(first), table.columns),
        layout,
    )
    bins = Bins(layout, np.concatenate([own, *(filled if several.any() else [])]))
    note = "joint spans over all trees, since an attacker sees them all"
    notes = (note, *model.notes, *model.features.notes)
    unread = (OTHERS,) if n_differing else ()
    return ModelSpans(model.kind, spans, joint, bins, layout.explain, notes=notes, unread=unread)


@dataclass(frozen=True, eq=False)
class JointBins(Sequence[str]):
    """Names of the equivalence classes of several trees, and which of them a span consists of.

    A span that every tree settles is one combination of leaves, a class per outcome.  Any other
    span is told by the leaves it can reach.  Both are written out only when asked for: there may be
    as many spans as people, each with leaves of every tree.
    """

    model: TreeModel
    parts: tuple[TreeReach, ...]
    first: NDArray[np.integer]
    several: Flags
    outcomes: tuple[str, ...]

    @cached_property
    def start(self) -> NDArray[np.int64]:
        """Classes of each span, added up."""
        width = np.full(len(self.first), 0, np.int64)
        for part in self.parts:
            width += part.n_leaves[part.label[self.first]]
        width = np.where(self.several, width, len(self.outcomes))
        return np.concatenate([[0], np.cumsum(width)])

    @cached_property
    def _offsets(self) -> NDArray[np.int64]:
        """Index of the first leaf of each tree, and of the end."""
        sizes = [len(tree.leaves) for tree in self.model.trees] if self.several.any() else []
        return np.cumsum([len(self.first) * len(self.outcomes), *sizes])

    @cached_property
    def _sizes(self) -> list[Counts]:
        """How many rows have each reach, by tree."""
        return [np.bincount(part.label, minlength=len(part.start) - 1) for part in self.parts]

    def __len__(self) -> int:
        return int(self._offsets[-1])

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...

    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        if isinstance(index, slice):
            return tuple(self[one] for one in range(*index.indices(len(self))))
        if not 0 <= index < len(self):
            raise IndexError(index)
        if index < self._offsets[0]:
            span, outcome = divmod(index, len(self.outcomes))
            return f"joint leaves {span}{self.outcomes[outcome]}"
        number = int(np.searchsorted(self._offsets, index, side="right")) - 1
        tree = self.model.trees[number]
        leaf = tree.leaves[index - self._offsets[number]]
        return f"tree {number} leaf {tree.number[leaf]}"

    def of(self, span: int) -> Codes:
        """Indices of the equivalence classes of one span."""
        if not self.several[span]:
            width = len(self.outcomes)
            return np.arange(span * width, span * width + width, dtype=np.int32)
        row = self.first[span]
        leaves = [
            offset + np.searchsorted(tree.leaves, np.sort(part.of(int(part.label[row]))))
            for offset, tree, part in zip(
                self._offsets[:-1], self.model.trees, self.parts, strict=True
            )
        ]
        return np.concatenate(leaves).astype(np.int32)

    def explain(self, span: int) -> tuple[str, ...]:
        """Paths to leaves in the trees that tell a span apart from most rows."""
        row, names = self.first[span], self.model.features.names
        sizes = [size[part.label[row]] for size, part in zip(self._sizes, self.parts, strict=True)]
        shown = []
        for number in np.argsort(sizes, kind="stable")[:MOST_PATHS].tolist():
            tree, part = self.model.trees[number], self.parts[number]
            leaf = int(part.of(int(part.label[row]))[0])
            shown.append(f"tree {number}, leaf {tree.number[leaf]}: {tree.path(leaf, names)}")
        return tuple(shown)


@dataclass(frozen=True, eq=False)
class JointSpans(Spans):
    """Spans whose bins are written out one span at a time; `bins` itself is empty."""

    layout: JointBins

    def bins_of(self, span: int) -> Codes:
        """Bins of one span."""
        return self.layout.of(span)
