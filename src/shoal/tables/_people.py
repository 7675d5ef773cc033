"""People behind rows: counted once each, however many rows they have.

Every person has one home row, which counts; the others count nothing.  Such counts add up when
cells are joined, as solvers need it, and a group's count never exceeds its people.  What a release
promises is judged by the exact count all the same: each person once in each group that has a row
of theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import TableError
from shoal.schema._coding import Coding
from shoal.tables._frequency import FrequencyTable, Histogram
from shoal.typing import Codes, Counts, Flags

_Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class People:
    """Which person has rows in which cell, and with which counted values.

    Parameters
    ----------
    person, cell : ndarray of int64
        Person and cell of each entry.  An entry stands for one row or for several alike.
    values : mapping of str to ndarray of int32
        Code of each entry in each counted column.
    rows : ndarray of int64
        Rows of each entry.
    households : bool
        Whether a "person" here is a household, whose rows are its people: then rows are counted
        beside households, and conditions have to hold of both.
    """

    person: _Numbers
    cell: _Numbers
    values: Mapping[str, Codes]
    rows: Counts
    households: bool = False

    @property
    def unit(self) -> str:
        """Who is counted, in a word."""
        return "households" if self.households else "people"

    @property
    def n_people(self) -> int:
        """Number of people."""
        return len(np.unique(self.person))

    @cached_property
    def home(self) -> Flags:
        """The one entry of each person that counts: where most of their rows are.

        It does not depend on the order of the entries, so every engine finds the same.
        """
        starts, pair_of = _runs(np.lexsort((self.cell, self.person)), self.person, self.cell)
        in_cell = np.bincount(pair_of, weights=self.rows, minlength=len(starts))[pair_of]
        keys: list[NDArray[Any]] = [*self.values.values(), self.cell, -in_cell, self.person]
        order = np.lexsort(keys)
        homes = np.zeros(len(self.person), np.bool_)
        homes[_runs(order, self.person)[0]] = True
        return homes

    def is_spread(self, group_of: _Numbers) -> bool:
        """Whether the released rows of some person stand in more than one group."""
        group = group_of[self.cell]
        kept = np.flatnonzero(group >= 0)
        order = kept[np.lexsort((group[kept], self.person[kept]))]
        same = self.person[order][1:] == self.person[order][:-1]
        return bool((same & (group[order][1:] != group[order][:-1])).any())

    def count(
        self, groups: FrequencyTable, group_of: _Numbers, columns: Sequence[str], *, together: bool
    ) -> Iterator[FrequencyTable]:
        """Exact counts of people in groups of cells, once for every question about a value.

        The first table counts each person of a group by the first, in their order, of the values
        that they have in it.  Where somebody has several of one of the `columns` in a group,
        further tables follow: asked about a value, everybody who has it in any row counts for it.
        A condition has to hold in all.

        Parameters
        ----------
        groups : FrequencyTable
            The groups, counted in any way.
        group_of : ndarray of int64
            Group of each cell, -1 where it is suppressed.
        columns : sequence of str
            Counted columns to ask about.
        together : bool
            Whether groups are compared with the whole, so that all are asked the same question;
            otherwise each is asked about its own values in turn, in fewer tables.
        """
        group = group_of[self.cell]
        kept = np.flatnonzero(group >= 0)
        order = kept[np.lexsort((self.person[kept], group[kept]))]
        first, member_of = _runs(order, group, self.person)
        member_group = group[first]
        sizes = np.bincount(member_group, minlength=groups.n_groups).astype(np.int64)
        starts = np.flatnonzero(np.diff(member_of[order], prepend=-1))
        shown = {
            name: np.minimum.reduceat(codes[order], starts) if len(starts) else codes[:0]
            for name, codes in self.values.items()
        }
        counted = _counted(groups, sizes, member_group, shown)
        yield counted
        for name in columns:
            questions = _questions(
                member_of[order], group[order], self.values[name][order], together=together
            )
            for member, code in questions:
                asked = shown[name].copy()
                asked[member] = code
                yield _counted(counted, sizes, member_group, {name: asked})
        if self.households:
            row_group = np.repeat(group[kept], self.rows[kept])
            sizes = np.bincount(row_group, minlength=groups.n_groups).astype(np.int64)
            each = {
                name: np.repeat(codes[kept], self.rows[kept]) for name, codes in self.values.items()
            }
            yield _counted(groups, sizes, row_group, each)


def require_named(subject: str, n_unnamed: int) -> None:
    """Raise when rows say nothing about whose they are."""
    if n_unnamed:
        raise TableError(
            f"column {subject!r} names the person behind each row, and is missing in {n_unnamed} "
            "rows. Fill it in, or leave those rows out."
        )


def count_people(
    cells: FrequencyTable,
    cell: _Numbers,
    person: NDArray[Any],
    counted: Mapping[str, tuple[Coding, Codes]],
    rows: Counts | None = None,
    *,
    households: bool = False,
) -> tuple[FrequencyTable, People]:
    """Count home rows instead of rows, in cells that were counted row by row.

    Parameters
    ----------
    cells : FrequencyTable
        Cells whose sizes count rows.
    cell, person : ndarray of int64
        Cell and person of each entry.
    counted : mapping of str to (Coding, ndarray of int32)
        Code of each entry in the sensitive columns and the target.
    rows : ndarray of int64, optional
        Rows that each entry stands for; one when not given.
    households : bool
        Whether households are named, not people.
    """
    rows = np.ones(len(person), np.int64) if rows is None else rows
    values = {name: codes for name, (_, codes) in counted.items()}
    people = People(np.asarray(person, np.int64), cell, values, rows, households)
    homes = people.home
    sizes = np.bincount(cell[homes], minlength=cells.n_groups).astype(np.int64)
    at_home = {name: codes[homes] for name, codes in values.items()}
    weighed = _counted(cells, sizes, cell[homes], at_home)
    return replace(weighed, rows=cells.sizes), people


def _runs(order: NDArray[np.intp], *keys: _Numbers) -> tuple[NDArray[np.intp], _Numbers]:
    """First entry of each run of equal keys in an order, and the run of every entry."""
    fresh = np.ones(len(order), np.bool_)
    if len(order):
        fresh[1:] = np.logical_or.reduce([key[order][1:] != key[order][:-1] for key in keys])
    run_of = np.full(max((len(key) for key in keys), default=0), -1, np.int64)
    run_of[order] = np.cumsum(fresh) - 1
    return order[fresh], run_of


def _questions(
    member: _Numbers, group: _Numbers, code: Codes, *, together: bool
) -> Iterator[tuple[_Numbers, Codes]]:
    """Members who have a value, and the value, for every value that is one of several."""
    held = np.unique(np.column_stack([member, code]), axis=0)
    several = np.bincount(held[:, 0])[held[:, 0]] > 1
    group_of = np.zeros(int(member.max(initial=-1)) + 1, np.int64)
    group_of[member] = group
    held_group = group_of[held[:, 0]]
    scope = np.zeros_like(held_group) if together else held_group
    asked, pair_of = np.unique(np.column_stack([scope, held[:, 1]]), axis=0, return_inverse=True)
    worth = np.bincount(pair_of.ravel(), weights=several, minlength=len(asked)) > 0
    asked_scope = asked[:, 0][worth]
    turn = np.full(len(asked), -1, np.int64)
    # scopes come sorted: a value's turn is its place within its scope
    turn[worth] = np.arange(len(asked_scope)) - np.searchsorted(asked_scope, asked_scope)
    turn_of = turn[pair_of.ravel()]
    for number in range(int(turn.max(initial=-1)) + 1):
        now = turn_of == number
        yield held[now, 0], held[now, 1].astype(np.int32)


def _counted(
    groups: FrequencyTable, sizes: Counts, group: _Numbers, shown: Mapping[str, Codes]
) -> FrequencyTable:
    histograms = {
        name: _histogram(groups.histograms[name].coding, codes, group, groups.n_groups)
        for name, codes in shown.items()
    }
    return replace(groups, sizes=sizes, histograms={**groups.histograms, **histograms})


def _histogram(coding: Coding, codes: Codes, group: _Numbers, n_groups: int) -> Histogram:
    pairs, counts = np.unique(group * coding.n_codes + codes, return_counts=True)
    start = np.searchsorted(pairs // coding.n_codes, np.arange(n_groups + 1)).astype(np.int64)
    return Histogram(
        coding, start, (pairs % coding.n_codes).astype(np.int32), counts.astype(np.int64)
    )
