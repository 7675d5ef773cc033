"""Groups of rows that look alike, counted: all that a solver ever sees of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import TableError
from shoal.schema import Column
from shoal.schema._coding import Coding, make_coding
from shoal.schema._text import texts
from shoal.tables._count_kernels import merge_entries, pack_groups
from shoal.tables.forms._coarse import coarse_values
from shoal.typing import Codes, Counts, Floats

_ENTRIES_TO_A_CELL = 4
"""With fewer, sorting entries is quicker than visiting the members of each cell."""


@dataclass(frozen=True)
class CodingOptions:
    """How columns are coded.

    Parameters
    ----------
    missing_to_root : bool
        Put values that a hierarchy lacks straight under its root instead of raising.
    build_hierarchies : bool
        Build a hierarchy from the values for quasi-identifiers that have none.
    use_hierarchies : bool
        False leaves hierarchies out: new rows are matched by their texts instead.
    """

    missing_to_root: bool = False
    build_hierarchies: bool = False
    use_hierarchies: bool = True


@dataclass(frozen=True, eq=False)
class Histogram:
    """How many rows of each group have each value of one column, stored sparsely.

    Group g owns the entries ``start[g]`` to ``start[g + 1]``; within a group codes rise.
    """

    coding: Coding
    start: NDArray[np.int64]
    codes: Codes
    counts: Counts

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.start) - 1

    @cached_property
    def group_of_entry(self) -> NDArray[np.int64]:
        """Group that each entry belongs to."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    @cached_property
    def totals(self) -> Counts:
        """Rows with each value, over all groups."""
        return np.bincount(self.codes, weights=self.counts, minlength=self.coding.n_codes).astype(
            np.int64
        )

    def dense(self) -> Counts:
        """Rows of each group (first axis) with each value (second axis)."""
        table = np.zeros((self.n_groups, self.coding.n_codes), np.int64)
        table[self.group_of_entry, self.codes] = self.counts
        return table

    def sums(self, weight: Floats) -> Floats:
        """Sum of a weight per value, weighted by rows, for each group."""
        return np.bincount(
            self.group_of_entry, weights=weight[self.codes] * self.counts, minlength=self.n_groups
        ).astype(np.float64)

    def merge(self, group_of: NDArray[np.int64], n_groups: int) -> Histogram:
        """Histogram of coarser groups; `group_of` names each group's new group, -1 drops it."""
        start, codes, counts = merge_entries(
            self.start, self.codes, self.counts, group_of, n_groups, self.coding.n_codes
        )
        return Histogram(self.coding, start, codes, counts)


@dataclass(frozen=True, eq=False)
class FrequencyTable:
    """Distinct combinations of quasi-identifier values, with how many rows have each.

    Raw combinations are called cells, recoded ones groups; both are rows of such a table.

    Parameters
    ----------
    codings : tuple of Coding
        One per quasi-identifier, in the order of the schema.
    keys : ndarray of int32, shape (n_groups, n_quasi_identifiers)
        Codes of each combination.  In a table of cells they are leaves; in a recoded table they
        are whatever its maker says (nodes of the hierarchies, regions).
    sizes : ndarray of int64
        Rows of each combination.
    histograms : mapping of str to Histogram
        For every sensitive column and for the target: rows with each value.
    rows : ndarray of int64, optional
        Rows of each combination where sizes count people instead.

    Examples
    --------
    >>> import duckdb
    >>> from shoal import Schema
    >>> from shoal.tables import open_table
    >>> people = duckdb.sql("FROM (VALUES ('Ulm'), ('Ulm'), ('Bonn')) AS t(city)")
    >>> cells = open_table(people).compress(Schema({"city": {"role": "quasi-identifier"}})).cells
    >>> cells
    FrequencyTable(2 groups, 3 rows, ['city'])
    >>> cells.sizes
    array([1, 2])
    """

    codings: tuple[Coding, ...]
    keys: Codes
    sizes: Counts
    histograms: Mapping[str, Histogram] = field(default_factory=dict)
    rows: Counts | None = None
    #: Rows of each combination, whatever sizes count.
    row_counts: Counts = field(init=False, repr=False)
    #: Number of combinations.
    n_groups: int = field(init=False)
    #: Number of rows behind them, or of people where those are counted.
    n_rows: int = field(init=False)
    #: Names of the quasi-identifiers.
    names: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        names = tuple(coding.name for coding in self.codings)
        counts = self.sizes if self.rows is None else self.rows
        known = {"n_groups": len(self.sizes), "n_rows": int(self.sizes.sum())}
        vars(self).update(known, names=names, row_counts=counts)

    def merge(
        self, group_of: NDArray[np.int64], n_groups: int, keys: Codes | None = None
    ) -> FrequencyTable:
        """Join combinations into `n_groups` groups; `group_of` names each one's group, -1 drops it.

        Without `keys` a group takes the key of its first member.
        """
        kept = group_of >= 0
        sizes = np.bincount(group_of[kept], weights=self.sizes[kept], minlength=n_groups).astype(
            np.int64
        )
        if keys is None:
            keys = np.zeros((n_groups, self.keys.shape[1]), np.int32)
            backwards = np.flatnonzero(kept)[::-1]
            keys[group_of[backwards]] = self.keys[backwards]
        histograms = {
            name: histogram.merge(group_of, n_groups) for name, histogram in self.histograms.items()
        }
        rows = self.rows
        if rows is not None:
            rows = np.bincount(group_of[kept], weights=rows[kept], minlength=n_groups)
            rows = rows.astype(np.int64)
        return FrequencyTable(self.codings, keys, sizes, histograms, rows)

    def regroup(self, keys: Codes) -> tuple[FrequencyTable, NDArray[np.int64]]:
        """Exchange the keys and join combinations that became equal.

        Returns the coarser table and, for every old combination, its new group.
        """
        group_of, n_groups = group_keys(keys)
        return replace(self, keys=keys).merge(group_of, n_groups), group_of

    def __repr__(self) -> str:
        return f"FrequencyTable({self.n_groups} groups, {self.n_rows} rows, {list(self.names)})"


def code_values(
    name: str, column: Column, values: Sequence[Any], *, has_missing: bool, options: CodingOptions
) -> tuple[Coding, Codes]:
    """Coding of a column, and the code of each of `values` with the missing value's behind them."""
    if column.is_coarse:
        values = coarse_values(column, values)
    known = texts(values)
    if any("\0" in t for t in known if t is not None):
        # arrays of texts drop it at the end, pandas reads no further, and no CSV file has it
        raise TableError(
            f"column {name!r} holds texts with the character U+0000, in which libraries differ. "
            "Remove it from the table first."
        )
    has_missing = has_missing or None in known
    distinct = {t: value for t, value in zip(known, values, strict=True) if t is not None}
    if not options.use_hierarchies:
        column = replace(column, hierarchy=None, limit=(), limit_level=None)
    coding = make_coding(
        name,
        column,
        list(distinct.values()),
        has_missing=has_missing,
        missing_to_root=options.missing_to_root,
        build_hierarchy=options.build_hierarchies and column.role == "quasi-identifier",
        known=list(distinct),
    )
    codes = map(coding.code_of.__getitem__, known)
    return coding, np.array([*codes, coding.missing], np.int32)


def assemble(
    codings: Sequence[Coding],
    keys: Codes,
    counted: Mapping[str, tuple[Coding, Codes]],
    counts: Counts | None = None,
) -> tuple[FrequencyTable, NDArray[np.int64]]:
    """Count rows by key; `counts` says for how many rows each one stands.

    Returns the cells, sorted so that they do not depend on the order of the rows, and the cell
    of each row.
    """
    room = np.array([coding.n_codes for coding in codings], np.int32)
    if counts is not None and keys.size:  # keys are about distinct, so sorting finds the cells, too
        words = pack_codes(keys, room)
        order = np.argsort(words[0]) if len(words) == 1 else np.lexsort(words)
        ordered = words[:, order]
        begins = np.append(True, (ordered[:, 1:] != ordered[:, :-1]).any(axis=0))
        first, cell_of = order[begins], np.empty(len(keys), np.int64)
        cell_of[order] = np.cumsum(begins) - 1
    else:  # hashing pays where many rows share a cell
        group_of, n_cells = group_keys(keys)
        first, rank = np.zeros(n_cells, np.int64), np.empty(n_cells, np.int64)
        first[group_of[::-1]] = np.arange(len(keys))[::-1]
        order = np.lexsort(pack_codes(keys[first].reshape(n_cells, keys.shape[1]), room))
        rank[order] = np.arange(n_cells)
        first, cell_of = first[order], rank[group_of]
    n_cells = len(first)
    ones = np.ones(len(keys), np.int64) if counts is None else counts
    sizes_of = np.bincount(cell_of, weights=ones, minlength=n_cells).astype(np.int64)
    histograms = {
        name: _histogram(coding, codes, ones, cell_of, n_cells)
        for name, (coding, codes) in counted.items()
    }
    return FrequencyTable(tuple(codings), keys[first], sizes_of, histograms), cell_of


def _histogram(
    coding: Coding, codes: Codes, counts: Counts, cell_of: NDArray[np.int64], n_cells: int
) -> Histogram:
    if 0 < len(codes) == n_cells:  # cells are rows, so nothing has to be added up
        own, rows = np.empty(n_cells, np.int32), np.empty(n_cells, np.int64)
        own[cell_of], rows[cell_of] = codes, counts
        return Histogram(coding, np.arange(n_cells + 1), own, rows)
    if not 0 < len(codes) < _ENTRIES_TO_A_CELL * n_cells:
        start = np.arange(len(codes) + 1, dtype=np.int64)
        merged = merge_entries(start, codes, counts, cell_of, n_cells, coding.n_codes)
        return Histogram(coding, *merged)
    packed = cell_of * coding.n_codes + codes
    order = np.argsort(packed)
    packed = packed[order]
    begins = np.flatnonzero(np.append(True, packed[1:] != packed[:-1]))
    cell, code = np.divmod(packed[begins], coding.n_codes)
    start = np.searchsorted(cell, np.arange(n_cells + 1))
    rows = np.add.reduceat(counts[order], begins)
    return Histogram(coding, start, code.astype(np.int32), rows)


def group_keys(keys: Codes) -> tuple[NDArray[np.int64], int]:
    """Number equal rows of `keys` alike: 0, 1, ... in order of first appearance."""
    if keys.shape[1] == 0:
        return np.zeros(len(keys), np.int64), int(len(keys) > 0)
    words = pack_codes(keys)
    return pack_groups(words)


def pack_codes(keys: Codes, sizes: Codes | None = None) -> NDArray[np.uint64]:
    """Mixed-radix words, as few 64-bit ones as the columns need; shape (n_words, n_rows).

    `sizes` is the number of codes of each column (found from the keys when not given); equal
    rows have equal words, and rows sort by their words as by their columns from the last.
    """
    if sizes is None:
        sizes = np.array([int(column.max(initial=0)) + 1 for column in keys.T])
    words: list[NDArray[np.uint64]] = []
    room = 0
    for column, size in zip(keys.T, sizes, strict=True):
        size = max(int(size), 1)
        if not words or room * size > 2**63:
            words.append(np.zeros(len(keys), np.uint64))
            room = 1
        words[-1] += column.astype(np.uint64) * np.uint64(room)
        room *= size
    return np.array(words, np.uint64).reshape(len(words), len(keys))
