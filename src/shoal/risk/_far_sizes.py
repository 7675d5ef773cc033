"""Groups of a table on a cluster, counted there: how many have each size."""

from __future__ import annotations

from shoal.risk._size_counts import SizeCounts
from shoal.schema import Schema
from shoal.tables._assemble import require_quasi_identifiers
from shoal.tables._engine import OpenOptions
from shoal.tables.engines._spark_engine import SparkEngine, is_spark
from shoal.tables.engines.regions._open_regions import fits_one_search
from shoal.typing import Native


def sizes_there(table: Native, schema: Schema) -> SizeCounts | None:
    """Sizes of the groups of a table with more combinations than are fetched; None for others."""
    if not (isinstance(table, SparkEngine) or is_spark(table)):
        return None
    engine = table if isinstance(table, SparkEngine) else SparkEngine.open(table, OpenOptions())
    names = require_quasi_identifiers(schema)
    fits = set(names) <= set(engine.names) <= set(schema)  # else whoever counts cells says why not
    if not fits or fits_one_search(engine, schema):
        return None
    return SizeCounts(*engine.view(names, {}).group_sizes())
