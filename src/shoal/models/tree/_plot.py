"""A fitted tree as a drawing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from shoal._figure import in_picture
from shoal.errors import MissingExtraError
from shoal.models.tree._branches import describe_branch
from shoal.models.tree._nodes import FittedTree
from shoal.models.tree._route_kernels import LEAF
from shoal.typing import Floats

_MOST_ENDS = 12
"""Boxes side by side that can be read."""

_LONGEST = 22
"""Letters beside a branch, or in a box, that do not reach the next one."""

_MOST_CLASSES = 3
"""Classes whose counts are written in each box."""


def plot_tree(
    tree: FittedTree, classes: Sequence[Any], ax: Any = None, max_depth: int | None = None
) -> Any:
    """Draw the tree on matplotlib axes (made when not given), and return them.

    Without axes and a depth, as much of it is drawn as can be read, and a line says what is not.
    """
    try:
        import matplotlib.pyplot as plt  # noqa: PLC0415  optional
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "drawing a tree") from None
    depth = tree.depth()
    deepest = int(depth.max())
    last = deepest if max_depth is None else max_depth
    if ax is None:
        ends = [_n_ends(tree, depth <= level) for level in range(min(last, deepest) + 1)]
        if max_depth is None:  # the first levels, so many that their boxes have room
            last = max(level for level, n in enumerate(ends) if level < 2 or n <= _MOST_ENDS)
        size = max(6.4, 1.6 * ends[min(last, deepest)]), max(4.8, 0.8 * (last + 1))
        ax = plt.figure(figsize=size).add_subplot()
        if last < deepest and max_depth is None:
            said = f"{last} of {deepest} steps; max_depth={deepest} draws all"
            ax.set_title(said, loc="left", fontsize=8, color="gray")
    shown = depth <= last
    across = _places(tree, shown)
    for node in np.flatnonzero(shown).tolist():
        parent = int(tree.nodes.parent[node])
        if parent >= 0:
            ax.plot([across[parent], across[node]], [-depth[parent], -depth[node]], "k-", lw=0.6)
            # nearer to the lower box: further from the other branches
            x = across[parent] + 0.7 * (across[node] - across[parent])
            name = tree.attribute(parent).name
            label = describe_branch(tree, parent, node).removeprefix(f"{name} ").removeprefix("is ")
            ax.text(
                x,
                -depth[parent] - 0.7 * (depth[node] - depth[parent]),
                in_picture(_shortened(label)),
                fontsize=6,
                ha="center",
                va="center",
                color="#444444",
                backgroundcolor="white",
            ).get_bbox_patch().set_boxstyle("square", pad=0.1)
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


def _shortened(label: str) -> str:
    """A list of values as its first ones and the number of the others, if it is long."""
    values = label.split(" or ")
    for shown in range(len(values), 0, -1):
        left = f" or {len(values) - shown} more" if shown < len(values) else ""
        said = " or ".join(values[:shown]) + left
        if len(said) <= _LONGEST:
            return said
    return f"{values[0][: _LONGEST - len(left) - 1]}\N{HORIZONTAL ELLIPSIS}{left}"


def _n_ends(tree: FittedTree, shown: Any) -> int:
    """Number of nodes in the upper part of a tree that have no child in it."""
    with_child = {int(tree.nodes.parent[node]) for node in np.flatnonzero(shown).tolist()}
    return int(shown.sum()) - len(with_child - {-1})


def _label(tree: FittedTree, node: int, classes: Sequence[Any]) -> str:
    each = tree.nodes.counts[node]
    counts = " / ".join(f"{count:,}" for count in each)
    if len(each) > _MOST_CLASSES:
        counts = f"{each.max():,} of {each.sum():,}"
    if tree.nodes.slot[node] != LEAF:
        return f"{in_picture(tree.attribute(node).name, _LONGEST)}\n{counts}"
    return f"{in_picture(str(classes[int(tree.nodes.mass[node].argmax())]), _LONGEST)}\n{counts}"


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
