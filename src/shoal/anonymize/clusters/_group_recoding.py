"""Rows recoded by the group they are in: the same value may be released differently."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal._plain import pack, unpack_numbers
from shoal.anonymize._recoding import UNSEEN, Recoding, Unseen, match_cells, refuse_unseen
from shoal.anonymize.clusters._group_loss import is_range_column
from shoal.errors import InfeasibleError
from shoal.metrics._measure import label_loss
from shoal.privacy import PrivacyModel
from shoal.privacy.compiled._compile import allowed_groups
from shoal.privacy.compiled._condition_kernels import CompiledModel
from shoal.schema._coding import Coding
from shoal.tables import FrequencyTable
from shoal.tables._count_kernels import match_words
from shoal.tables._frequency import group_keys, pack_codes
from shoal.tables._recoded import (
    SUPPRESSED,
    Labels,
    Recoded,
    node_labels,
    public_range_labels,
    range_labels,
)
from shoal.typing import Codes, Flags, Floats

_NOT_FITTED = -2  # group of a combination that the fit did not see; -1 is suppressed


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
        Codes that the label of each group was made for: its least and largest, or those of one of
        the groups that were joined since their labels are equal.
    keys : ndarray of int32, shape (n_cells, n_quasi_identifiers)
        The fitted cells.
    group_of : ndarray of int64
        Their groups; -1 for cells whose rows are suppressed.
    labels : tuple of Labels
        What each column may be released as; made of the fields above by :func:`label_groups`.
    codes : ndarray of int32, shape (n_groups + 1, n_quasi_identifiers)
        Label of each group in each column, distinct, with a last row that is `*` everywhere.
    exact : bool
        Whether ranges end at values of the rows instead of public lines.

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
    labels: tuple[Labels, ...]
    codes: Codes
    exact: bool = False

    @cached_property
    def loss(self) -> Floats:
        """Loss of a row of each group (and of the last, which covers all), summed over columns."""
        parts = [
            label_loss(labels)[codes]
            for labels, codes in zip(self.labels, self.codes.T, strict=True)
        ]
        return np.sum(parts, axis=0, dtype=np.float64)

    def recode(self, cells: FrequencyTable, unseen: Unseen = "root") -> Recoded:
        """Release each cell with the label of its group."""
        if cells.keys is not self.keys:
            return self._recode_new(cells, unseen)
        # the fitted cells themselves: nothing has to be looked up; groups as their first cells come
        kept = self.group_of >= 0
        _, first = np.unique(self.group_of[kept], return_index=True)
        order = np.argsort(first)
        number = np.empty_like(order)
        number[order] = np.arange(len(order))
        group_of = np.where(kept, number[self.group_of], SUPPRESSED)
        return Recoded(cells, self.labels, self.codes[:-1][order], group_of)

    def _recode_new(self, cells: FrequencyTable, unseen: Unseen) -> Recoded:
        """The same for cells of any table."""
        maps, columns = match_cells(self, cells)
        refuse_unseen(maps, self.codings, unseen)
        codes = np.column_stack(columns).astype(np.int32).reshape(cells.n_groups, -1)
        group = self._fitted_groups(codes)
        new = np.flatnonzero(group == _NOT_FITTED)
        if len(new):
            group[new] = self._covering_groups(cells, codes, new)
            nowhere = group == _NOT_FITTED
            group[nowhere] = SUPPRESSED if unseen == "suppress" else len(self.low)
        return Recoded.from_cells(
            cells, self.labels, self.codes[group], suppressed=group == SUPPRESSED
        )

    def _fitted_groups(self, codes: Codes) -> NDArray[np.int64]:
        """Group of each combination, -1 when it is suppressed, -2 when it was not fitted."""
        if not len(self.keys):
            return np.full(len(codes), _NOT_FITTED, np.int64)
        sizes = np.array([coding.n_codes + 1 for coding in self.codings])
        fitted = pack_codes(self.keys + 1, sizes)  # 0 is a value never seen
        match = match_words(fitted, pack_codes(codes + 1, sizes))
        return np.where(match >= 0, self.group_of[match], _NOT_FITTED)

    def _covering_groups(
        self, cells: FrequencyTable, codes: Codes, new: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """The group with the least loss whose label covers each new combination.

        Codes are doubled, so that a number between two fitted ones has a code of its own.
        """
        wanted = np.empty((len(new), len(self.codings)), np.int64)
        low = np.empty((len(self.low), len(self.codings)), np.int64)
        high = np.empty_like(low)
        for column, (coding, labels) in enumerate(zip(self.codings, self.labels, strict=True)):
            label = self.codes[:-1, column]
            low[:, column], high[:, column] = 2 * labels.low[label], 2 * labels.high[label]
            root = (labels.low[label] == 0) & (labels.high[label] == coding.n_codes - 1)
            high[root, column] = 2 * coding.n_codes
            wanted[:, column] = 2 * codes[new, column]
            strange = codes[new, column] == UNSEEN
            wanted[strange, column] = 2 * coding.n_codes  # under the root alone
            if strange.any() and is_range_column(coding) and coding.kind in ("numeric", "date"):
                numbers = cells.codings[column].numbers[cells.keys[new[strange], column]]
                wanted[strange, column] = _between(coding, numbers)
        order = np.argsort(self.loss[:-1], kind="stable")
        cover = first_cover(wanted, low[order], high[order])
        return np.where(cover >= 0, order[cover] if len(order) else 0, _NOT_FITTED)

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: never the fitted cells, nor labels, which follow from the rest."""
        return {
            "codings": self.codings,
            "is_range": self.is_range,
            "low": self.low,
            "high": self.high,
            "exact": self.exact,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in vars(_without_cells(**state)).items():
            object.__setattr__(self, name, value)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; the fitted cells are left out."""
        return {
            "codings": [pack(coding) for coding in self.codings],
            "is_range": self.is_range.tolist(),
            "low": pack(self.low),
            "high": pack(self.high),
            "exact": self.exact,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> GroupRecoding:
        """Inverse of :meth:`to_dict`."""
        codings = tuple(Coding.from_dict(coding) for coding in data["codings"])
        return _without_cells(
            codings,
            np.array(data["is_range"], np.bool_),
            unpack_numbers(data["low"], np.int32).reshape(-1, len(codings)),
            unpack_numbers(data["high"], np.int32).reshape(-1, len(codings)),
            bool(data.get("exact", True)),  # before there were lines, ranges were exact
        )


def make_group_recoding(
    keys: Codes,
    codings: tuple[Coding, ...],
    is_range: Flags,
    group_of: NDArray[np.int64],
    *,
    exact: bool = False,
) -> GroupRecoding:
    """The recoding of a grouping of cells; groups with equal labels become one."""
    kept = group_of >= 0
    low, high = least_and_largest(group_of[kept], keys[kept], keys[kept])
    labels, codes = label_groups(codings, is_range, low, high, exact)
    joined, n_joined = group_keys(codes[:-1])
    distinct = np.empty((n_joined + 1, len(codings)), np.int32)
    distinct[joined], distinct[-1] = codes[:-1], codes[-1]
    # codes of one of the groups that are joined: those of all might end on other lines
    _, first = np.unique(joined, return_index=True)
    joined_of = np.where(kept, joined[group_of], SUPPRESSED)
    return GroupRecoding(
        codings, is_range, low[first], high[first], keys, joined_of, labels, distinct, exact
    )


def _without_cells(
    codings: tuple[Coding, ...], is_range: Flags, low: Codes, high: Codes, exact: bool
) -> GroupRecoding:
    """A recoding that was saved: groups, but not the cells they were made of."""
    labels, codes = label_groups(codings, is_range, low, high, exact)
    nobody = np.empty((0, len(codings)), np.int32)
    nowhere = np.empty(0, np.int64)
    return GroupRecoding(codings, is_range, low, high, nobody, nowhere, labels, codes, exact)


def least_and_largest(group_of: NDArray[np.int64], low: Codes, high: Codes) -> tuple[Codes, Codes]:
    """Least `low` and largest `high` of each group, column by column."""
    n_groups = int(group_of.max(initial=-1)) + 1
    least = np.full((n_groups, low.shape[1]), np.iinfo(np.int32).max, np.int32)
    most = np.full_like(least, -1)
    np.minimum.at(least, group_of, low)
    np.maximum.at(most, group_of, high)
    return least, most


def label_groups(
    codings: Sequence[Coding], is_range: Flags, low: Codes, high: Codes, exact: bool
) -> tuple[tuple[Labels, ...], Codes]:
    """Labels of each column, and each group's label in each, with a last row of `*`."""
    labels, codes = [], []
    for coding, ranges, first, last in zip(codings, is_range, low.T, high.T, strict=True):
        if not ranges:
            tree = coding.hierarchy
            assert tree is not None
            labels.append(node_labels(coding))
            codes.append(np.append(tree.lowest_common_ancestor(first, last), tree.root))
            continue
        if coding.missing >= 0:  # a range cannot say that a value may be missing
            first = np.where((last == coding.missing) & (first < last), 0, first)
        ends = np.column_stack([np.append(first, 0), np.append(last, coding.n_codes - 1)])
        number, n_labels = group_keys(ends.astype(np.int32))
        distinct = np.zeros((n_labels, 2), np.int32)
        distinct[number] = ends
        if exact:
            own = range_labels(coding, distinct[:, 0], distinct[:, 1])
            if coding.n_codes > 1:  # everything is written as the root is elsewhere
                texts = list(own.texts)
                texts[number[-1]] = "*"
                own = replace(own, texts=tuple(texts))
        else:
            whole = (distinct == (0, coding.n_codes - 1)).all(axis=1) & (coding.n_codes > 1)
            own, label = public_range_labels(
                coding, distinct[:, 0], distinct[:, 1], whole, all_is_star=True
            )
            number = label[number]
        labels.append(own)
        codes.append(number)
    return tuple(labels), np.column_stack(codes).astype(np.int32)


def check_groups(recoding: GroupRecoding, compiled: CompiledModel, privacy: PrivacyModel) -> None:
    """Raise when groups are not allowed, which only models without monotonicity can bring about.

    `compiled` is `privacy` compiled for the cells that the recoding keeps.
    """
    fine = allowed_groups(compiled, recoding.group_of, len(recoding.low))
    if not fine.all():
        refused = (recoding.group_of >= 0) & ~fine[recoding.group_of]
        rows = int(compiled.sizes[refused].sum())
        raise InfeasibleError(
            privacy.describe(),
            required=0,
            achieved=rows,
            hint=f"{rows} rows are in groups that are not allowed; relax the model or use "
            "full-domain recoding with suppression.",
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
    keys: NDArray[np.int64], low: NDArray[np.int64], high: NDArray[np.int64]
) -> NDArray[np.int64]:
    """First row of `low` and `high` between which each row of `keys` lies; -1 without one."""
    n, d = keys.shape
    cover = np.full(n, -1, np.int64)
    for i in range(n):
        for group in range(low.shape[0]):
            j = 0
            while j < d and low[group, j] <= keys[i, j] and keys[i, j] <= high[group, j]:
                j += 1
            if j == d:
                cover[i] = group
                break
    return cover
