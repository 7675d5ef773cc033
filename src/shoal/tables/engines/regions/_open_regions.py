"""Which engine keeps the regions of a table, and when a table is cut into regions at all."""

from __future__ import annotations

from collections.abc import Sequence

from shoal._resources import memory_bytes
from shoal.schema import Schema
from shoal.tables._engine import Engine
from shoal.tables._frequency import CodingOptions
from shoal.tables.engines._duck_connection import name_sql
from shoal.tables.engines._duck_engine import DuckEngine
from shoal.tables.engines._spark_engine import SparkEngine
from shoal.tables.engines.regions._duck_regions import DuckRegions
from shoal.tables.engines.regions._region_rows import RegionRows

BYTES_PER_CELL = 400
"""Memory that a search takes for a cell; what was measured is on the page on clusters."""

DRIVER_CELLS = 1_000_000
"""Combinations up to which a table in Spark is solved on the driver: they are collected there."""

WORKER_ROWS = 500_000
"""Rows of a region in Spark: a worker holds one region for each of its cores."""


def rows_of_a_region(engine: Engine) -> int:
    """Rows that a region may have: all of them may be different."""
    if isinstance(engine, SparkEngine):
        return WORKER_ROWS
    return max(1, int(memory_bytes() / BYTES_PER_CELL))


def most_cells(engine: Engine) -> int:
    """Combinations that may be searched in one place."""
    return DRIVER_CELLS if isinstance(engine, SparkEngine) else rows_of_a_region(engine)


def fits_one_search(engine: Engine, schema: Schema) -> bool:
    """Whether the combinations of a table are few enough to be searched at once.

    From Spark those of quasi-identifiers come with the sensitive values and people in them.
    """
    names = schema.quasi_identifiers
    if isinstance(engine, SparkEngine):
        subject = () if schema.subject is None else (schema.subject,)
        wanted = dict.fromkeys([*names, *schema.counted, *subject])
        names = tuple(name for name in wanted if name in engine.names)
    return fits_here(engine, names)


def fits_here(engine: Engine, names: Sequence[str]) -> bool:
    """Whether the combinations of some columns are few enough to be held in one place."""
    most = most_cells(engine)
    return engine.n_rows <= most or _estimate_cells(engine, names) <= most


def _estimate_cells(engine: Engine, names: Sequence[str]) -> int:
    """About how many combinations there are: one pass, and off by a few per cent."""
    if isinstance(engine, SparkEngine):
        return engine.estimate_distinct(names)
    if isinstance(engine, DuckEngine):
        columns = ", ".join(map(name_sql, names))
        return int(
            engine.fetch(f"SELECT approx_count_distinct(({columns})) AS n FROM source")["n"][0]
        )
    return 0  # it lies in memory, and was counted there before


def open_regions(engine: Engine, schema: Schema, options: CodingOptions) -> RegionRows:
    """The table as regions; tables in memory are handed to DuckDB."""
    if isinstance(engine, SparkEngine):
        from shoal.tables.engines.regions._spark_regions import SparkRegions  # noqa: PLC0415

        return SparkRegions(engine, schema, options)
    if not isinstance(engine, DuckEngine):
        engine = DuckEngine.of_frame(engine.frame())
    return DuckRegions(engine.staged, schema, options)
