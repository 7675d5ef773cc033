"""Values of a Spark table's columns, counted in one pass, and its rows by their codes."""
# ruff: noqa: PLC0415  PySpark and PyArrow are extras; they are there when a Spark table is

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from shoal.tables.engines._spark_arrow import fetch
from shoal.tables.engines.regions._region_rows import CodedColumn
from shoal.typing import Codes, Counts

_FEW = 64
"""Values up to which a column is coded by a list in the query; beyond, by a join."""

_TOGETHER = 16
"""Columns whose values are counted in one pass: a row goes into it once for each of them."""


class ValueCounts(NamedTuple):
    """The distinct values of a column in an Arrow array, rows of each, and rows without one.

    `texts` are moments as Spark writes them, by the clock of the session; None for other columns.
    """

    values: Any
    counts: Counts
    n_missing: int
    texts: Any = None

    def listed(self) -> list[Any]:
        """The values as Python's."""
        if self.texts is None:
            return list(self.values.to_pylist())
        return [dt.datetime.fromisoformat(text) for text in self.texts.to_pylist()]


def count_values(frame: Any, columns: Sequence[str]) -> list[ValueCounts]:
    """Values of some columns with how many rows have each; the table is read once."""
    found: list[ValueCounts] = []
    for first in range(0, len(columns), _TOGETHER):
        found += _count_together(frame, columns[first : first + _TOGETHER])
    return found


def _count_together(frame: Any, columns: Sequence[str]) -> list[ValueCounts]:
    import pyspark.sql.functions as F

    sets = [[F.col(name)] for name in columns]
    counted = frame.groupingSets(sets, *columns).agg(
        F.count(F.lit(1)).alias("n"), F.grouping_id().alias("which")
    )
    moments = [name for name, kind in frame.dtypes if kind == "timestamp" and name in columns]
    texts = [F.col(name).cast("string").alias(f"{name} said") for name in moments]
    table = fetch(counted.select("*", *texts))
    which, rows = table.column("which").to_numpy(), table.column("n").to_numpy()
    result = []
    for i, name in enumerate(columns):
        # a bit for every column, the first one highest, and set where it is left out
        own = np.flatnonzero(which == (1 << len(columns)) - 1 - (1 << (len(columns) - 1 - i)))
        values = table.column(name).take(own).combine_chunks()
        known = values.is_valid().to_numpy(zero_copy_only=False)
        counts = rows[own].astype(np.int64)
        said = table.column(f"{name} said").take(own).drop_null() if name in moments else None
        missing = int(counts[~known].sum())
        result.append(ValueCounts(values.drop_null(), counts[known], missing, said))
    return result


class CodedFrame(NamedTuple):
    """A frame with codes and limits of some columns as expressions over it."""

    frame: Any
    codes: list[Any]
    tops: list[Any]


def look_up_codes(
    frame: Any, places: Mapping[str, str], columns: Mapping[str, CodedColumn]
) -> CodedFrame:
    """The frame with whatever says codes and limits of its columns; missing has its own.

    `places` names the frame's column of each of ours.
    """
    import pyspark.sql.functions as F

    types = dict(frame.dtypes)
    codes, tops = [], []
    for i, (name, column) in enumerate(columns.items()):
        missing = column.coding.missing
        frame, code, top = _look_up(frame, i, places[name], types[places[name]], column)
        codes.append(F.coalesce(code, F.lit(missing)))
        tops.append(F.coalesce(top, F.lit(int(column.tops[missing]))))
    return CodedFrame(frame, codes, tops)


def _look_up(
    frame: Any, i: int, place: str, kind: str, column: CodedColumn
) -> tuple[Any, Any, Any]:
    """The frame with whatever says codes and limits of a column, and these two."""
    import pyarrow as pa
    import pyspark.sql.functions as F

    known: Codes = column.codes[:-1]
    tops = column.tops[known]
    values = column.values
    # a moment that the clock shows twice is two values, and one in Python
    if len(known) <= _FEW and kind != "timestamp":
        listed = values.to_pylist()
        return frame, _of_few(place, listed, known), _of_few(place, listed, tops)
    table = pa.table({f"v{i}": values, f"n{i}": known, f"t{i}": tops.astype(np.int32)})
    fields = f"v{i} {kind}, n{i} int, t{i} int"
    sent = frame.sparkSession.createDataFrame(table, fields)
    joined = frame.join(F.broadcast(sent), F.col(place) == F.col(f"v{i}"), "left")
    return joined, F.col(f"n{i}"), F.col(f"t{i}")


def _of_few(place: str, values: Sequence[Any], numbers: Codes) -> Any:
    """The number of a value, where there are so few that a list in the query is quicker."""
    import pyspark.sql.functions as F

    if not values:
        return F.lit(None).cast("int")
    pairs = chain.from_iterable(zip(values, numbers.tolist(), strict=True))
    return F.create_map(*map(F.lit, pairs))[F.col(place)]
