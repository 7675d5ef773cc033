"""Rows recoded by the group they are in: the same value may be released differently."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.anonymize._recoding import UNSEEN, Recoding, Unseen, match_cells, refuse_unseen
from shoal.anonymize.clusters._group_loss import is_range_column
from shoal.metrics._labels import label_loss
from shoal.schema._coding import Coding
from shoal.tables import FrequencyTable
from shoal.tables._count_kernels import match_words
from shoal.tables._frequency import group_keys, pack_codes
from shoal.tables._recoded import SUPPRESSED, Labels, Recoded, node_labels, range_labels
from shoal.typing import Codes, Flags, Floats


@dataclass(frozen=True, eq=False)
class GroupRecoding(Recoding):
    """Every cell released with the label of its group.

    Parameters
    ----------
    codings : tuple of Coding
        One per quasi-identifier; those not released as ranges have a hierarchy.
    is_range : ndarray of bool
        Columns released as ranges of values; the others as nodes of their hierarchy.
    low, high : ndarray of int32, shape (n_groups, n_quasi_identifiers)
        Least and largest code of each group.
    keys : ndarray of int32, shape (n_cells, n_quasi_identifiers)
        The fitted cells.
    group_of : ndarray of int64
        Their groups; -1 for cells whose rows are suppressed.

    Notes
    -----
    A combination that was fitted goes to its own group.  Any other goes, among the groups whose
    label covers it, to the one with the least loss; a number that was never seen is covered by the
    ranges around it.  What no group covers is treated as `unseen` says: released as `*` in every
    column, left out, or refused.

    :meth:`to_dict` and pickling leave the fitted cells out, since they are rows of people.  A
    recoding that was saved and loaded therefore treats every combination like a new one.
    """

    kind: ClassVar[str] = "groups"

    codings: tuple[Coding, ...]
    is_range: Flags
    low: Codes
    high: Codes
    keys: Codes
    group_of: NDArray[np.int64]

    @cached_property
    def labels(self) -> tuple[Labels, ...]:
        """What each column may be released as; the last label of a range column is `*`."""
        return tuple(self._labels(at)[0] for at in range(len(self.codings)))

    @cached_property
    def codes(self) -> Codes:
        """Label of each group in each column, with a last row that is `*` everywhere."""
        columns = [self._labels(at)[1] for at in range(len(self.codings))]
        return np.column_stack(columns).astype(np.int32)

    @cached_property
    def loss(self) -> Floats:
        """Loss of a row of each group (and of the last, which covers all), summed over columns."""
        parts = [label_loss(labels)[self.codes[:, at]] for at, labels in enumerate(self.labels)]
        return np.sum(parts, axis=0, dtype=np.float64)

    def recode(self, cells: FrequencyTable, unseen: Unseen = "root") -> Recoded:
        """Release each cell with the label of its group."""
        maps, known = match_cells(self, cells)
        refuse_unseen(maps, self.codings, unseen)
        codes = np.column_stack(known).astype(np.int32).reshape(cells.n_groups, -1)
        group = self._fitted_groups(codes)
        new = np.flatnonzero(group == UNSEEN - 1)
        if len(new):
            group[new] = self._covering_groups(cells, codes, new)
            nowhere = group == UNSEEN - 1
            group[nowhere] = SUPPRESSED if unseen == "suppress" else len(self.low)
        return Recoded.from_cells(
            cells, self.labels, self.codes[group], suppressed=group == SUPPRESSED
        )

    def _fitted_groups(self, codes: Codes) -> NDArray[np.int64]:
        """Group of each cell, -1 when it is suppressed, -2 when it was not fitted."""
        if not len(self.keys):
            return np.full(len(codes), UNSEEN - 1, np.int64)
        sizes = np.array([coding.n_codes + 1 for coding in self.codings])
        fitted = pack_codes(self.keys + 1, sizes)  # 0 is a value never seen
        place = match_words(fitted, pack_codes(codes + 1, sizes))
        return np.where(place >= 0, self.group_of[place], UNSEEN - 1)

    def _covering_groups(
        self, cells: FrequencyTable, codes: Codes, new: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        places = np.empty((len(new), len(self.codings)), np.int64)
        low = np.empty((len(self.low), len(self.codings)), np.int64)
        high = np.empty_like(low)
        for at, (coding, labels) in enumerate(zip(self.codings, self.labels, strict=True)):
            label = self.codes[:-1, at]
            low[:, at], high[:, at] = 2 * labels.low[label], 2 * labels.high[label]
            root = (labels.low[label] == 0) & (labels.high[label] == coding.n_codes - 1)
            high[root, at] = 2 * coding.n_codes
            places[:, at] = 2 * codes[new, at]
            strange = codes[new, at] == UNSEEN
            places[strange, at] = 2 * coding.n_codes  # under the root alone
            if strange.any() and is_range_column(coding) and coding.kind in ("numeric", "date"):
                numbers = cells.codings[at].numbers[cells.keys[new[strange], at]]
                places[strange, at] = _between(coding, numbers)
        order = np.argsort(self.loss[:-1], kind="stable")
        found = first_cover(places, low[order], high[order])
        return np.where(found >= 0, order[found] if len(order) else 0, UNSEEN - 1)

    def _labels(self, at: int) -> tuple[Labels, Codes]:
        coding = self.codings[at]
        low, high = self.low[:, at], self.high[:, at]
        if not self.is_range[at]:
            tree = coding.hierarchy
            assert tree is not None
            nodes = tree.lowest_common_ancestor(low, high)
            return node_labels(coding), np.append(nodes, tree.root)
        if coding.missing >= 0:  # a range cannot say that a value may be missing
            low = np.where((high == coding.missing) & (low < high), 0, low)
        pairs = np.column_stack([np.append(low, 0), np.append(high, coding.n_codes - 1)])
        number, n = group_keys(pairs.astype(np.int32))
        distinct = np.zeros((n, 2), np.int32)
        distinct[number] = pairs
        labels = range_labels(coding, distinct[:, 0], distinct[:, 1])
        if coding.n_codes > 1:  # everything is written as the root is elsewhere
            texts = list(labels.texts)
            texts[number[-1]] = "*"
            labels = replace(labels, texts=tuple(texts))
        return labels, number.astype(np.int32)

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: never the fitted cells."""
        return {**self._groups_only(), "codings": self.codings}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)

    def _groups_only(self) -> dict[str, Any]:
        return {
            "is_range": self.is_range,
            "low": self.low,
            "high": self.high,
            "keys": self.keys[:0],
            "group_of": self.group_of[:0],
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; the fitted cells are left out."""
        return {
            "codings": [coding.to_dict() for coding in self.codings],
            "is_range": self.is_range.tolist(),
            "low": self.low.tolist(),
            "high": self.high.tolist(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> GroupRecoding:
        """Inverse of :meth:`to_dict`."""
        codings = tuple(Coding.from_dict(coding) for coding in data["codings"])
        d = len(codings)
        return cls(
            codings,
            np.array(data["is_range"], np.bool_),
            np.array(data["low"], np.int32).reshape(-1, d),
            np.array(data["high"], np.int32).reshape(-1, d),
            np.empty((0, d), np.int32),
            np.empty(0, np.int64),
        )


def _between(coding: Coding, numbers: Floats) -> NDArray[np.int64]:
    """Twice the code of each number; odd between two codes, under the root alone outside."""
    n_values = coding.n_codes - (coding.missing >= 0)
    fitted = coding.numbers[:n_values]
    after = np.searchsorted(fitted, numbers)
    inside = (after > 0) & (after < n_values)
    return np.where(inside, 2 * after - 1, 2 * coding.n_codes).astype(np.int64)


@kernel
def first_cover(
    places: NDArray[np.int64], low: NDArray[np.int64], high: NDArray[np.int64]
) -> NDArray[np.int64]:
    """First row of `low` and `high` between which each row of `places` lies; -1 without one."""
    n, d = places.shape
    found = np.full(n, -1, np.int64)
    for i in range(n):
        for group in range(low.shape[0]):
            j = 0
            while j < d and low[group, j] <= places[i, j] and places[i, j] <= high[group, j]:
                j += 1
            if j == d:
                found[i] = group
                break
    return found
