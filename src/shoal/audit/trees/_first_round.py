"""Whether boosting was fitted to the target of the table, and from a start that all rows share.

Before the first round nothing is told of anybody, so that leaves of the first trees are what the
people in them add up to: v (H + l) = a Y + b n, with the sum Y of n people's targets, the sum H of
second derivatives, and numbers a, b and l that all leaves share.  Leaves that were fitted to
another column, or to what was left over of a start of each row's own (`base_margin`, `init_score`),
have other values, of one person perhaps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.audit._row_groups import join_labels
from shoal.audit._training_table import TrainingTable
from shoal.audit.trees._tree_model import TreeModel
from shoal.typing import Counts, Floats

CLOSE = 1e-4
"""How far leaves may be off, relative to what the people in them may add up to."""
ROUNDED = 1e-6
"""The same relative to what they say, in single precision."""


@dataclass(frozen=True, eq=False)
class FirstTree:
    """A tree of the first round.

    Parameters
    ----------
    ends : ndarray
        The leaf of each row, from 0 on.
    values : ndarray
        Value of each leaf.
    bends : ndarray
        Sum of second derivatives in each leaf, or the number of rows where the library divides by
        that.
    has_start : bool, default=False
        Whether values include a number that all rows start from.
    known : (float, float), optional
        What a target of one more adds to a leaf, and what is added to second derivatives.
    """

    ends: NDArray[np.integer]
    values: Floats
    bends: Floats
    has_start: bool = False
    known: tuple[float, float] | None = None


def is_of_target(
    model: TreeModel,
    table: TrainingTable,
    k: int,
    numbers: Sequence[tuple[Floats, Floats]],
    *,
    per_round: int = 1,
    has_start: bool = False,
    known: tuple[float, float] | None = None,
) -> bool:
    """Whether the first trees that have a test say what people in their leaves add up to.

    `numbers` are values and sums of second derivatives by node.  Leaves that could be anything's,
    with as many unknowns as there are leaves, have to have k people each.
    """
    if table.schema.target is None:
        return True
    wanted = _read_target(table, is_number=model.n_classes is None)
    trees = list(_first_trees(model, numbers, max(1, per_round), has_start, known))
    said = [_fits(tree, wanted) for tree in trees]
    if False in said:
        return False
    if None not in said:
        return True
    everybody = [model.ends(number) for number in range(len(model.trees))]
    return bool(np.unique(join_labels(everybody), return_counts=True)[1].min() >= k)


def _read_target(table: TrainingTable, *, is_number: bool) -> Floats:
    """The target as a column of numbers, or a column for each class."""
    target = str(table.schema.target)
    if is_number:
        return np.asarray(table.numbers(target), np.float64)[:, None]
    codes, values = table.frame.factorize(target)
    return (codes[:, None] == np.arange(len(values))).astype(np.float64)


def _first_trees(
    model: TreeModel,
    numbers: Sequence[tuple[Floats, Floats]],
    per_round: int,
    has_start: bool,
    known: tuple[float, float] | None,
) -> Iterator[FirstTree]:
    for first in range(0, len(model.trees), per_round):
        own = range(first, min(first + per_round, len(model.trees)))
        own_trees = [number for number in own if len(model.trees[number].leaves) > 1]
        for number in own_trees:
            tree = model.trees[number]
            rank = np.zeros(len(tree.left), np.int64)
            rank[tree.leaves] = np.arange(len(tree.leaves))
            values, bends = (one[tree.leaves] for one in numbers[number])
            yield FirstTree(rank[model.ends(number)], values, bends, has_start, known)
        if own_trees:
            return


def _fits(tree: FirstTree, wanted: Floats) -> bool | None:
    """Whether one tree adds up for one of the columns; None where it would in any case."""
    answers = [_adds_up(tree, column) for column in wanted.T]
    return True if True in answers else None if None in answers else False


def _adds_up(tree: FirstTree, wanted: Floats) -> bool | None:
    n_leaves = len(tree.values)
    rows: Counts = np.bincount(tree.ends, minlength=n_leaves)
    apart = wanted - wanted.mean()
    sums = np.bincount(tree.ends, apart, n_leaves)
    told = tree.values * tree.bends
    if not (np.isfinite(sums).all() and np.isfinite(told).all()):
        return False
    columns: list[Floats] = [rows.astype(np.float64)]
    if tree.has_start:
        columns += [np.asarray(tree.bends, np.float64), np.ones(n_leaves)]
    if tree.known is None:
        columns += [tree.values, np.asarray(sums, np.float64)]
    else:
        told = told + tree.known[1] * tree.values - tree.known[0] * sums
    design = np.column_stack(columns)
    scale = np.abs(design).max(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    solution, _, rank, _ = np.linalg.lstsq(design / scale, told, rcond=1e-9)
    if rank >= n_leaves:
        return None
    rest = np.abs(told - design / scale @ solution)
    slope = abs(solution[-1] / scale[-1] if tree.known is None else tree.known[0])
    near = CLOSE * slope * float(apart.std()) * np.sqrt(rows) + ROUNDED * np.abs(told)
    return bool((rest <= near + ROUNDED * float(np.abs(told).max())).all())
