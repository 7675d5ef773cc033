"""Numbers of a Spark table's values, looked up by Spark itself."""
# ruff: noqa: PLC0415  PySpark and PyArrow are extras; they are there when a Spark table is

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from shoal.tables.engines.regions._region_rows import CodedColumn
from shoal.typing import Codes

_FEW = 64
"""Values up to which a number is looked up in a list in the query; beyond, by a join."""


def look_up(
    frame: Any, column: str, kind: str, values: Any, numbers: Codes, missing: int, name: str
) -> Any:
    """The frame with one more column, the number of each row's value; missing has its own."""
    import pyarrow as pa
    import pyspark.sql.functions as F

    # a moment that the clock shows twice is two values, and one in Python
    if len(numbers) <= _FEW and kind != "timestamp":
        number = _of_few(column, values.to_pylist(), numbers)
        return frame.withColumn(name, F.coalesce(number, F.lit(missing)))
    value = f"{name} of"
    table = pa.table({value: values, name: numbers.astype(np.int32)})
    sent = frame.sparkSession.createDataFrame(table, f"`{value}` {kind}, `{name}` int")
    joined = frame.join(F.broadcast(sent), F.col(column) == F.col(f"`{value}`"), "left")
    return joined.drop(value).withColumn(name, F.coalesce(F.col(name), F.lit(missing)))


def add_limits(frame: Any, places: Mapping[str, str], limited: Mapping[str, CodedColumn]) -> Any:
    """The frame with a column `t` that numbers the limits of each row; 0 where there are none."""
    import pyspark.sql.functions as F

    types = dict(frame.dtypes)
    top, room = F.lit(0).cast("bigint"), 1
    for i, (name, column) in enumerate(limited.items()):
        source, tops = places[name], column.tops
        missing = int(tops[column.coding.missing])
        numbers = tops[column.codes[:-1]]
        frame = look_up(frame, source, types[source], column.values, numbers, missing, f"t{i}")
        top = top + F.col(f"t{i}").cast("bigint") * F.lit(room)
        room *= int(tops.max()) + 1
    return frame.withColumn("t", top)


def _of_few(column: str, values: Sequence[Any], numbers: Codes) -> Any:
    """The number of a value, where there are so few that a list in the query is quicker."""
    import pyspark.sql.functions as F

    if not values:
        return F.lit(None).cast("int")
    pairs = chain.from_iterable(zip(values, numbers.tolist(), strict=True))
    return F.create_map(*map(F.lit, pairs))[F.col(column)]
