"""Rows of a Spark DataFrame grouped into cells on the cluster; only those are fetched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.errors import TableError
from shoal.schema import Schema
from shoal.tables._canonical import spelt_twice
from shoal.tables._frequency import (
    CodingOptions,
    assemble,
    code_values,
    group_keys,
)
from shoal.tables._people import count_people, require_named
from shoal.tables.engines._spark_arrow import fetch, read_column
from shoal.tables.engines._spark_release import Combinations, CompressedSpark

if TYPE_CHECKING:
    from shoal.tables.engines._spark_engine import SparkEngine

MOST_FETCHED = 5_000_000
"""Combinations that are fetched at most: some gigabytes on the driver while they are counted."""


def compress_spark(engine: SparkEngine, schema: Schema, options: CodingOptions) -> CompressedSpark:
    """Group the rows into cells on the cluster, and fetch only those."""
    schema.require(engine.names, to_group=True)
    quasi, counted_names = schema.quasi_identifiers, schema.counted
    subject = () if schema.subject is None else (schema.subject,)
    wanted = list(dict.fromkeys([*quasi, *counted_names, *subject]))
    engine.refuse_nested(schema)
    _refuse_many(engine, wanted)
    keyed = engine.staged.select(
        *(engine.staged_value(n).alias(f"k{i}") for i, n in enumerate(wanted))
    )
    table = fetch(keyed.groupBy(*keyed.columns).count())
    columns = {name: read_column(table.column(i)) for i, name in enumerate(wanted)}
    coded, values = {}, {}
    for name in dict.fromkeys([*quasi, *counted_names]):
        column = columns[name]
        if name in counted_names:
            refuse_spellings(name, schema[name].kind, column.listed())
        coding, code_of = code_values(
            name, schema[name], column.listed(), has_missing=column.has_missing, options=options
        )
        # -1, a missing value, reads the last entry
        coded[name] = (coding, code_of[column.codes].astype(np.int32))
        values[name] = (column.values, code_of)
    counts = table.column(len(wanted)).to_numpy().astype(np.int64)
    keys = np.column_stack([coded[name][1] for name in quasi]).reshape(-1, len(quasi))
    counted = {name: coded[name] for name in counted_names}
    cells, cell_of = assemble([coded[name][0] for name in quasi], keys, counted, counts)
    people = None
    if schema.subject is not None:
        person = columns[schema.subject].codes
        require_named(schema.subject, int(counts[person < 0].sum()))
        cells, people = count_people(
            cells, cell_of, person, counted, counts, households=schema.household is not None
        )
    # what stands in the rows, and not what it is coded as: two values may be one text
    raw = np.column_stack([columns[name].codes for name in quasi]) + np.int32(1)
    group_of, n_groups = group_keys(raw)
    first = np.empty(n_groups, np.int64)
    first[group_of[::-1]] = np.arange(len(raw))[::-1]
    met = Combinations(table.select(list(range(len(quasi)))).take(first), cell_of[first])
    own = {name: values[name] for name in quasi}
    return CompressedSpark(engine, schema, cells, own, met, people)


def _refuse_many(engine: SparkEngine, names: Sequence[str]) -> None:
    """Raise, before anything is fetched, where it would be more than the driver should hold."""
    if engine.n_rows <= MOST_FETCHED:
        return
    n_cells = engine.estimate_distinct(names)
    if n_cells > MOST_FETCHED:
        raise TableError(
            f"about {n_cells:,} combinations of {len(names)} columns would come from Spark to this "
            f"machine, where at most {MOST_FETCHED:,} do. Several rows of a person, conditions on "
            "some of the columns or on a population, methods that need all rows and rows that are "
            "not written as labels are counted in one place: leave these out, so that workers "
            "count; or write the table to Parquet files and use those on a machine with memory "
            "for it."
        )


def refuse_spellings(name: str, kind: str, values: Sequence[Any]) -> None:
    """Raise where texts of a counted column write one number or moment in several ways."""
    if spelt_twice(kind, values):
        raise TableError(
            f"column {name!r} is {kind} and holds texts, some of which write one value in several "
            "ways, as 1 and 1.0 do. Cast it in the DataFrame, or change its kind to categorical."
        )
