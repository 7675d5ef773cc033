"""A raw table on a cluster: its values are counted there, and some people are drawn there."""

from __future__ import annotations

import numpy as np

from shoal.errors import TableError
from shoal.frames._frame import Frame
from shoal.report.release.facts._marginals import RawValues, ValueRows
from shoal.schema import Schema
from shoal.schema._text import text
from shoal.tables._frequency import CodingOptions
from shoal.tables.engines._duck_engine import DuckEngine
from shoal.tables.engines._spark_engine import SparkEngine
from shoal.tables.engines.regions._region_rows import code_column
from shoal.tables.engines.regions._spark_regions import explain_workers
from shoal.tables.engines.regions._spark_values import count_values
from shoal.typing import Native

MOST_VALUES = 1_000_000
"""Values of a column that may come to the driver, each with its rows."""

MOST_PRIVATE = 100_000
"""Values of a sensitive column up to which people are linked: a row with each has to come."""


def far_values(engine: SparkEngine, schema: Schema) -> RawValues:
    """Values of quasi-identifiers and of sensitive columns, counted by the workers in one pass."""
    names = list(dict.fromkeys([*schema.quasi_identifiers, *schema.counted]))
    for name in names:
        if engine.estimate_distinct([name]) > MOST_VALUES:
            raise TableError(
                f"column {name!r} has more than {MOST_VALUES:,} values, which would all come to "
                "the driver. Make the report without the raw table, or round the column in both."
            )
    places = [f"c{engine.names.index(name)}" for name in names]
    with explain_workers():
        counted = count_values(engine.canonical, places)
    options = CodingOptions(missing_to_root=True)
    by_name = {}
    for name, own in zip(names, counted, strict=True):
        coded = code_column(name, schema, options, own.listed(), own.counts, own.n_missing)
        by_name[name] = ValueRows(coded.coding, coded.counts)
    quasi = tuple(by_name[name] for name in schema.quasi_identifiers)
    return RawValues(quasi, {name: by_name[name] for name in schema.counted}, None)


def far_sample(
    engine: SparkEngine, names: list[str], private: str, n_people: int, seed: int
) -> tuple[Native, int]:
    """Rows drawn there, then one for each private value that they lack; and how many were drawn."""
    view = engine.view(names, {})
    drawn = view.draw(n_people, seed).columns()
    each = SparkEngine(view.native.dropDuplicates([private])).columns()
    known = {text(value) for value in drawn[private].tolist()}
    lacking = np.array([text(value) not in known for value in each[private].tolist()], np.bool_)
    both = {
        name: np.ma.concatenate([drawn[name], each[name][lacking]])  # type: ignore[no-untyped-call]
        for name in names
    }
    rows = DuckEngine.of_frame(Frame.from_columns(both)).query("SELECT * FROM source")
    return rows, len(drawn[private])
