"""Training rows as codes: what the kernels read while a tree grows, and nothing keeps after."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.errors import HierarchyError
from shoal.models._input import Input
from shoal.models.tree._attributes import Attribute
from shoal.models.tree.growth._kernel_types import OTHERS, Target, TreeColumns
from shoal.schema._coding import Coding
from shoal.typing import Codes, Counts, Floats


@dataclass(frozen=True)
class Coded:
    """One column as codes; a missing value has the last code.

    Parameters
    ----------
    codes : ndarray of int32
        Code of each row.
    n_codes : int
        Number of codes.
    missing : int
        Code of a missing value, -1 without one.
    values : ndarray of float
        Rising values behind the codes of an ordered column.
    maps : list of ndarray
        Level by level, the group of each code of a categorical column.
    labels : list of list
        Level by level, the label of each group; None for missing values.
    """

    codes: Codes
    n_codes: int
    missing: int
    values: Floats
    maps: list[Codes]
    labels: list[list[str | None]]


@dataclass(frozen=True)
class Training:
    """The training table as arrays, and the labels behind the groups."""

    columns: TreeColumns
    labels: list[list[list[str | None]]]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.columns.codes.shape[1]

    def known_values(self, column: int) -> Floats:
        """Rising values that some row has in an ordered column."""
        first, n_codes = int(self.columns.value_first[column]), int(self.columns.n_codes[column])
        n_values = n_codes - (int(self.columns.missing[column]) >= 0)
        values: Floats = self.columns.values[first : first + n_values]
        return values


def code_training(
    table: Input, attributes: list[Attribute], places: list[int]
) -> tuple[Training, list[Coded]]:
    """Code the columns that a tree may use; `places` says where they are in the table."""
    coded = [
        _code_ordered(attribute, table, place)
        if attribute.ordered
        else _code_groups(attribute, table, place)
        for attribute, place in zip(attributes, places, strict=True)
    ]
    return Training(_columns(attributes, coded, table.n_rows), [one.labels for one in coded]), coded


def _columns(attributes: list[Attribute], coded: list[Coded], n_rows: int) -> TreeColumns:
    n = len(coded)
    n_levels = np.array([max(len(one.maps), 1) for one in coded], np.int64)
    n_groups = np.zeros((n, int(n_levels.max(initial=1)) + 1), np.int64)
    for index, one in enumerate(coded):
        n_groups[index, : len(one.labels)] = [len(labels) for labels in one.labels]
        n_groups[index, n_levels[index]] = OTHERS + 1
    # behind the levels of a hierarchy there is room for the two sets of a split
    maps = [
        np.concatenate([*one.maps, np.full(one.n_codes if one.maps else 0, OTHERS, np.int32)])
        for one in coded
    ]
    codes = np.empty((n, n_rows), np.int32)
    for index, one in enumerate(coded):
        codes[index] = one.codes
    return TreeColumns(
        codes=codes,
        ordered=np.array([attribute.ordered for attribute in attributes], np.bool_),
        public=np.array([attribute.public for attribute in attributes], np.bool_),
        n_codes=np.array([one.n_codes for one in coded], np.int64),
        missing=np.array([one.missing for one in coded], np.int32),
        n_levels=n_levels,
        map_first=_firsts([len(one) for one in maps]),
        group=np.concatenate([np.empty(0, np.int32), *maps]).astype(np.int32),
        n_groups=n_groups,
        value_first=_firsts([len(one.values) for one in coded]),
        values=np.concatenate([np.empty(0), *(one.values for one in coded)]),
    )


def _firsts(lengths: list[int]) -> Counts:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])[:-1].astype(np.int64)


def _code_ordered(attribute: Attribute, table: Input, place: int) -> Coded:
    numbers = attribute.places(table, place)
    values, codes = rank_values(numbers)
    missing = -1
    if (codes < 0).any():
        missing = len(values)
        codes[codes < 0] = missing
    return Coded(codes, len(values) + (missing >= 0), missing, values, [], [])


def rank_values(numbers: Floats) -> tuple[Floats, Codes]:
    """Distinct values, rising, and the rank of each number; -1 for NaN."""
    known = ~np.isnan(numbers)
    present = numbers if known.all() else numbers[known]
    codes = np.full(len(numbers), -1, np.int32)
    if not len(present):
        return np.empty(0), codes
    low, high = present.min(), present.max()
    if high - low <= 4 * len(numbers) + 1024 and (present == np.floor(present)).all():
        # whole numbers in a short range: no sorting
        offset = (present - low).astype(np.int64)
        seen = np.bincount(offset) > 0
        rank = np.cumsum(seen) - 1
        codes[known] = rank[offset]
        return np.flatnonzero(seen) + low, codes
    values, inverse = np.unique(present, return_inverse=True)
    codes[known] = inverse
    return values, codes


def _code_groups(attribute: Attribute, table: Input, place: int) -> Coded:
    factor = table.factor(place)
    paths = attribute.labels(factor.values)
    lost = sorted(
        str(value) for value, labels in zip(factor.values, paths, strict=True) if labels is None
    )
    if lost:
        # values of a private column belong to people, and stay out of messages
        shown = ": " + ", ".join(map(repr, lost)) if attribute.public else ""
        raise HierarchyError(
            f"column {attribute.name!r}: its hierarchy lacks {len(lost)} of the values{shown}. "
            "Add a line for each one."
        )
    known = [labels for labels in paths if labels is not None]
    # coarsest label first: values of a group get neighbouring codes, whatever the order of rows
    distinct = sorted(set(known), key=lambda labels: labels[::-1])
    code_of = {labels: code for code, labels in enumerate(distinct)}
    has_missing = bool((factor.codes < 0).any())
    # a missing value has code -1, which reads the last entry
    recode = np.array([*(code_of[labels] for labels in known), len(distinct)], np.int32)
    n_codes = len(distinct) + has_missing
    maps, labels_of_level = [], []
    for level in range(len(distinct[0]) if distinct else 1):
        labels: list[str | None] = list(dict.fromkeys(own[level] for own in distinct))
        group_of = {label: group for group, label in enumerate(labels)}
        groups = [group_of[own[level]] for own in distinct]
        if has_missing:
            groups.append(len(labels))
            labels.append(None)
        maps.append(np.array(groups, np.int32))
        labels_of_level.append(labels)
    missing = len(distinct) if has_missing else -1
    return Coded(recode[factor.codes], n_codes, missing, np.empty(0), maps, labels_of_level)


def code_target(codes: NDArray[np.intp], n_classes: int, weights: Floats | None) -> Target:
    """Classes and weights for the kernels."""
    n = len(codes)
    if weights is None:
        steps = np.arange(n + 1, dtype=np.float64)
        mass = np.zeros(n + 1)
        mass[1:] = steps[1:] * np.log2(steps[1:])
        return Target(codes.astype(np.int32), n_classes, np.empty(0), mass)
    return Target(codes.astype(np.int32), n_classes, weights, np.empty(0))


def private_coding(attribute: Attribute, coded: Coded) -> Coding:
    """Coding of a private column, for the histograms that privacy models read."""
    if attribute.ordered:
        texts: tuple[str | None, ...] = tuple(f"{value:g}" for value in coded.values)
        numbers = coded.values
        if coded.missing >= 0:
            texts, numbers = (*texts, None), np.append(numbers, np.nan)
        return Coding(attribute.name, attribute.kind, texts, numbers)
    labels = tuple(coded.labels[0])
    return Coding(attribute.name, "categorical", labels, np.full(len(labels), np.nan))
