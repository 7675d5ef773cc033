"""Values of a Spark table's columns, counted by its workers in one pass over the rows."""
# ruff: noqa: PLC0415  PySpark and PyArrow are extras; they are there when a Spark table is

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from shoal.tables.engines._spark_arrow import fetch
from shoal.tables.engines.regions._arrow_codes import spark_type
from shoal.typing import Counts

_TOGETHER = 500_000
"""Rows whose values a worker counts at a time."""

_COUNT, _WHICH = "shoal_n", "shoal_which"


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
    """Values of some columns with how many rows have each; the table is read once.

    Workers count blocks of rows; what they found is added up by Spark, value by value.
    """
    import pyspark.sql.functions as F

    own = frame.select(*columns)
    kinds = dict(own.dtypes)
    fields = [f"{name} {kinds[name]}" for name in columns]
    fields += [f"{_COUNT} bigint", f"{_WHICH} int"]
    blocks = own.mapInArrow(count_blocks, ", ".join(fields))
    added = blocks.groupBy(_WHICH, *columns).agg(F.sum(_COUNT).alias(_COUNT))
    moments = [name for name in columns if kinds[name] == "timestamp"]
    texts = [F.col(name).cast("string").alias(f"{name} said") for name in moments]
    table = fetch(added.select("*", *texts))
    which, rows = table.column(_WHICH).to_numpy(), table.column(_COUNT).to_numpy()
    result = []
    for i, name in enumerate(columns):
        here = np.flatnonzero(which == i)
        values = table.column(name).take(here).combine_chunks()
        known = values.is_valid().to_numpy(zero_copy_only=False)
        counts = rows[here].astype(np.int64)
        said = table.column(f"{name} said").take(here).drop_null() if name in moments else None
        missing = int(counts[~known].sum())
        result.append(ValueCounts(values.drop_null(), counts[known], missing, said))
    return result


def count_blocks(batches: Iterator[Any]) -> Iterator[Any]:
    """Values of each column in some rows at a time, each with how often it is there.

    A row of what comes out has a value of one column, whose number is `shoal_which`.
    """
    held, n_rows = [], 0
    for batch in batches:
        held.append(batch)
        n_rows += batch.num_rows
        if n_rows >= _TOGETHER:
            yield from _count(held)
            held, n_rows = [], 0
    if n_rows:
        yield from _count(held)


def _count(batches: Sequence[Any]) -> Iterator[Any]:
    import pyarrow as pa
    import pyarrow.compute as pc

    block = pa.Table.from_batches(batches)
    kinds = [spark_type(kind) for kind in block.schema.types]
    for which, name in enumerate(block.column_names):
        counted = pc.value_counts(block.column(name).combine_chunks())
        n = len(counted)
        columns = [pa.nulls(n, kind) for kind in kinds]
        columns[which] = counted.field("values").cast(kinds[which])
        columns += [counted.field("counts").cast(pa.int64()), pa.array(np.full(n, which, np.int32))]
        yield pa.RecordBatch.from_arrays(columns, [*block.column_names, _COUNT, _WHICH])
