"""From a grown tree in codes to a fitted tree in labels and thresholds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.models._round_cuts import LEAST_SHARE_AT_CUT, round_cut
from shoal.models.tree._attributes import Attribute
from shoal.models.tree._nodes import FittedTree, View
from shoal.models.tree._route_kernels import LEAF, Nodes
from shoal.models.tree.growth._grown import Grown, Split
from shoal.models.tree.growth._kernel_types import LEFT, LOST, OTHERS, RIGHT
from shoal.models.tree.growth._training import Training
from shoal.typing import Codes


def finish(
    tree: Grown,
    attributes: list[Attribute],
    training: Training,
    *,
    least: int,
    to_majority: bool,
    class_is_public: bool,
) -> FittedTree:
    """Turn a grown (and perhaps pruned) tree from codes into labels and thresholds.

    A threshold is a value of a private column only where many rows have it, and `least` of them.
    """
    labels = training.labels
    kept = _kept(tree)
    new = {old: index for index, old in enumerate(kept)}
    used: dict[tuple[int, int], list[str | None]] = {}
    for old in kept:
        split = tree.split[old]
        if split is None:
            continue
        known = used.setdefault((split.column, _level(split)), [])
        if not attributes[split.column].ordered:
            labels_of_split = [label for own in _labels(split, labels) for label in own]
            known.extend(label for label in labels_of_split if label not in known)
    slots = {key: index for index, key in enumerate(used)}
    views = tuple(View(column, level, tuple(known)) for (column, level), known in used.items())
    n = len(kept)
    nodes = Nodes(
        slot=np.full(n, LEAF, np.int32),
        threshold=np.full(n, np.nan),
        first=np.zeros(n, np.int64),
        width=np.zeros(n, np.int64),
        child=np.empty(0, np.int32),
        other=np.full(n, -1, np.int32),
        parent=np.array(
            [-1 if tree.parent[o] < 0 else new[tree.parent[o]] for o in kept], np.int32
        ),
        counts=np.array([tree.counts[o] for o in kept], np.int64),
        mass=np.array([tree.mass[o] for o in kept], np.float64),
    )
    tables: list[Codes] = []
    first = 0
    for node, old in enumerate(kept):
        split = tree.split[old]
        if split is None:
            continue
        slot = slots[split.column, _level(split)]
        children = [new[child] for child in split.children]
        ordered = attributes[split.column].ordered
        if ordered:
            places = [[index] for index in split.groups.tolist()]
            lost = [index == [2] for index in places]
            table = np.full(3, -1, np.int32)  # at most the threshold, above it, missing
        else:
            groups = _labels(split, labels)
            places = [[views[slot].labels.index(label) for label in own] for own in groups]
            lost = [own == [None] for own in groups]
            table = np.full(len(views[slot].labels), -1, np.int32)
        for own, target in zip(places, children, strict=True):
            table[own] = target
        if to_majority:
            # values that no branch names follow the largest branch, but not that of missing ones
            sizes = [
                -1 if is_lost else nodes.counts[child].sum()
                for is_lost, child in zip(lost, children, strict=True)
            ]
            nodes.other[node] = children[int(np.argmax(sizes))]
        if [] in places:  # a branch that names no value takes those that no branch names
            nodes.other[node] = children[places.index([])]
        nodes.slot[node] = slot
        hidden = any(not attributes[column].public for column in _tested_above(tree, old))
        nodes.threshold[node] = _threshold(split, attributes[split.column], training, least, hidden)
        nodes.first[node], nodes.width[node] = first, len(table)
        tables.append(table)
        first += len(table)
    child = np.concatenate([np.empty(0, np.int32), *tables]).astype(np.int32)
    return FittedTree(tuple(attributes), views, nodes._replace(child=child), class_is_public)


def _threshold(
    split: Split, attribute: Attribute, training: Training, least: int, hidden: bool
) -> float:
    """Where a test cuts: of a private column at a round number, with the same rows on each side.

    Half-way between two people of a node is their mean.  Below private tests nobody knows who is
    there, and whoever knows the column of everybody finds the two: neighbours in the whole table
    are cut apart instead, whoever is at the node.
    """
    if not attribute.ordered or (attribute.public and not hidden):
        return split.threshold
    values = training.known_values(split.column)
    above = int(np.searchsorted(values, split.threshold, side="right"))
    low, high = float(values[above - 1]), float(values[above])
    if attribute.public or attribute.order:
        middle = low + (high - low) / 2
        return middle if middle < high else low
    n_low = np.count_nonzero(training.columns.codes[split.column] == above - 1)
    return round_cut(
        low,
        high,
        attribute.kind,
        at_low=bool(n_low >= max(least, LEAST_SHARE_AT_CUT * training.n_rows)),
    )


def _tested_above(tree: Grown, node: int) -> Iterator[int]:
    """Columns that are tested on the way to a node."""
    while (node := tree.parent[node]) >= 0:
        split = tree.split[node]
        if split is not None:
            yield split.column


def _level(split: Split) -> int:
    """Level of the labels that a test reads."""
    return split.level if split.subsets is None else split.labels_at


def _labels(split: Split, labels: list[list[list[str | None]]]) -> list[list[str | None]]:
    """Labels that each branch of a categorical test names."""
    own = labels[split.column][_level(split)]
    groups = split.groups.tolist()
    if split.subsets is None:
        return [[own[group]] for group in groups]
    named = {
        LEFT: [own[label] for label in split.sets[0].tolist()],
        RIGHT: [own[label] for label in split.sets[1].tolist()],
        LOST: [None],
        OTHERS: [],
    }
    return [named[group] for group in groups]


def _kept(tree: Grown) -> list[int]:
    """Nodes that pruning left, parents before children."""
    kept, todo = [], [0]
    while todo:
        node = todo.pop(0)
        kept.append(node)
        split = tree.split[node]
        if split is not None:
            todo.extend(split.children)
    return kept
