"""Tests of what everybody knows that tell who is at a node: below private tests nobody knows.

Libraries cut half-way between two people of the node, or draw between its least and its largest.
Whoever knows the column of everybody looks for the two: where few people fit, they are there, and
what was asked above is true of them.  Others cut between neighbours of the whole table, but of all
cuts with the same people of the node on each side they take the first: the neighbour is there.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from shoal.audit.trees._binary_tree import BinaryTree
from shoal.audit.trees._tree_model import TreeModel
from shoal.typing import Flags, Floats

EXACT = 1e-12
"""Relative error of a mean of two numbers in double precision."""
SINGLE = 1.2e-7  # the same in single precision
MOST_BINS = 256
"""Bins of a histogram that libraries make, unless they are asked for others."""
Rows = NDArray[np.intp]


def cuts_between_few(model: TreeModel, k: int) -> tuple[str, ...]:
    """Why tests of public columns may tell that fewer than k people are at a node."""
    found = {feature for tree in model.trees for feature in _of_tree(model, tree, k)}
    return tuple(between_message(model.features.names[feature], k) for feature in sorted(found))


def between_message(name: str, k: int) -> str:
    """What is said of a column, without any number of it."""
    return (
        f"tests of {name!r} below private ones, which follow from the numbers of people there: "
        f"fewer than {k} fit, and what is private of them is told. Round it before you train"
    )


def _of_tree(model: TreeModel, tree: BinaryTree, k: int) -> Iterator[int]:
    """Features of such tests."""
    matrix, private = model.features.doubles, model.features.is_private
    if not (model.hides_rows or private[tree.tested].any()):
        return
    everybody = np.arange(len(matrix))
    # node, rows that may be there, those that are, and whether nobody knows which
    todo: list[tuple[int, Rows, Rows, bool]] = [(0, everybody, everybody, model.hides_rows)]
    while todo:
        node, able, own, hidden = todo.pop()
        if tree.left[node] < 0:
            continue
        feature = int(tree.feature[node])
        column = matrix[:, feature]
        left = tree.goes_left(node, column[own])
        parts = own[left], own[~left]
        if private[feature]:
            ways, hidden = (able, able), True
        else:
            asked = hidden and node not in tree.chosen
            if asked and _tells_who(model, tree, node, column, able, own, k):
                yield feature
            left = tree.goes_left(node, column[able])
            ways = able[left], able[~left]
        todo.append((int(tree.left[node]), ways[0], parts[0], hidden))
        todo.append((int(tree.right[node]), ways[1], parts[1], hidden))


def _tells_who(
    model: TreeModel,
    tree: BinaryTree,
    node: int,
    column: Floats,
    able: Rows,
    own: Rows,
    k: int,
) -> bool:
    cut = float(tree.threshold[node])
    if model.cuts == "drawn":
        there = column[own][np.isfinite(column[own])]
        ends = (there.min(), there.max()) if len(there) else ()
        return any(int((column[able] == end).sum()) < k for end in ends)
    if model.cuts == "in nodes":
        return few_fit(column[able], cut, k)
    if tree.strict:
        said = float(np.nextafter(np.float32(cut), np.float32(np.inf)))
        if not (column == said).any():  # XGBoost's exact method
            return few_fit(column[able], said, k, SINGLE)
    first = model.cuts == "between"  # LightGBM looks from above, the others from below
    ways = {first, not first} if np.isnan(column).any() else {first}  # both, of missing values
    return any(_few_beside(column, column[able], cut, k, above=above) for above in ways)


def _few_beside(column: Floats, able: Floats, cut: float, k: int, *, above: bool) -> bool:
    """Whether fewer than k of those who may be there are in the bin beside a cut."""
    side = (column > cut) if above else (column <= cut)
    near = np.sort(column[side & np.isfinite(column)])
    if not len(near):
        return False
    width = max(1, len(column) // MOST_BINS)  # people in a bin, if there are more than bins
    end = near[min(width, len(near)) - 1] if above else near[-min(width, len(near))]
    inside = (able > cut) & (able <= end) if above else (able <= cut) & (able >= end)
    return int(inside.sum()) < k


def few_fit(column: Floats, cut: float, k: int, near: float = EXACT) -> bool:
    """Whether fewer than k people of a column can be one of two between whom a cut is half-way.

    Examples
    --------
    >>> few_fit(np.array([1.0, 2.0, 3.5, 4.0]), 3.0, 1), few_fit(np.arange(10.0), 4.5, 5)
    (False, False)
    >>> few_fit(np.array([1.0, 2.0, 3.5, 4.0]), 3.0, 2)
    True
    """
    values, counts = np.unique(column[np.isfinite(column)], return_counts=True)
    pairs, below = _has_partner(values, cut, near), values <= cut
    return min(int(counts[pairs & below].sum()), int(counts[pairs & ~below].sum())) < k


def _has_partner(values: Floats, cut: float, near: float) -> Flags:
    """Which values have another one as far on the other side of a cut.

    Examples
    --------
    >>> _has_partner(np.array([1.0, 2.0, 3.5, 4.0]), 3.0, 1e-12)
    array([False,  True, False,  True])
    """
    wanted = 2 * cut - values
    place = np.searchsorted(values, wanted).clip(1, max(1, len(values) - 1))
    about = near * np.maximum(np.abs(values), abs(cut)) * 2
    found: Flags = np.abs(values[place - 1] - wanted) <= about
    if len(values) > 1:
        found |= np.abs(values[place] - wanted) <= about
    return found
