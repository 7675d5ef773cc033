"""From coded columns to a frequency table; what every engine does after coding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import SchemaError, TableError
from shoal.schema import Column, Schema
from shoal.schema._coding import Coding, make_coding
from shoal.schema._text import texts
from shoal.tables._count_kernels import merge_entries
from shoal.tables._frequency import FrequencyTable, Histogram, group_keys, pack_codes
from shoal.tables.forms._coarse import coarse_values
from shoal.typing import Codes, Counts


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


def counted_columns(schema: Schema) -> tuple[str, ...]:
    """Columns whose values are counted within each cell: the sensitive ones and the target."""
    names = [name for name in schema if schema[name].role == "sensitive"]
    target = schema.target
    if target is not None and target not in names:
        names.append(target)
    return tuple(names)


def require_quasi_identifiers(schema: Schema) -> tuple[str, ...]:
    """Names of the quasi-identifiers; an error when there are none."""
    names = schema.quasi_identifiers
    if not names:
        raise SchemaError(
            "the schema has no quasi-identifiers, so there is nothing to group rows by. "
            'Give at least one column the role "quasi-identifier".'
        )
    return names


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
    first, cell_of = _sorted_cells(codings, keys, about_distinct=counts is not None)
    n_cells = len(first)
    ones = np.ones(len(keys), np.int64) if counts is None else counts
    sizes_of = np.bincount(cell_of, weights=ones, minlength=n_cells).astype(np.int64)
    histograms = {
        name: _histogram(coding, codes, ones, cell_of, n_cells)
        for name, (coding, codes) in counted.items()
    }
    cells = FrequencyTable(tuple(codings), keys[first], sizes_of, histograms)
    return cells, cell_of


def _sorted_cells(
    codings: Sequence[Coding], keys: Codes, *, about_distinct: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A row of each cell, cells sorted by their keys, and the cell of each row.

    Hashing pays where many rows share a cell; where keys are `about_distinct`, sorting does both.
    """
    room = np.array([coding.n_codes for coding in codings], np.int32)
    if about_distinct and len(keys):
        words = pack_codes(keys, room)
        if len(words) == 1:
            order = np.argsort(words[0])
            ordered = words[0, order]
            begins = np.append(True, ordered[1:] != ordered[:-1])
            cell_of = np.empty(len(keys), np.int64)
            cell_of[order] = np.cumsum(begins) - 1
            return order[begins], cell_of
    group_of, n_cells = group_keys(keys)
    first = np.zeros(n_cells, np.int64)
    first[group_of[::-1]] = np.arange(len(keys))[::-1]
    order = np.lexsort(pack_codes(keys[first].reshape(n_cells, keys.shape[1]), room))
    rank = np.empty(n_cells, np.int64)
    rank[order] = np.arange(n_cells)
    return first[order], rank[group_of]


_ENTRIES_TO_A_CELL = 4
"""With fewer, sorting entries is quicker than visiting the members of each cell."""


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
