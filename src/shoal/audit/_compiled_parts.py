"""Compiled parts of a model are checked before anything follows their indices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.audit._readability import parts_of
from shoal.errors import TableError


def check_compiled_parts(model: Any) -> None:
    """Raise unless the trees of a model are trees: libraries follow their indices unchecked."""
    for part in parts_of(model):
        n_features = getattr(part, "n_features_in_", None)
        tree = getattr(part, "tree_", None)
        if type(tree).__module__ == "sklearn.tree._tree":
            _check_tree(tree, n_features)
        for row in getattr(part, "_predictors", ()):
            for predictor in row:
                _check_predictor(predictor, n_features)
        if type(part).__name__ == "OneHotEncoder" and hasattr(part, "categories_"):
            _check_places(part)
        for value in vars(part).values():
            if hasattr(value, "check_format") and hasattr(value, "nnz"):
                value.check_format(full_check=True)


def check_children(left: NDArray[Any], right: NDArray[Any]) -> None:
    """Raise unless two arrays of children describe one tree with root 0; -1 stands for none."""
    n_nodes = len(left)
    if not n_nodes or len(right) != n_nodes:
        raise _broken("it has no nodes, or other lists of left than of right children")
    is_leaf = left < 0
    if (is_leaf != (right < 0)).any():
        raise _broken("a node has one child")
    children = np.concatenate([left[~is_leaf], right[~is_leaf]])
    # whoever follows children takes -1 for a leaf, and any other number for a node
    below = min(left.min(initial=0), right.min(initial=0)) < -1
    if below or (len(children) and (children.min() < 1 or children.max() >= n_nodes)):
        raise _broken("a child is no node")
    if len(np.unique(children)) != len(children):
        raise _broken("a node has two parents")
    level, reached = np.zeros(1, np.int64), 1
    while len(level := level[~is_leaf[level]]):
        level = np.concatenate([left[level], right[level]]).astype(np.int64)
        reached += len(level)
    if reached != 1 + len(children):
        raise _broken("some of its nodes go round in a circle")


def _check_tree(tree: Any, n_features: int | None) -> None:
    n_nodes = int(tree.node_count)
    if not 0 < n_nodes <= int(tree.capacity):  # anything else reads beyond the nodes
        raise _broken("it counts other nodes than it has")
    left, right = np.asarray(tree.children_left), np.asarray(tree.children_right)
    check_children(left, right)
    _check_features(np.asarray(tree.feature)[left >= 0], n_features, int(tree.n_features))


def _check_predictor(predictor: Any, n_features: int | None) -> None:
    nodes = predictor.nodes
    leaf = nodes["is_leaf"].astype(bool)
    left = np.where(leaf, -1, nodes["left"].astype(np.int64))
    right = np.where(leaf, -1, nodes["right"].astype(np.int64))
    if (left[~leaf] < 0).any() or (right[~leaf] < 0).any():
        raise _broken("a child is no node")
    check_children(left, right)
    tested = nodes["feature_idx"].astype(np.int64)[~leaf]
    _check_features(tested, n_features, int(tested.max(initial=0)) + 1)
    chosen = nodes["bitset_idx"].astype(np.int64)[~leaf & nodes["is_categorical"].astype(bool)]
    n_sets = min(len(predictor.raw_left_cat_bitsets), len(predictor.binned_left_cat_bitsets))
    if chosen.max(initial=-1) >= n_sets:
        raise _broken("a test names a set of categories that is not there")


def _check_places(encoder: Any) -> None:
    """Raise unless every category goes to a column of its own: places are written to unchecked."""
    said = getattr(encoder, "_n_features_outs", None)
    sizes = [len(own) for own in encoder.categories_]
    dropped = getattr(encoder, "_drop_idx_after_grouping", None)
    groups = getattr(encoder, "_default_to_infrequent_mappings", ())
    fits = isinstance(said, list) and all(type(width) is int for width in said)
    if not fits or said is None or len(said) != len(sizes):
        raise _misplaced()
    for column, (size, width) in enumerate(zip(sizes, said, strict=True)):
        codes = np.arange(size)
        try:
            if len(groups) > column and groups[column] is not None:
                codes = np.take(groups[column], codes).astype(np.int64)
            drop = None if dropped is None else dropped[column]
        except (IndexError, TypeError, ValueError):
            raise _misplaced() from None
        if drop is not None:
            codes = codes[codes != drop]
            codes = codes - (codes > drop)
        if codes.min(initial=0) < 0 or codes.max(initial=-1) + 1 != width:
            raise _misplaced()


def _misplaced() -> TableError:
    return TableError(
        "the model file holds an encoder whose categories have no places. It is damaged or was "
        "changed; save the model again."
    )


def _check_features(tested: NDArray[Any], n_features: int | None, own: int) -> None:
    least = own if n_features is None else min(int(n_features), own)
    if len(tested) and (tested.min() < 0 or tested.max() >= least):
        raise _broken("a test is of a feature that is not there")


def _broken(why: str) -> TableError:
    return TableError(
        f"the model file holds a tree that is none: {why}. It is damaged or was changed; "
        "save the model again."
    )
