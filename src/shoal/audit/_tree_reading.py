"""Trees and forests seen as spans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.audit._feature_map import Features, find_features
from shoal.audit._people import People
from shoal.audit._reading import Reading
from shoal.audit._tree_reach import BinaryTree, find_reach
from shoal.errors import SchemaError, TableError
from shoal.privacy import Bins, Spans
from shoal.schema import code_column
from shoal.typing import Codes

MOST_PATHS = 3
Labels = NDArray[np.int64]


def read_trees(
    before: Any, model: Any, parts: Sequence[Any], people: People, *, check_table: bool
) -> Reading:
    """Spans of one scikit-learn tree, or the joint spans of several.

    Two rows have the same joint span exactly when they have the same span in every tree: a leaf's
    region is a public region times a private one, so that the leaves which a row can reach in each
    tree tell which combinations it can reach.  Hence the domain is never enumerated.
    """
    features = find_features(before, model, people)
    outcome, outcomes = _outcomes(model, people)
    single = features.matrix.astype(np.float32)
    trees = [BinaryTree.from_sklearn(part.tree_) for part in parts]
    ends = [np.asarray(part.tree_.apply(single), np.int64) for part in parts]
    if check_table:
        _check_counts(model, parts, ends, people.n_rows)
    labels, reached = [], []
    for tree, end in zip(trees, ends, strict=True):
        used = np.intersect1d(tree.feature[tree.left >= 0], np.flatnonzero(features.is_private))
        if len(used):
            label, leaves = find_reach(tree, features)
        else:
            stops, label = renumber(end)
            leaves = [[stop] for stop in stops.tolist()]
        labels.append(label)
        reached.append(leaves)
    kind = type(model).__name__
    if len(trees) == 1:
        return _read_one(
            kind, trees[0], features, people, outcome, outcomes, ends[0], labels[0], reached[0]
        )
    return _read_several(kind, trees, features, people, outcome, outcomes, ends, labels, reached)


def _outcomes(model: Any, people: People) -> tuple[Codes, tuple[str, ...]]:
    """What a leaf tells besides itself, of each row: its class, or on which side of the mean."""
    target = people.schema.target
    if target is None:
        return np.zeros(people.n_rows, np.int32), ("",)
    if getattr(model, "_estimator_type", None) == "regressor" or not hasattr(model, "classes_"):
        numbers = people.numbers(target)
        above = numbers > np.nanmean(numbers)
        return above.astype(np.int32), (", target at most its mean", ", target above its mean")
    coding, codes = code_column(target, people.schema[target], *people.frame.factorize(target))
    if len(model.classes_) > coding.n_codes:
        raise TableError(
            f"the model knows {len(model.classes_)} classes and the table has {coding.n_codes}: "
            "it is not the training table."
        )
    return codes, tuple(f", class {code}" for code in range(coding.n_codes))


def _check_counts(model: Any, parts: Sequence[Any], ends: Sequence[Labels], n_rows: int) -> None:
    """Refuse a table whose rows do not fill the leaves as the training rows did."""
    drawn = getattr(model, "bootstrap", False) or getattr(model, "subsample", 1.0) != 1.0
    if drawn:
        root = float(parts[0].tree_.weighted_n_node_samples[0])
        whole = getattr(model, "max_samples", None) is None and not hasattr(model, "subsample")
        if whole and getattr(model, "class_weight", None) is None and round(root) != n_rows:
            raise TableError(_other(f"{root:g} rows were drawn from it, and it has {n_rows}"))
        return
    for part, end in zip(parts, ends, strict=True):
        tree = part.tree_
        counts = np.bincount(end, minlength=tree.node_count)
        leaves = tree.children_left < 0
        differ = int((counts[leaves] != tree.n_node_samples[leaves]).sum())
        if differ:
            raise TableError(
                _other(
                    f"{differ} of {int(leaves.sum())} leaves have other counts in the model; it was"
                    f" trained on {int(tree.n_node_samples[0])} rows and the table has {n_rows}"
                )
            )


def _other(why: str) -> str:
    return (
        f"this is not the training table: {why}. Give the training table, or check_table=False "
        "(--other-table) to see what the model says about these people."
    )


def _with_class(people: People, label: Labels, outcome: Codes) -> Labels:
    """Rows of one reach are told apart by the target when that is public."""
    if people.target_is_private or people.schema.target is None:
        return label
    return np.unique(label * (int(outcome.max()) + 1) + outcome, return_inverse=True)[1]


def _read_one(
    kind: str,
    tree: BinaryTree,
    features: Features,
    people: People,
    outcome: Codes,
    outcomes: tuple[str, ...],
    end: Labels,
    label: Labels,
    reached: list[list[int]],
) -> Reading:
    leaves, n = tree.leaves, len(outcomes)
    names = tuple(f"leaf {leaf}{what}" for leaf in leaves.tolist() for what in outcomes)
    place = np.zeros(len(tree.left), np.int64)
    place[leaves] = np.arange(len(leaves))
    bins = Bins.count(names, place[end] * n + outcome)
    span_of_row = _with_class(people, label, outcome)
    first = first_rows(span_of_row)
    own, everything, hidden = [], np.arange(n), people.target_is_private
    for row in first.tolist():
        at = place[np.sort(reached[label[row]])] * n
        told = everything if hidden else outcome[row : row + 1]
        own.append((at[:, None] + told).ravel())
    start = np.concatenate([[0], np.cumsum([len(one) for one in own])]).astype(np.int64)
    spans = Spans.from_members(
        span_of_row, start, np.concatenate(own).astype(np.int32), people.columns
    )

    def explain(span: int) -> tuple[str, ...]:
        stops = np.unique(leaves[spans.bins_of(span) // n])
        shown = [f"leaf {leaf}: {tree.path(leaf, features.names)}" for leaf in stops.tolist()]
        return _shorten(shown)

    return Reading(kind, spans, span_of_row, bins, explain, notes=features.notes)


def _read_several(
    kind: str,
    trees: Sequence[BinaryTree],
    features: Features,
    people: People,
    outcome: Codes,
    outcomes: tuple[str, ...],
    ends: Sequence[Labels],
    labels: Sequence[Labels],
    reached: Sequence[list[list[int]]],
) -> Reading:
    joint = _with_class(people, join_labels(labels), outcome)
    first = first_rows(joint)
    sets = [np.array([len(leaves) for leaves in one]) for one in reached]
    fixed = np.all([size[label[first]] == 1 for size, label in zip(sets, labels, strict=True)], 0)
    n = len(outcomes) if people.target_is_private else 1
    n_joint = len(first) * n
    names = [
        f"joint leaves {span}{outcomes[c] if n > 1 else ''}"
        for span in range(len(first))
        for c in range(n)
    ]
    population = np.bincount(joint * n + (outcome if n > 1 else 0), minlength=n_joint)
    population = np.where(np.repeat(fixed, n), population, 0)
    offsets = []
    counts = [population]
    for place, (tree, end) in enumerate(zip(trees, ends, strict=True)):
        offsets.append(len(names))
        if not fixed.all():
            names += [f"tree {place} leaf {leaf}" for leaf in tree.leaves.tolist()]
            counts.append(
                np.bincount(np.searchsorted(tree.leaves, end), minlength=len(tree.leaves))
            )
    listed = [
        [offset + np.searchsorted(tree.leaves, np.sort(one)) for one in leaves]
        for offset, tree, leaves in zip(offsets, trees, reached, strict=True)
    ]
    own = [
        np.arange(span * n, span * n + n)
        if fixed[span]
        else np.concatenate([one[label[row]] for one, label in zip(listed, labels, strict=True)])
        for span, row in enumerate(first.tolist())
    ]
    start = np.concatenate([[0], np.cumsum([len(one) for one in own])]).astype(np.int64)
    spans = Spans.from_members(joint, start, np.concatenate(own).astype(np.int32), people.columns)
    bins = Bins(tuple(names), np.concatenate(counts).astype(np.int64))

    def explain(span: int) -> tuple[str, ...]:
        row = int(first[span])
        sizes = [np.bincount(label)[label[row]] for label in labels[:50]]
        shown = [
            f"tree {t}, leaf {reached[t][labels[t][row]][0]}: "
            f"{trees[t].path(reached[t][labels[t][row]][0], features.names)}"
            for t in np.argsort(sizes, kind="stable")[:MOST_PATHS].tolist()
        ]
        return tuple(shown)

    note = "joint spans over all trees, since an attacker sees them all"
    return Reading(kind, spans, joint, bins, explain, notes=(note, *features.notes))


def renumber(label: Labels) -> tuple[Labels, Labels]:
    """Numbers in use, rising, and their places: `np.unique` without sorting."""
    used = np.flatnonzero(np.bincount(label))
    place = np.zeros(int(used[-1]) + 1, np.int64)
    place[used] = np.arange(len(used))
    return used, place[label]


def first_rows(label: Labels) -> Labels:
    """First row of each number; all numbers from 0 on are in use."""
    first = np.zeros(int(label.max()) + 1, np.int64)
    first[label[::-1]] = np.arange(len(label))[::-1]
    return first


def join_labels(labels: Sequence[Labels]) -> Labels:
    """Number the rows so that equal numbers mean equal in every labelling."""
    joint = labels[0]
    for label in labels[1:]:
        n = int(label.max(initial=0)) + 1
        joint = np.unique(joint * n + label, return_inverse=True)[1]
        if int(joint.max(initial=0)) + 1 == len(joint):
            break  # everybody is alone already
    return joint


def _shorten(shown: list[str]) -> tuple[str, ...]:
    if len(shown) <= MOST_PATHS:
        return tuple(shown)
    return (*shown[:MOST_PATHS], f"and {len(shown) - MOST_PATHS} more")


def read_shoal_tree(model: Any, people: People) -> Reading:
    """Spans of a tree of :mod:`shoal.models`, which knows its own domain."""
    target = people.schema.target
    if target is None:
        raise SchemaError("a classifier's audit needs its target in the schema.")
    names = getattr(model, "feature_names_in_", people.attributes)
    lost = [str(name) for name in names if str(name) not in people.frame.names]
    if lost:
        raise SchemaError(f"the model was fitted on column {lost[0]!r}, which the table lacks.")
    rows = people.frame.select([str(name) for name in names]).native
    closed = {a.name for a in model.tree_.attributes if not a.public}
    used = {a.name for a in model.tree_.attributes}
    if closed != used & set(people.private):
        raise SchemaError(
            "the schema's private attributes are not those the tree was fitted with. Audit it "
            "with the schema it was fitted with, or fit it again."
        )
    spans, span_of_row = model.find_spans(rows, np.array(people.frame.values(target)))
    bins = model.bins_
    if spans.groups.n_rows != int(bins.population.sum()):
        raise TableError(
            f"this is not the training table: the tree counts {int(bins.population.sum())} rows "
            f"and the table has {spans.groups.n_rows}."
        )

    def explain(span: int) -> tuple[str, ...]:
        known = [bins.names[b] for b in spans.bins_of(span).tolist() if b < len(bins)]
        return _shorten(list(dict.fromkeys(name.rpartition(",")[0] for name in known)))

    return Reading(type(model).__name__, spans, span_of_row, bins, explain)
