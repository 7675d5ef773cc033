"""Which released groups fit a person, by what is publicly known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.frames._frame import Frame
from shoal.schema import Schema
from shoal.tables._frequency import group_keys
from shoal.tables._label_cover import covers
from shoal.typing import Codes, Counts, Flags, Floats

BLOCK = 1 << 26  # pairs of a kind of people and a group looked at together


@dataclass(frozen=True, eq=False)
class Candidates:
    """Pairs (person, group) that fit, and what the groups hold.

    Parameters
    ----------
    n_people : int
        Identities.
    person, group : ndarray
        The pairs, by person.
    sizes : ndarray of int64
        Rows of each group, or people where those are counted.
    counts : ndarray of shape (n_groups, n_values)
        Rows with each private value; zeros where nothing is said.
    """

    n_people: int
    person: NDArray[np.intp]
    group: NDArray[np.intp]
    sizes: Counts
    counts: Floats

    @classmethod
    def of_spans(cls, span_of_row: NDArray[np.int64], sizes: Counts, counts: Floats) -> Candidates:
        """Everybody fits one span."""
        return cls(len(span_of_row), np.arange(len(span_of_row)), span_of_row, sizes, counts)

    @cached_property
    def n_groups(self) -> Counts:
        """Groups that fit each person."""
        return np.bincount(self.person, minlength=self.n_people).astype(np.int64)

    @cached_property
    def hides_among(self) -> Counts:
        """Rows, or people, of all groups that fit each person."""
        rows = np.bincount(self.person, self.sizes[self.group], minlength=self.n_people)
        return rows.astype(np.int64)

    def by_person(self, person: NDArray[np.integer[Any]]) -> Candidates:
        """Rows of one person made one: who has rows in several groups fits all of them.

        A group counts no more people than fit it, and no more than it has rows.
        """
        pairs = np.unique(np.column_stack([person[self.person], self.group]), axis=0)
        fitting = np.bincount(pairs[:, 1], minlength=len(self.sizes))
        sizes = np.minimum(self.sizes, fitting).astype(np.int64)
        n_people = int(person.max(initial=-1)) + 1
        return Candidates(n_people, pairs[:, 0], pairs[:, 1], sizes, self.counts)

    def without(self, known: Sequence[int], truth: Codes) -> Candidates:
        """Take out people whose value is known, where there is no doubt about their group."""
        counts = self.counts.copy()
        for row in known:
            if self.n_groups[row] == 1:
                group = int(self.groups_of(row)[0])
                counts[group, truth[row]] = max(0.0, counts[group, truth[row]] - 1)
        return replace(self, counts=counts)

    def groups_of(self, row: int) -> NDArray[np.intp]:
        """Groups that fit one person."""
        return self.group[self.person == row]


def find_candidates(
    released: Frame,
    people: Frame,
    public: list[str],
    schema: Schema,
    private: Codes,
    n_values: int,
) -> Candidates:
    """Match people to the groups of a released table by all public columns."""
    coded = [released.factorize(name) for name in public]
    group_of_row, n_groups = group_keys(np.column_stack([codes + 1 for codes, _ in coded]))
    first = np.zeros(n_groups, np.intp)
    first[group_of_row[::-1]] = np.arange(released.n_rows)[::-1]
    counts = np.zeros((n_groups, n_values))
    np.add.at(counts, (group_of_row, private), 1.0)
    own = [people.factorize(name) for name in public]
    kind, n_kinds = group_keys(np.column_stack([codes + 1 for codes, _ in own]))
    example = np.zeros(n_kinds, np.intp)
    example[kind[::-1]] = np.arange(people.n_rows)[::-1]
    tables = [
        covers(name, [*values, None], [*raw_values, None], schema)
        for name, (_, values), (_, raw_values) in zip(public, coded, own, strict=True)
    ]
    asked = [raw[example] for raw, _ in own]
    written = [codes[first] for codes, _ in coded]
    at_kind, at_group = _fitting(tables, asked, written, n_kinds, n_groups)
    start = np.searchsorted(at_kind, np.arange(n_kinds + 1))
    width = np.diff(start)[kind]
    person = np.repeat(np.arange(people.n_rows), width)
    offset = np.arange(len(person)) - np.repeat(np.cumsum(width) - width, width)
    group = at_group[np.repeat(start[:-1][kind], width) + offset]
    sizes = np.bincount(group_of_row, minlength=n_groups).astype(np.int64)
    return Candidates(people.n_rows, person, group, sizes, counts)


def _fitting(
    tables: list[Flags], asked: list[Codes], written: list[Codes], n_kinds: int, n_groups: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Pairs (kind, group) that fit in every column, block by block: they may be many."""
    block = max(1, BLOCK // max(1, n_groups))
    kinds, groups = [], []
    for start in range(0, n_kinds, block):
        fits = np.ones((min(block, n_kinds - start), n_groups), np.bool_)
        for table, raw, codes in zip(tables, asked, written, strict=True):
            fits &= table[raw[start : start + block]][:, codes]
        kind, group = np.nonzero(fits)
        kinds.append(kind + start)
        groups.append(group)
    return np.concatenate(kinds), np.concatenate(groups)
