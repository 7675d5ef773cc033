"""t-closeness: every group looks like the whole table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from shoal._checks import check_number
from shoal.errors import ParameterError, SchemaError
from shoal.privacy._column_model import ColumnModel, check_column
from shoal.privacy._condition import Condition
from shoal.privacy._model import Word
from shoal.privacy.compiled._condition_kernels import EQUAL, ORDERED, TREE
from shoal.privacy.models._group_values import natural_order, overall, shares
from shoal.typing import Floats

if TYPE_CHECKING:
    from shoal.schema import Hierarchy
    from shoal.tables import FrequencyTable

Distance = Literal["equal", "ordered", "hierarchical"]


@dataclass(frozen=True)
class TCloseness(ColumnModel):
    """The sensitive values of every group are distributed almost as in the whole table [LLV07]_.

    Parameters
    ----------
    t : float
        Largest earth mover's distance between a group and the whole, from 0 to 1.
    column : str, optional
        The sensitive column; by default every one.
    distance : {"equal", "ordered", "hierarchical"}
        How far apart two values are.  *equal*: 1.  *ordered* (numeric, date and ordinal columns):
        places between them over places between the first and the last value that occurs.
        *hierarchical*: height of their lowest common ancestor over the height of the tree.

    Notes
    -----
    **Guarantee.**  Knowing a person's group moves an attacker's belief about the column by at most
    `t`, beyond what the whole release tells.

    **Departures from the paper.**  The whole is what is released: suppressed rows are in no group
    and not in the whole.  Missing values are a value, last in order.  In unbalanced trees a node's
    height is the longest way down from it.

    References
    ----------
    .. [LLV07] N. Li, T. Li, S. Venkatasubramanian.  t-closeness: privacy beyond k-anonymity and
       l-diversity.  ICDE 2007.  doi:10.1109/ICDE.2007.367856

    Examples
    --------
    >>> print(TCloseness(0.2, "illness").describe())  # doctest: +NORMALIZE_WHITESPACE
    the distribution of column 'illness' in every group is within 0.2 of the whole
    table's (equal distance)
    """

    t: float
    column: str | None = None
    distance: Distance = "equal"

    word = Word("t", {"t": float}, "0.2")
    leaves_open = "A small distance can hide a large relative gain of a rare value."
    judges_groups_alone = False
    larger_is_better = False

    def __post_init__(self) -> None:
        check_number("TCloseness: t", self.t, 0, 1)
        check_column("TCloseness", self.column)
        if self.distance not in get_args(Distance):
            raise ParameterError(
                f"TCloseness: unknown distance {self.distance!r}. "
                f"Choose from {', '.join(get_args(Distance))}."
            )

    @property
    def required(self) -> float:
        """`t`."""
        return float(self.t)

    def describe(self) -> str:
        """Say what every group has to be."""
        return (
            f"the distribution of {self._where()} in every group is within {self.t:g} of the "
            f"whole table's ({self.distance} distance)"
        )

    def column_levels(self, groups: FrequencyTable, column: str) -> Floats:
        """Distance of each group from the whole."""
        histogram = groups.histograms[column]
        whole = overall(histogram)
        distance = np.zeros(groups.n_groups)
        if self.distance == "ordered":
            self._check_ordered(groups, column)
            order = natural_order(histogram)
            for part, share in shares(histogram, groups.sizes):
                carried = np.cumsum(share[:, order] - whole[order], axis=1)
                distance[part] = np.abs(carried).sum(axis=1) / max(1, len(order) - 1)
        elif self.distance == "hierarchical":
            tree = self._tree(groups, column)
            # Moving up to an ancestor and down again costs half its height each way.
            height = tree.height / max(1, int(tree.height[tree.root]))
            climb = (height[tree.parent[: tree.root]] - height[: tree.root]) / 2
            below = [slice(a, b) for a, b in zip(tree.start, tree.stop, strict=True)]
            for part, share in shares(histogram, groups.sizes):
                apart = share - whole
                for node in range(tree.root):
                    distance[part] += climb[node] * np.abs(apart[:, below[node]].sum(axis=1))
        else:
            for part, share in shares(histogram, groups.sizes):
                distance[part] = np.abs(share - whole).sum(axis=1) / 2
        distance[groups.sizes == 0] = 0.0
        return distance

    def column_condition(self, cells: FrequencyTable, column: str) -> Condition:
        histogram = cells.histograms[column]
        whole = overall(histogram)
        if self.distance == "ordered":
            self._check_ordered(cells, column)
            return ordered_condition(column, self.t, whole, natural_order(histogram))
        if self.distance == "hierarchical":
            return tree_condition(column, self.t, whole, self._tree(cells, column))
        return Condition(EQUAL, column, self.t, floats=whole)

    def _check_ordered(self, groups: FrequencyTable, column: str) -> None:
        if not groups.histograms[column].coding.is_ordered:
            raise SchemaError(
                f"TCloseness: column {column!r} is categorical and has no order. Use distance "
                "'equal' or 'hierarchical', or give the column the kind ordinal or numeric."
            )

    def _tree(self, groups: FrequencyTable, column: str) -> Hierarchy:
        tree = groups.histograms[column].coding.hierarchy
        if tree is None:
            raise SchemaError(
                f"TCloseness: column {column!r} has no hierarchy. Use distance 'equal', or give "
                "the column a hierarchy in the schema."
            )
        return tree


def ordered_condition(column: str, t: float, whole: Floats, order: NDArray[np.int64]) -> Condition:
    """Shares in order, their running sums, and the sums of those; values in order, and back."""
    running = np.cumsum(whole[order])
    before = np.concatenate([[0.0], np.cumsum(running)])
    rank = np.zeros(len(whole), np.int64)
    rank[order] = np.arange(len(order))
    return Condition(
        ORDERED,
        column,
        t,
        float(len(order)),
        floats=np.concatenate([whole[order], running, before]),
        codes=np.concatenate([order, rank]),
    )


def tree_condition(column: str, t: float, whole: Floats, tree: Hierarchy) -> Condition:
    """Shares of the leaves; then height, cost of the edge above, and share below of each node."""
    height = tree.height / max(1, int(tree.height[tree.root]))
    climb = np.zeros(tree.n_nodes)
    climb[: tree.root] = (height[tree.parent[: tree.root]] - height[: tree.root]) / 2
    running = np.concatenate([[0.0], np.cumsum(whole)])
    below = running[tree.stop] - running[tree.start]
    return Condition(
        TREE,
        column,
        t,
        float((climb * below).sum()),
        floats=np.concatenate([whole, height, climb, below]),
        codes=np.concatenate([tree.parent, tree.start, tree.stop]).astype(np.int64),
    )
