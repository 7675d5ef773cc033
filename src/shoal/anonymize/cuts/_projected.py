"""Conditions on some columns at a time, kept up to date while a search changes a cut.

A cut recodes whole columns, so the rows that agree on some columns are found from the cut of those
columns alone.  When one column changes, only the sets of columns that it is in are counted again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import NamedTuple

import numpy as np

from shoal.privacy import PrivacyModel
from shoal.privacy._projection import ProjectionModel, number_rows
from shoal.privacy.compiled._compile import allowed_groups, compile_model
from shoal.privacy.compiled._condition_kernels import CompiledModel
from shoal.tables import FrequencyTable
from shoal.typing import Codes, Counts, Flags


class ColumnSet(NamedTuple):
    """Columns, and what is asked of the rows that agree on them."""

    columns: tuple[int, ...]
    compiled: CompiledModel


class Answer(NamedTuple):
    """Which cells are in sets of rows that fail, and the fewest rows that agree on the columns."""

    failing: Flags
    smallest: int


@dataclass(frozen=True)
class Outcome:
    """What a cut comes to: cells that fail, and the smallest size by set of columns."""

    failing: Flags
    smallest: tuple[int, ...]


class ProjectedConditions:
    """The conditions of a promise that are about some of the columns, compiled for some cells.

    Parameters
    ----------
    cells : FrequencyTable
        The raw combinations.
    models : sequence of ProjectionModel
        What is asked; at least one.
    """

    def __init__(self, cells: FrequencyTable, models: Sequence[ProjectionModel]) -> None:
        self.cells = cells
        by_columns: dict[tuple[int, ...], list[PrivacyModel]] = {}
        for model in models:
            for columns, asked in model.projections(cells.names):
                by_columns.setdefault(columns, []).append(asked)
        self.asked = {
            columns: reduce(and_, dict.fromkeys(asked)) for columns, asked in by_columns.items()
        }
        self.sets = self._compile(None)
        self._cut: list[Codes] = []
        self._codes: list[Codes] = []
        self._answers: list[Answer] = []
        self._others: dict[int, Flags] = {}

    def _compile(self, kept: Flags | None) -> list[ColumnSet]:
        models = dict.fromkeys(self.asked.values())
        compiled = {model: compile_model(model, self.cells, kept=kept) for model in models}
        return [ColumnSet(columns, compiled[model]) for columns, model in self.asked.items()]

    @property
    def size_only(self) -> bool:
        """Whether sizes are all that is asked for."""
        return all(one.compiled.size_only for one in self.sets)

    def settle(self, cut: Sequence[Codes]) -> None:
        """Remember a cut, so that cuts that differ from it in a column are judged quickly."""
        changed = self._changed(cut)
        for column in changed:
            nodes, codes = cut[column].copy(), self._code(column, cut[column])
            if len(self._cut) == column:
                self._cut.append(nodes)
                self._codes.append(codes)
            else:
                self._cut[column], self._codes[column] = nodes, codes
        answers = self._answers or [None] * len(self.sets)  # type: ignore[list-item]
        self._answers = [
            self._ask(one, self._codes) if answer is None or changed & set(one.columns) else answer
            for one, answer in zip(self.sets, answers, strict=True)
        ]
        self._others.clear()

    def judge(self, cut: Sequence[Codes], most: int | None = None) -> Outcome:
        """What becomes of a cut that differs from the one settled on, in few columns at best.

        With `most` nothing more is counted once more rows fail; the answer is then that they do.
        """
        if not self._answers:
            self.settle(cut)
        changed = self._changed(cut)
        codes = [
            self._code(column, cut[column]) if column in changed else known
            for column, known in enumerate(self._codes)
        ]
        failing = self._failing_without(next(iter(changed))) if len(changed) == 1 else None
        total = np.zeros(self.cells.n_groups, np.bool_) if failing is None else failing.copy()
        smallest = []
        for one, answer in zip(self.sets, self._answers, strict=True):
            touched = bool(changed & set(one.columns))
            now = self._ask(one, codes) if touched else answer
            if touched or failing is None:
                total |= now.failing
            smallest.append(now.smallest)
            if most is not None and now.failing.any() and self.cells.sizes[total].sum() > most:
                smallest += [0] * (len(self.sets) - len(smallest))
                break
        return Outcome(total, tuple(smallest))

    def kept(self, codes: Sequence[Codes], kept: Flags) -> Flags:
        """Which of some cells stay when those that fail are left out, until none fails."""
        while True:
            # some conditions compare with the whole, which changes when rows are left out of it
            sets = self.sets if self.size_only else self._compile(kept)
            failing = np.zeros(len(kept), np.bool_)
            for one in sets:
                failing |= _ask(one, codes, self.cells.sizes, kept).failing
            if not failing.any():
                return kept
            kept = kept & ~failing

    def codes(self, cut: Sequence[Codes]) -> list[Codes]:
        """Code of each cell in each column, from 0 on without gaps."""
        return [self._code(column, nodes) for column, nodes in enumerate(cut)]

    def _changed(self, cut: Sequence[Codes]) -> set[int]:
        return {
            column
            for column, nodes in enumerate(cut)
            if column >= len(self._cut) or not np.array_equal(nodes, self._cut[column])
        }

    def _code(self, column: int, nodes: Codes) -> Codes:
        rank = np.unique(nodes, return_inverse=True)[1].reshape(-1).astype(np.int32)
        return rank[self.cells.keys[:, column]]

    def _ask(self, one: ColumnSet, codes: Sequence[Codes]) -> Answer:
        return _ask(one, codes, self.cells.sizes, None)

    def _failing_without(self, column: int) -> Flags:
        """Cells that fail in sets without a column."""
        if column not in self._others:
            total = np.zeros(self.cells.n_groups, np.bool_)
            for one, answer in zip(self.sets, self._answers, strict=True):
                if column not in one.columns:
                    total |= answer.failing
            self._others[column] = total
        return self._others[column]


def _ask(one: ColumnSet, codes: Sequence[Codes], sizes: Counts, kept: Flags | None) -> Answer:
    group_of, n_groups = number_rows([codes[column] for column in one.columns], gaps=True)
    counted = sizes if kept is None else np.where(kept, sizes, 0)
    rows = np.bincount(group_of, weights=counted, minlength=n_groups)
    around = rows[group_of]  # of each cell
    inside = around if kept is None else around[kept]
    smallest = int(inside.min(initial=np.inf)) if len(inside) else 0
    if one.compiled.size_only:
        failing = around < one.compiled.minimum_size
    else:
        asked = group_of if kept is None else np.where(kept, group_of, -1)
        failing = ~allowed_groups(one.compiled, asked, n_groups)[group_of]
    return Answer(failing if kept is None else failing & kept, smallest)
