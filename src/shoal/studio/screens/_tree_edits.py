"""Changes of a tree of values: nested mappings in, nested mappings out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from shoal.errors import ParameterError

Tree = dict[str, Any]
"""Groups by name; a list holds values, and a name with nothing below it is a value too."""


def tree_of_values(values: Iterable[str]) -> Tree:
    """Every value straight under the root."""
    return {value: [] for value in values}


def leaves(tree: Mapping[str, Any]) -> list[str]:
    """All values, in the order of the tree.

    Examples
    --------
    >>> leaves({"North": ["Kiel"], "Ulm": []})
    ['Kiel', 'Ulm']
    """
    names: list[str] = []
    for name, below in tree.items():
        if isinstance(below, Mapping):
            names += leaves(below)
        elif below:
            names += [str(value) for value in below]
        else:
            names.append(name)
    return names


def groups(tree: Mapping[str, Any], above: str = "") -> list[dict[str, Any]]:
    """Every group with what is in it, outer ones first, as a list to be drawn."""
    nodes = []
    for name, below in tree.items():
        if isinstance(below, Mapping):
            nodes.append({"name": name, "above": above, "values": _own(below)})
            nodes += groups(below, name)
        elif below:
            nodes.append({"name": name, "above": above, "values": list(below)})
    return nodes


def top_values(tree: Mapping[str, Any]) -> list[str]:
    """Values straight under the root."""
    return _own(tree)


def move(tree: Mapping[str, Any], values: Sequence[str], group: str) -> Tree:
    """Values taken from where they are and put into a group; "" is the root.

    A group that is not there is made, and one that nothing is left in goes.

    Examples
    --------
    >>> move({"North": ["Kiel"], "Ulm": [], "Bonn": []}, ["Ulm"], "South")
    {'North': ['Kiel'], 'Bonn': [], 'South': ['Ulm']}
    """
    known = set(leaves(tree))
    if group in known or group == "*":
        raise ParameterError("a group cannot have the name of a value, nor *. Choose another.")
    moved = _without(tree, set(values) & known)
    chosen = list(dict.fromkeys(values))
    if not group:
        return {**moved, **tree_of_values(chosen)}
    if not _add(moved, group, chosen):
        moved[group] = chosen
    return moved


def rename(tree: Mapping[str, Any], group: str, name: str) -> Tree:
    """A group by another name; with "" it is dissolved, and what is in it goes one up.

    Examples
    --------
    >>> rename({"North": ["Kiel"], "Ulm": []}, "North", "")
    {'Kiel': [], 'Ulm': []}
    """
    if name and (
        name in leaves(tree) or name == "*" or any(g["name"] == name for g in groups(tree))
    ):
        raise ParameterError("that name is taken. Choose another.")
    renamed: Tree = {}
    for own, below in tree.items():
        inner = rename(below, group, name) if isinstance(below, Mapping) else below
        if own != group or not below:
            renamed[own] = inner
        elif name:
            renamed[name] = inner
        else:
            renamed |= inner if isinstance(inner, Mapping) else tree_of_values(inner)
    return renamed


def _own(tree: Mapping[str, Any]) -> list[str]:
    return [name for name, below in tree.items() if not below]


def _without(tree: Mapping[str, Any], values: set[str]) -> Tree:
    left: Tree = {}
    for name, below in tree.items():
        if isinstance(below, Mapping):
            if inner := _without(below, values):
                left[name] = inner
        elif below:
            if rest := [value for value in below if value not in values]:
                left[name] = rest
        elif name not in values:
            left[name] = []
    return left


def _add(tree: Tree, group: str, values: Sequence[str]) -> bool:
    for name, below in tree.items():
        if name == group and isinstance(below, dict):
            below |= tree_of_values(values)
            return True
        if name == group and below:
            tree[name] = [*below, *values]
            return True
        if isinstance(below, dict) and _add(below, group, values):
            return True
    return False
