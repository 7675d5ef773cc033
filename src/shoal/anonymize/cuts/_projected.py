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
    """Columns, and the conditions on the rows that agree on them."""

    columns: tuple[int, ...]
    compiled: CompiledModel


class Answer(NamedTuple):
    """Which cells are in sets of rows that fail, if any, and the fewest that agree on columns."""

    failing: Flags | None
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
        self._others: dict[frozenset[int], Flags] = {}

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
        self._codes = self._codes_of(cut, changed)
        self._cut = [nodes.copy() for nodes in cut]
        known = self._answers or [Answer(None, 0)] * len(self.sets)
        for number in self._touched(changed):
            known[number] = _ask(self.sets[number], self._codes, self.cells.sizes)
        self._answers = known
        self._others.clear()

    def judge(self, cut: Sequence[Codes], most: int | None = None) -> Outcome:
        """What becomes of a cut that differs from the one settled on, in few columns at best.

        With `most` nothing more is counted once more rows fail; the answer is then that they do.
        """
        if not self._answers:
            self.settle(cut)
        changed = self._changed(cut)
        codes, total = self._codes_of(cut, changed), self._failing_without(changed).copy()
        smallest = [answer.smallest for answer in self._answers]
        for number in self._touched(changed):
            failing, smallest[number] = _ask(self.sets[number], codes, self.cells.sizes)
            if failing is not None:
                total |= failing
                if most is not None and self.cells.sizes[total].sum() > most:
                    break
        return Outcome(total, tuple(smallest))

    def kept(self, cut: Sequence[Codes], kept: Flags) -> Flags:
        """Which of some cells stay when those that fail are left out, until none fails."""
        codes = self._codes_of(cut, self._changed(cut))
        while True:
            # some conditions compare with the whole, which changes when rows are left out of it
            sets = self.sets if self.size_only else self._compile(kept)
            answers = [_ask(one, codes, self.cells.sizes, kept).failing for one in sets]
            failing = [one for one in answers if one is not None]
            if not failing:
                return kept
            kept = kept & ~np.logical_or.reduce(failing)

    def _changed(self, cut: Sequence[Codes]) -> frozenset[int]:
        return frozenset(
            column
            for column, nodes in enumerate(cut)
            if not self._cut or not np.array_equal(nodes, self._cut[column])
        )

    def _touched(self, changed: frozenset[int]) -> list[int]:
        """Sets of columns that changed columns are in, by number."""
        return [n for n, one in enumerate(self.sets) if not changed.isdisjoint(one.columns)]

    def _codes_of(self, cut: Sequence[Codes], changed: frozenset[int]) -> list[Codes]:
        """Code of each cell in each column, from 0 on without gaps."""
        return [
            _ranks(nodes)[self.cells.keys[:, column]] if column in changed else self._codes[column]
            for column, nodes in enumerate(cut)
        ]

    def _failing_without(self, changed: frozenset[int]) -> Flags:
        """Cells that fail in sets without any of the columns."""
        # a round tries many nodes of one column: what fails without that column is added up once
        if changed not in self._others:
            total = np.zeros(self.cells.n_groups, np.bool_)
            for one, answer in zip(self.sets, self._answers, strict=True):
                if answer.failing is not None and changed.isdisjoint(one.columns):
                    total |= answer.failing
            self._others[changed] = total
        return self._others[changed]


def _ranks(nodes: Codes) -> Codes:
    return np.unique(nodes, return_inverse=True)[1].reshape(-1).astype(np.int32)


def _ask(
    one: ColumnSet, codes: Sequence[Codes], sizes: Counts, kept: Flags | None = None
) -> Answer:
    group_of, n_groups = number_rows([codes[column] for column in one.columns], gaps=True)
    counted = sizes if kept is None else np.where(kept, sizes, 0)
    around = np.bincount(group_of, weights=counted, minlength=n_groups)[group_of]  # of each cell
    inside = around if kept is None else around[kept]
    smallest = int(inside.min()) if len(inside) else 0
    if one.compiled.size_only:
        if smallest >= one.compiled.minimum_size:
            return Answer(None, smallest)
        failing = around < one.compiled.minimum_size
    else:
        asked = group_of if kept is None else np.where(kept, group_of, -1)
        failing = ~allowed_groups(one.compiled, asked, n_groups)[group_of]
    failing = failing if kept is None else failing & kept
    return Answer(failing if failing.any() else None, smallest)
