"""A fitted tree as a drawing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from shoal.errors import MissingExtraError
from shoal.models.tree._branches import describe_branch
from shoal.models.tree._nodes import FittedTree
from shoal.models.tree._route_kernels import LEAF
from shoal.typing import Floats


def plot_tree(
    tree: FittedTree, classes: Sequence[Any], ax: Any = None, max_depth: int | None = None
) -> Any:
    """Draw the tree on matplotlib axes (made when not given), and return them."""
    try:
        import matplotlib.pyplot as plt  # noqa: PLC0415  optional
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "drawing a tree") from None
    if ax is None:
        ax = plt.figure().add_subplot()
    depth = tree.depth()
    shown = depth <= (depth.max() if max_depth is None else max_depth)
    across = _places(tree, shown)
    for node in np.flatnonzero(shown).tolist():
        parent = int(tree.nodes.parent[node])
        if parent >= 0:
            ax.plot([across[parent], across[node]], [-depth[parent], -depth[node]], "k-", lw=0.6)
            middle = (across[parent] + across[node]) / 2, -(depth[parent] + depth[node]) / 2
            name = tree.attribute(parent).name
            label = describe_branch(tree, parent, node).removeprefix(f"{name} ")
            ax.text(*middle, label.removeprefix("is "), fontsize=6, ha="center", color="gray")
        ax.text(
            across[node],
            -depth[node],
            _label(tree, node, classes),
            ha="center",
            va="center",
            fontsize=7,
            bbox={"boxstyle": "round", "facecolor": "white"},
        )
    ax.set_axis_off()
    return ax


def _label(tree: FittedTree, node: int, classes: Sequence[Any]) -> str:
    counts = " / ".join(f"{count:,}" for count in tree.nodes.counts[node])
    if tree.nodes.slot[node] != LEAF:
        return f"{tree.attribute(node).name}\n{counts}"
    return f"{classes[int(tree.nodes.mass[node].argmax())]}\n{counts}"


def _places(tree: FittedTree, shown: Any) -> Floats:
    """Leaves side by side, parents over the middle of their children."""
    across = np.zeros(tree.n_nodes)
    next_place = 0.0
    todo = [(0, False)]
    while todo:
        node, done = todo.pop()
        below = [child for child in tree.children(node) if shown[child]] if (
            tree.nodes.slot[node] != LEAF
        ) else []  # fmt: skip
        if not below:
            across[node] = next_place
            next_place += 1
        elif done:
            across[node] = np.mean([across[child] for child in below])
        else:
            todo.append((node, True))
            todo.extend((child, False) for child in reversed(below))
    return across
