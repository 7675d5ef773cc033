"""A privacy model compiled for one table of cells, so that every solver works with every model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.privacy._model import PrivacyModel
from shoal.privacy.compiled._condition_kernels import CompiledModel, allowed_dense
from shoal.privacy.compiled._sparse_condition_kernels import allowed_sparse
from shoal.tables import FrequencyTable
from shoal.tables._count_kernels import group_members
from shoal.tables._frequency import Histogram
from shoal.typing import Codes, Counts, Flags

DENSE_LIMIT = 64  # codes; up to here scanning all of them is faster


def compile_model(
    model: PrivacyModel, cells: FrequencyTable, *, kept: Flags | None = None
) -> CompiledModel:
    """Compile a model for the cells of one table.

    Parameters
    ----------
    model : PrivacyModel
        Bound to the schema's sensitive columns (:meth:`PrivacyModel.bind`); an open model speaks
        of every column that `cells` counts, a target that is not sensitive included.
    cells : FrequencyTable
        The raw combinations.
    kept : ndarray of bool, optional
        Cells that are released.  Models that compare a group with the whole (t-closeness,
        beta-likeness) compare it with these; after suppressing rows, compile again.

    Returns
    -------
    CompiledModel
        For :func:`allowed` and :func:`allowed_groups`.  Cells are numbered as in `cells`; groups
        with cells that are not kept get no meaningful answer.
    """
    whole = cells
    if kept is not None and not kept.all():
        ones = np.where(kept, np.arange(cells.n_groups), -1)
        whole = replace(
            cells,
            sizes=np.where(kept, cells.sizes, 0),
            histograms={
                name: histogram.merge(ones, cells.n_groups)
                for name, histogram in cells.histograms.items()
            },
        )
    # what a model asks of the whole, groups cannot answer: they are asked what implies it
    model = model.rungs(cells.n_rows)[-1]
    conditions = model.conditions(whole)
    names = list(dict.fromkeys(condition.column for condition in conditions))
    widths = [cells.histograms[name].coding.n_codes for name in names]
    offset = dict(zip(names, np.cumsum([0, *widths])[:-1].tolist(), strict=True))
    width = dict(zip(names, widths, strict=True))
    start, codes = np.zeros(cells.n_groups + 1, np.int64), np.empty(0, np.int32)
    counts = np.empty(0, np.int64)
    if names:
        start, codes, counts = _join([cells.histograms[name] for name in names], cells.n_groups)
    first = np.array([offset[condition.column] for condition in conditions], np.int64)
    return CompiledModel(
        minimum_size=model.minimum_size,
        size_only=not conditions,
        n_codes=sum(widths),
        kind=np.array([condition.kind for condition in conditions], np.int32),
        level=np.array([condition.level for condition in conditions], np.float64),
        second=np.array([condition.second for condition in conditions], np.float64),
        first=first,
        stop=first + np.array([width[condition.column] for condition in conditions], np.int64),
        float_first=np.cumsum(
            [0, *(len(condition.floats) for condition in conditions)], dtype=np.int64
        ),
        code_first=np.cumsum(
            [0, *(len(condition.codes) for condition in conditions)], dtype=np.int64
        ),
        floats=np.concatenate([np.empty(0), *(condition.floats for condition in conditions)]),
        values=np.concatenate(
            [np.empty(0, np.int64), *(condition.codes for condition in conditions)]
        ),
        sizes=np.ascontiguousarray(cells.sizes, np.int64),
        start=start,
        codes=codes,
        counts=counts,
    )


def allowed_groups(compiled: CompiledModel, group_of: NDArray[np.int64], n_groups: int) -> Flags:
    """Whether each group of cells is allowed; `group_of` names each cell's group, -1 is in none.

    A group without cells has no rows and is allowed.
    """
    if compiled.size_only:
        kept = group_of >= 0
        rows = np.bincount(group_of[kept], weights=compiled.sizes[kept], minlength=n_groups)
        return (rows >= compiled.minimum_size) | (rows == 0)
    members = group_members(group_of, n_groups)
    answer = allowed_dense if compiled.n_codes <= DENSE_LIMIT else allowed_sparse
    return answer(compiled, *members)


def _join(histograms: list[Histogram], n_cells: int) -> tuple[NDArray[np.int64], Codes, Counts]:
    """One sparse histogram per cell over all columns; codes of each column are moved up."""
    if len(histograms) == 1:
        (only,) = histograms
        return (
            np.ascontiguousarray(only.start, np.int64),
            np.ascontiguousarray(only.codes, np.int32),
            np.ascontiguousarray(only.counts, np.int64),
        )
    moved, base = [], 0
    for histogram in histograms:
        moved.append(histogram.codes + base)
        base += histogram.coding.n_codes
    cell = np.concatenate([histogram.group_of_entry for histogram in histograms])
    order = np.argsort(cell, kind="stable")
    start = np.zeros(n_cells + 1, np.int64)
    for histogram in histograms:
        start += histogram.start
    codes = np.concatenate(moved)[order].astype(np.int32)
    counts = np.concatenate([histogram.counts for histogram in histograms])[order]
    return start, codes, counts.astype(np.int64)
