"""Rows of a Spark table counted by region and limits, with the values of some columns in them."""
# ruff: noqa: PLC0415  PySpark is an extra; it is there when a Spark table is

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shoal.schema._coding import Coding
from shoal.tables._frequency import FrequencyTable
from shoal.tables.engines._spark_arrow import fetch
from shoal.tables.engines.regions._arrow_codes import ArrowCodes
from shoal.tables.engines.regions._region_rows import PartCount, part_table
from shoal.typing import Codes


def count_parts(
    frame: Any, by: Sequence[str], codings: Mapping[str, Coding], known: Mapping[str, ArrowCodes]
) -> FrequencyTable:
    """Parts of regions, counted exactly in one pass over the rows.

    Parameters
    ----------
    frame : Spark DataFrame
        The rows.
    by : sequence of str
        Names of its columns with region and limits.
    codings : mapping of str to Coding
        Of the columns that are counted in every part.
    known : mapping of str to ArrowCodes
        How their values are coded, by their places in the frame and in the same order.
    """
    import pyspark.sql.functions as F

    sets = [[F.col(name) for name in (*by, source)] for source in known] or [[*map(F.col, by)]]
    counted = frame.groupingSets(sets, *by, *known).agg(
        F.count(F.lit(1)).alias("n"), F.grouping_id().alias("which")
    )
    table = fetch(counted)
    which = table.column("which").to_numpy()
    parts = {}
    for i, (name, source) in enumerate(zip(codings, known, strict=True)):
        # a bit for every column, the first one highest, and set where it is left out
        own_bit = 1 << (len(known) - 1 - i)
        own = table.take(np.flatnonzero(which == (1 << len(known)) - 1 - own_bit))
        parts[name] = (codings[name], _part(own, by, known[source].of(own.column(source))))
    plain = table.take(np.flatnonzero(which == which[:1]))  # any one has every row
    return part_table(_part(plain, by, np.zeros(len(plain), np.int32)), parts)


def _part(table: Any, by: Sequence[str], codes: Codes) -> PartCount:
    """Rows by region, limits and code; two values may have one code."""
    listed = [table.column(name).to_numpy().astype(np.int64) for name in by]
    keys, inverse = np.unique(np.column_stack([*listed, codes]), axis=0, return_inverse=True)
    rows = np.zeros(len(keys), np.int64)
    np.add.at(rows, inverse.reshape(-1), table.column("n").to_numpy())
    return PartCount(keys[:, 0], keys[:, 1], keys[:, 2], rows)
