"""What compiled trees hold beside the tests that an adapter reads."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.audit._foreign import is_of_library
from shoal.typing import Flags, Floats

UNDEFINED = -2  # what scikit-learn writes where a leaf has no test
NODES = ("value", "count", "num_threshold", "gain")


class Closed:
    """Stands for what holds something that nobody can read."""


CLOSED = Closed()


def is_compiled_tree(piece: Any) -> bool:
    """Whether this is a tree of scikit-learn."""
    kind = type(piece)
    return kind.__name__ == "Tree" and kind.__module__ == "sklearn.tree._tree" and _is_own(piece)


def is_predictor(piece: Any) -> bool:
    """Whether this is a tree of scikit-learn's gradient boosting on histograms."""
    return type(piece).__name__ == "TreePredictor" and _is_own(piece)


def _is_own(piece: Any) -> bool:
    return is_of_library(type(piece), ("sklearn",))


def inside_of_tree(tree: Any) -> list[tuple[str, Any]]:
    """Arrays by node that adapters do not ask for, and whether there is anything in spare places.

    Leaves have no test, every node is somebody's child, and how mixed a node is follows from the
    shares of its classes.
    """
    left, right = np.asarray(tree.children_left), np.asarray(tree.children_right)
    leaf = left < 0
    parts: list[tuple[str, Any]] = []
    if (tree.feature[leaf] != UNDEFINED).any() or (tree.threshold[leaf] != UNDEFINED).any():
        parts.append(("tests of leaves", CLOSED))
    if len({*left[~leaf].tolist(), *right[~leaf].tolist()}) != len(left) - 1:
        parts.append(("nodes that no test leads to", CLOSED))
    shares = np.asarray(tree.value, np.float64)
    if shares.shape[2] > 1 and not _are_mixed(np.asarray(tree.impurity), shares):
        parts.append(("impurity", CLOSED))
    # nodes beside one another: a tree of as many nodes as there are columns is no row
    parts += [("impurity by node", np.array(tree.impurity))] if shares.shape[2] == 1 else []
    parts += [("value by node", shares.reshape(len(left), -1))]
    parts += [("threshold by node", np.array(tree.threshold)[~leaf])]
    return [*parts, ("weight by node", np.array(tree.weighted_n_node_samples))]


def _are_mixed(impurity: Floats, value: Floats) -> bool:
    """Whether impurities are those of the classes, by Gini or by entropy."""
    whole = value.sum(axis=2, keepdims=True)
    with np.errstate(all="ignore"):
        share = np.where(whole > 0, value / whole, 0.0)
        bits = np.where(share > 0, share * np.log2(share), 0.0)
    gini = (1.0 - (share**2).sum(axis=2)).mean(axis=1)
    entropy = -bits.sum(axis=2).mean(axis=1)
    return any(np.allclose(impurity, one, rtol=0, atol=1e-6) for one in (gini, entropy))


def inside_of_predictor(predictor: Any) -> list[tuple[str, Any]]:
    """Numbers by node, and whether leaves have tests."""
    nodes: NDArray[Any] = predictor.nodes
    leaf: Flags = nodes["is_leaf"].astype(np.bool_)
    parts: list[tuple[str, Any]] = [
        (f"{name} by node", np.asarray(nodes[name], np.float64)) for name in NODES
    ]
    spare = ("num_threshold", "feature_idx", "left", "right", "bin_threshold", "bitset_idx")
    if any(nodes[name][leaf].any() for name in spare):
        parts.append(("tests of leaves", CLOSED))
    if len({*nodes["left"][~leaf].tolist(), *nodes["right"][~leaf].tolist()}) != len(nodes) - 1:
        parts.append(("nodes that no test leads to", CLOSED))
    others = {name: one for name, one in vars(predictor).items() if name != "nodes"}
    return [*parts, *others.items()]
