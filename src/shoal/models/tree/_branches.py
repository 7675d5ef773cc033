"""What the branches of a tree say, in words."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

import numpy as np

from shoal.models.tree._attributes import Attribute
from shoal.models.tree._nodes import FittedTree
from shoal.models.tree._route_kernels import LEAF

MISSING = "missing"
ANYTHING_ELSE = "anything else"


def describe_branch(tree: FittedTree, node: int, child: int) -> str:
    """The condition under which a row goes from a node to one of its children."""
    attribute = tree.attribute(node)
    if not attribute.ordered:
        labels = [MISSING if label is None else label for label in tree.labels(node, child)]
        return f"{attribute.name} is {' or '.join(labels) or ANYTHING_ELSE}"
    side = side_of(tree, node, child)
    if side == 2:
        return f"{attribute.name} is {MISSING}"
    sign = "<=" if side == 0 else ">"
    return f"{attribute.name} {sign} {show_threshold(attribute, tree.nodes.threshold[node])}"


def side_of(tree: FittedTree, node: int, child: int) -> int:
    """0 at most the threshold, 1 above it, 2 missing."""
    first = int(tree.nodes.first[node])
    return tree.nodes.child[first : first + 3].tolist().index(child)


def show_threshold(attribute: Attribute, threshold: float) -> str:
    """A threshold in the words of its column."""
    if attribute.order:  # the largest value at or below it
        return attribute.order[int(np.floor(threshold))]
    if attribute.kind == "date":
        moment = dt.datetime(1970, 1, 1) + dt.timedelta(days=float(threshold))
        return moment.isoformat(sep=" ", timespec="minutes")
    return f"{threshold:.15g}"  # all digits that a decimal keeps: 76.8, not 76.80000000000001


def describe_leaf(tree: FittedTree, node: int, classes: Sequence[Any]) -> str:
    """Class of a node and its training rows per class."""
    winner = classes[int(tree.nodes.mass[node].argmax())]
    counts = ", ".join(
        f"{count:,} {name}" for name, count in zip(classes, tree.nodes.counts[node], strict=True)
    )
    return f"{winner} ({counts})"


def describe_path(tree: FittedTree, node: int) -> str:
    """The conditions on the way from the root to a node."""
    conditions = []
    while (parent := int(tree.nodes.parent[node])) >= 0:
        conditions.append(describe_branch(tree, parent, node))
        node = parent
    return ", ".join(reversed(conditions))


def export_text(tree: FittedTree, classes: Sequence[Any]) -> str:
    """The tree as indented text, one line per branch."""
    if tree.nodes.slot[0] == LEAF:
        return describe_leaf(tree, 0, classes)
    lines = []
    todo = [(child, 0) for child in reversed(tree.children(0))]
    while todo:
        node, depth = todo.pop()
        condition = describe_branch(tree, int(tree.nodes.parent[node]), node)
        leaf = tree.nodes.slot[node] == LEAF
        ending = f": {describe_leaf(tree, node, classes)}" if leaf else ""
        lines.append("|   " * depth + condition + ending)
        todo.extend((child, depth + 1) for child in reversed(tree.children(node)))
    return "\n".join(lines)


def export_dot(tree: FittedTree, classes: Sequence[Any]) -> str:
    """The tree in Graphviz's language."""
    lines = ["digraph tree {", "  node [shape=box];"]
    for node in range(tree.n_nodes):
        leaf = tree.nodes.slot[node] == LEAF
        label = describe_leaf(tree, node, classes) if leaf else tree.attribute(node).name
        lines.append(f"  {node} [label={_quote(label)}];")
    for node in range(1, tree.n_nodes):
        parent = int(tree.nodes.parent[node])
        name = tree.attribute(parent).name
        label = describe_branch(tree, parent, node).removeprefix(f"{name} ").removeprefix("is ")
        lines.append(f"  {parent} -> {node} [label={_quote(label)}];")
    return "\n".join([*lines, "}"])


def _quote(label: str) -> str:
    escaped = label.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{escaped}"'
