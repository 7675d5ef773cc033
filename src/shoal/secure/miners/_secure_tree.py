"""A tree of categorical splits, as both parties see it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ProtocolError

LEAF = -1


@dataclass(frozen=True)
class SecureTree:
    """A multiway tree; node 0 is the root.

    Attributes
    ----------
    names, values : sequences
        Columns and their values.
    target : int
        Column that is predicted.
    attribute : list of int
        Column that each node splits on, -1 for leaves and undecided nodes.
    label : list of int
        Class of each leaf, -1 elsewhere.
    children : list of list of int
        One child per value of the attribute.
    parent : list of int
        Parent of each node, -1 for the root.
    """

    names: Sequence[str]
    values: Sequence[Sequence[str]]
    target: int
    attribute: list[int]
    label: list[int]
    children: list[list[int]]
    parent: list[int]

    @property
    def leaves(self) -> list[int]:
        """Nodes with a class."""
        return [node for node, label in enumerate(self.label) if label != LEAF]

    def path(self, node: int) -> dict[int, int]:
        """Columns and values on the way from the root, in this order."""
        steps = []
        while self.parent[node] != LEAF:
            above = self.parent[node]
            steps.append((self.attribute[above], self.children[above].index(node)))
            node = above
        return dict(reversed(steps))

    def apply(self, codes: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
        """Leaf that each row of codes falls into."""
        node_of = np.zeros(len(codes), np.intp)
        for node, attribute in enumerate(self.attribute):  # parents come before children
            if attribute != LEAF:
                rows = np.flatnonzero(node_of == node)
                node_of[rows] = np.array(self.children[node])[codes[rows, attribute]]
        return node_of

    def predict(self, codes: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
        """Class, as an index into the target's values, for each row of codes."""
        return np.array(self.label)[self.apply(codes)]

    def to_dict(self) -> dict[str, Any]:
        """Return nested plain values."""
        return self._node(0)

    def _node(self, node: int) -> dict[str, Any]:
        attribute = self.attribute[node]
        if attribute == LEAF:
            return {"class": self.values[self.target][self.label[node]]}
        return {
            "attribute": self.names[attribute],
            "children": {
                value: self._node(child)
                for value, child in zip(self.values[attribute], self.children[node], strict=True)
            },
        }

    def to_text(self, counts: NDArray[np.int64] | None = None) -> str:
        """Return one line per node, indented by depth; leaves with their class counts if given."""
        shown = {} if counts is None else dict(zip(self.leaves, counts.tolist(), strict=True))
        lines: list[str] = []
        self._lines(0, "", lines, shown)
        return "\n".join(lines)

    def _lines(
        self, node: int, indent: str, lines: list[str], counts: dict[int, list[int]]
    ) -> None:
        attribute = self.attribute[node]
        if attribute == LEAF:
            classes = self.values[self.target]
            people = [f"{n} {name}" for name, n in zip(classes, counts.get(node, []), strict=False)]
            behind = f" ({', '.join(people)})" if people else ""
            lines.append(f"{indent}{classes[self.label[node]]}{behind}")
            return
        for value, child in zip(self.values[attribute], self.children[node], strict=True):
            lines.append(f"{indent}{self.names[attribute]} = {value}")
            self._lines(child, indent + "  ", lines, counts)


def grow(
    names: Sequence[str],
    values: Sequence[Sequence[str]],
    target: int,
    levels: Sequence[Sequence[int]],
) -> tuple[SecureTree, list[int]]:
    """Build the tree that the decisions of all levels describe, and its undecided nodes.

    A decision is the attribute of an inner node, or -1 minus the class of a leaf.
    """
    tree = SecureTree(names, values, target, [LEAF], [LEAF], [[]], [LEAF])
    frontier = [0]
    for level in levels:
        if len(level) != len(frontier):
            raise ProtocolError("a stored round does not fit the tree before it.")
        following: list[int] = []
        for node, decision in zip(frontier, level, strict=True):
            following += _decide(tree, node, decision)
        frontier = following
    return tree, frontier


def _decide(tree: SecureTree, node: int, decision: int) -> list[int]:
    if decision < 0:
        if -1 - decision >= len(tree.values[tree.target]):
            raise ProtocolError("a stored round names a class that does not exist.")
        tree.label[node] = -1 - decision
        return []
    if decision >= len(tree.names) or decision == tree.target or decision in tree.path(node):
        raise ProtocolError("a stored round names an attribute that cannot be used.")
    tree.attribute[node] = decision
    first = len(tree.label)
    tree.children[node] = list(range(first, first + len(tree.values[decision])))
    for _ in tree.children[node]:
        tree.attribute.append(LEAF)
        tree.label.append(LEAF)
        tree.children.append([])
        tree.parent.append(node)
    return tree.children[node]
