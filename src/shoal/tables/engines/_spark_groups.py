"""Groups of a Spark table with a figure for each, summed up where they are.

Workers compute the figure of a group from its rows and the people they stand for; Spark adds up.
What comes to the driver are sums, never a group.
"""
# ruff: noqa: PLC0415  PySpark and PyArrow are extras; they are there when a Spark table is

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from shoal.errors import TableError
from shoal.tables.engines._spark_arrow import ArrowColumn, fetch, read_column
from shoal.typing import Counts, Floats

if TYPE_CHECKING:
    from shoal.tables.engines._spark_engine import SparkEngine

MOST_SUMS = 1_000_000
"""Sums that may come to the driver: one for every part of the table and size of group in it."""

Measure = Callable[[Floats, Floats], Floats]
"""From rows and people of some groups to the figure of each."""

_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")


class Weighed(NamedTuple):
    """Which columns make groups, and what a row stands for: a column's number, or a constant."""

    names: Sequence[str]
    weight: str | None
    per_row: float


class GroupSums(NamedTuple):
    """Sums over groups of one size in one part of the table.

    Parameters
    ----------
    part : ArrowColumn or None
        Value that all groups share; None where the table is not divided.
    sizes, groups : ndarray of int64
        Rows of a group, and how many groups there are of that size.
    people : ndarray of float
        People that rows of all these groups stand for.
    highest, summed : ndarray of float
        Largest figure, and the sum of figures times rows.
    above : ndarray of int64
        Rows of groups whose figure is above the threshold.
    least, n_unknown : float, int
        Least weight of a row, and rows that have none.
    """

    part: ArrowColumn | None
    sizes: Counts
    groups: Counts
    people: Floats
    highest: Floats
    summed: Floats
    above: Counts
    least: float
    n_unknown: int


class UnitSums(NamedTuple):
    """Units of rows, such as households: their number, the largest share and the sum over rows."""

    n_units: int
    highest: float
    summed: float


def sum_groups(
    engine: SparkEngine, asked: Weighed, part: str | None, measure: Measure, threshold: float
) -> GroupSums:
    """Sums of a figure of all groups, by size and by the value of one of the columns."""
    import pyspark.sql.functions as F

    keyed, quasi = _keyed(engine, asked, None)
    groups = keyed.groupBy(*quasi).agg(
        F.count(F.lit(1)).alias("size"),
        F.sum("w").alias("people"),
        F.min("w").alias("least"),
        F.count("w").alias("known"),
    )
    kept = ["size", "people", "least", "known"]
    by = ["size"]
    if part is not None:
        groups = groups.withColumnRenamed(f"q{list(asked.names).index(part)}", "part")
        kept, by = ["part", *kept], ["part", "size"]
    measured = _measured(groups.select(*kept), measure)
    rows = F.col("size")
    table = fetch(
        measured.groupBy(*by)
        .agg(
            F.count(F.lit(1)),
            F.sum("people"),
            F.max("figure"),
            F.sum(F.col("figure") * rows),
            F.sum(F.when(F.col("figure") > threshold, rows).otherwise(0)),
            F.coalesce(F.min("least"), F.lit(0.0)),
            F.sum(rows - F.col("known")),
        )
        .limit(MOST_SUMS + 1)
    )
    if table.num_rows > MOST_SUMS:
        raise TableError(
            f"column {part!r} has so many values that their groups have more than {MOST_SUMS:,} "
            "sizes, which would come to the driver. Leave the stratum out, or make it coarser."
        )
    columns = [column.to_numpy() for column in table.columns[len(by) - 1 :]]
    return GroupSums(
        None if part is None else read_column(table.column(0)),
        columns[0].astype(np.int64),
        columns[1].astype(np.int64),
        columns[2].astype(np.float64),
        columns[3].astype(np.float64),
        columns[4].astype(np.float64),
        columns[5].astype(np.int64),
        float(columns[6].min(initial=np.inf)),
        int(columns[7].sum()),
    )


def sum_units(engine: SparkEngine, asked: Weighed, unit: str, measure: Measure) -> UnitSums:
    """Units that a column names: 1 - exp(sum of the figures of its rows), for each of them.

    Rows without a name are one unit, as any other value makes one.
    """
    import pyspark.sql.functions as F
    from pyspark.sql import Window

    keyed, quasi = _keyed(engine, asked, unit)
    entries = keyed.groupBy(*quasi, "unit").agg(F.count(F.lit(1)).alias("n"), F.sum("w").alias("w"))
    group = Window.partitionBy(*quasi)
    entries = entries.select(
        "unit", "n", F.sum("n").over(group).alias("size"), F.sum("w").over(group).alias("people")
    )
    of_units = (
        _measured(entries, measure)
        .groupBy("unit")
        .agg(F.sum("n").alias("n"), F.sum(F.col("figure") * F.col("n")).alias("total"))
    )
    share = 1 - F.exp("total")
    (row,) = of_units.agg(F.count(F.lit(1)), F.max(share), F.sum(share * F.col("n"))).collect()
    return UnitSums(int(row[0]), float(row[1] or 0.0), float(row[2] or 0.0))


def _keyed(engine: SparkEngine, asked: Weighed, unit: str | None) -> tuple[Any, list[str]]:
    """Rows as `q0`, `q1`, ..., their weight `w`, and `unit` where one is asked for."""
    import pyspark.sql.functions as F

    if asked.weight is None:
        stands_for = F.lit(float(asked.per_row))
    else:
        kind = dict(engine.native.dtypes)[asked.weight]
        if not kind.startswith(_NUMBERS):
            raise TableError(
                f"column {asked.weight!r} holds weights, and no numbers by its type in Spark. Cast "
                "it in the DataFrame."
            )
        stands_for = engine.value(asked.weight).cast("double")
    quasi = [f"q{i}" for i in range(len(asked.names))]
    columns = [engine.value(n).alias(q) for n, q in zip(asked.names, quasi, strict=True)]
    columns += [] if unit is None else [engine.value(unit).alias("unit")]
    return engine.native.select(*columns, stands_for.alias("w")), quasi


def _measured(frame: Any, measure: Measure) -> Any:
    """The same rows with a column `figure`, computed by the workers from `size` and `people`."""
    names = [name for name, _ in frame.dtypes]
    fields = [f"`{name}` {kind}" for name, kind in frame.dtypes]

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in batches:
            sizes, people = (
                batch.column(names.index(name)).to_numpy(zero_copy_only=False).astype(np.float64)
                for name in ("size", "people")
            )
            figures = pa.array(measure(sizes, people), pa.float64())
            yield pa.RecordBatch.from_arrays([*batch.columns, figures], [*names, "figure"])

    return frame.mapInArrow(work, ", ".join([*fields, "figure double"]))
