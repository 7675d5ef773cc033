"""What a local recoding is solved from: cells and columns as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal.anonymize.clusters._blocks import Block, take_cells
from shoal.anonymize.clusters._group_loss import (
    GroupColumns,
    code_positions,
    loss_table,
    make_columns,
)
from shoal.anonymize.clusters._local_plan import Ladder, make_ladder
from shoal.privacy.compiled._condition_kernels import CompiledModel
from shoal.schema._coding import Coding
from shoal.tables import FrequencyTable
from shoal.typing import Codes, Counts, Flags, Floats

_BEYOND_ANY_WINDOW = 3.0  # positions lie between 0 and 1


@dataclass(frozen=True, eq=False)
class LocalProblem:
    """Columns and cells of one table, prepared for local recoding.

    Columns are put in the order of how much two random rows differ in them, so that searches
    through groups give up early.
    """

    keys: Codes
    compiled: CompiledModel
    loss: GroupColumns
    ladders: tuple[Ladder, ...]
    codings: tuple[Coding, ...]  # what columns are released with
    is_range: Flags
    axis: int  # the range column on which windows slide, -1 without one
    position: Floats  # of each code of the axis

    def along_axis(self) -> Floats:
        """Where each cell lies on the axis."""
        if self.axis < 0:
            return np.zeros(len(self.keys))
        return self.position[self.keys[:, self.axis]]

    def take(self, block: Block) -> LocalProblem:
        """The same problem over some of the cells, numbered as they are listed."""
        return replace(
            self,
            keys=np.ascontiguousarray(self.keys[block]),
            compiled=take_cells(self.compiled, block),
        )


def make_local_problem(
    cells: FrequencyTable,
    codings: Sequence[Coding],
    is_range: Flags,
    weights: Floats,
    compiled: CompiledModel,
    *,
    exact: bool = True,
) -> LocalProblem:
    """Order the columns and build their losses and levels.

    `cells` has a hierarchy for every column; `codings` are what columns are released with, ranges
    as they are (`exact`) or widened to public lines.
    """
    rows = [
        np.bincount(codes, weights=cells.sizes, minlength=coding.n_codes).astype(np.int64)
        for codes, coding in zip(cells.keys.T, codings, strict=True)
    ]
    spread = np.array(
        [_spread(*column) for column in zip(codings, is_range.tolist(), rows, strict=True)]
    )
    order = np.argsort(-spread * weights, kind="stable").tolist()
    axis = next((i for i, column in enumerate(order) if is_range[column]), -1)
    ladders = tuple(
        make_ladder(codings[c], cells.codings[c], bool(is_range[c]), rows[c], weights[c])
        for c in order
    )
    ordered = tuple(codings[column] for column in order)
    position = code_positions(ordered[axis]) if axis >= 0 else np.zeros(1)
    if axis >= 0 and ordered[axis].missing >= 0:  # no window reaches from a value to a missing one
        position[ordered[axis].missing] = _BEYOND_ANY_WINDOW
    return LocalProblem(
        np.ascontiguousarray(cells.keys[:, order]),
        compiled,
        make_columns(ordered, is_range[order], weights[order], exact=exact),
        ladders,
        ordered,
        is_range[order],
        axis,
        position,
    )


def _spread(coding: Coding, is_range: bool, rows: Counts) -> float:
    """Mean loss of a pair of random rows."""
    present = np.flatnonzero(rows)
    if coding.n_codes > 1_024:  # a sample of values is enough to order columns by
        present = present[:: max(1, len(present) // 512)]
    share = rows[present] / max(1, rows[present].sum())
    if coding.n_codes <= 1_024:
        table = loss_table(coding, is_range)[np.ix_(present, present)]
    elif is_range:
        position = code_positions(coding)[present]
        table = np.abs(position[:, None] - position[None, :])
    else:
        tree = coding.hierarchy
        assert tree is not None
        node = tree.lowest_common_ancestor(present[:, None], present[None, :])
        table = tree.n_leaves_below[node] / tree.n_leaves
    return float(share @ np.maximum(table, table.T) @ share)
