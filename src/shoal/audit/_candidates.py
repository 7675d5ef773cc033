"""Which released groups fit a person, by what is publicly known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import SchemaError
from shoal.frames import Frame
from shoal.schema import Coding, Schema, band_bounds, make_coding, text
from shoal.tables import STAR, group_keys
from shoal.typing import Codes, Counts, Flags, Floats


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
        Rows of each group.
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
        """Rows of all groups that fit each person."""
        rows = np.bincount(self.person, self.sizes[self.group], minlength=self.n_people)
        return rows.astype(np.int64)

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
    fits = np.ones((n_kinds, n_groups), np.bool_)
    for name, (codes, values), (raw, raw_values) in zip(public, coded, own, strict=True):
        table = covers(name, [*values, None], [*raw_values, None], schema)
        fits &= table[raw[example]][:, codes[first]]
    at_kind, at_group = np.nonzero(fits)
    start = np.searchsorted(at_kind, np.arange(n_kinds + 1))
    width = np.diff(start)[kind]
    person = np.repeat(np.arange(people.n_rows), width)
    offset = np.arange(len(person)) - np.repeat(np.cumsum(width) - width, width)
    group = at_group[np.repeat(start[:-1][kind], width) + offset]
    sizes = np.bincount(group_of_row, minlength=n_groups).astype(np.int64)
    return Candidates(people.n_rows, person, group, sizes, counts)


def covers(name: str, labels: list[Any], values: list[Any], schema: Schema) -> Flags:
    """Which raw values (rows) each released label (columns) stands for.

    A label is a raw value, a star, a band of numbers, a node of the hierarchy, or values joined by
    commas in braces.
    """
    raw = [text(value) for value in values]
    numbers = np.array([_number(value) for value in raw])
    above = _ancestors(name, [value for value in raw if value is not None], schema)
    found = np.zeros((len(raw), len(labels)), np.bool_)
    for place, label in enumerate(text(label) for label in labels):
        if label == STAR:
            found[:, place] = True
            continue
        members = _members(label)
        found[:, place] = [
            value in members or not members.isdisjoint(above.get(value, ())) for value in raw
        ]
        bounds = band_bounds(label)
        if bounds is not None:
            found[:, place] |= (numbers >= bounds[0]) & (numbers <= bounds[1])
    return found


def _members(label: str | None) -> set[str | None]:
    if label is not None and label.startswith("{") and label.endswith("}"):
        return {part.strip() for part in label[1:-1].split(",")}
    return {label}


def _number(value: str | None) -> float:
    try:
        return float(value) if value is not None else np.nan
    except ValueError:
        return np.nan


def _ancestors(name: str, values: list[str], schema: Schema) -> dict[str | None, set[str]]:
    if schema[name].hierarchy is None or not values:
        return {}
    try:
        coding: Coding = make_coding(name, schema[name], values, missing_to_root=True)
    except SchemaError:
        raise SchemaError(
            f"column {name!r}: its hierarchy does not hold the people's values, so that released "
            "labels cannot be matched to them."
        ) from None
    tree = coding.hierarchy
    if tree is None:
        return {}
    return {
        str(tree.labels[leaf]): {str(tree.labels[node]) for node in tree.levels[leaf]}
        for leaf in range(tree.n_leaves)
    }
