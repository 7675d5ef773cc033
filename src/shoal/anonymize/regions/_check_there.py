"""Tables in Spark with too many groups to collect: they are checked in Spark."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from shoal.anonymize._recheck import plain_schema
from shoal.anonymize.regions._region_solver import with_whole
from shoal.judge._labels import STAR
from shoal.judge.cluster._check_cluster import ClusterCheck, check_cluster
from shoal.judge.cluster._judge_cluster import moments_as_texts
from shoal.privacy import PrivacyModel
from shoal.privacy._population_model import PopulationModel
from shoal.privacy._projection import split_promise
from shoal.schema import Column, Schema
from shoal.tables import FrequencyTable
from shoal.tables._engine import OpenOptions
from shoal.tables.engines._spark_engine import SparkEngine, is_spark, spark_name
from shoal.tables.engines.regions._open_regions import fits_one_search
from shoal.typing import Native


class CheckedThere(NamedTuple):
    """What the cluster found, rows that are fully starred, and labels of columns with a limit."""

    found: ClusterCheck
    n_starred: int
    limited: tuple[FrequencyTable, ...]


def check_there(
    table: Native, schema: Schema, privacy: PrivacyModel, *, drop_stars: bool
) -> CheckedThere | None:
    """Check the groups of a table in Spark; None if they can be collected, or have to be.

    People with several rows, conditions on some of the columns and those on a population are
    counted over the whole table, in one place.  Where a column that names people is not in the
    table, as in a release, rows are counted.
    """
    if not (isinstance(table, SparkEngine) or is_spark(table)):
        return None
    engine = table if isinstance(table, SparkEngine) else SparkEngine.open(table, OpenOptions())
    on_population = any(isinstance(part, PopulationModel) for part in privacy.parts)
    if (
        schema.subject in engine.names
        or on_population
        or split_promise(privacy)[1]
        or fits_one_search(engine, schema)
    ):
        return None
    frame, n_starred = moments_as_texts(engine.native), 0
    if drop_stars:
        frame = frame.where(f"NOT ({_all_starred(schema)})")
        n_starred = engine.n_rows - int(frame.count())
    if n_starred == engine.n_rows:
        return None
    limited = tuple(
        SparkEngine(frame).view([name], {}).compress(Schema({name: Column("quasi-identifier")}))
        for name in schema.quasi_identifiers
        if schema[name].limit or schema[name].limit_level is not None
    )
    plain = plain_schema(schema, engine.names)
    checked = check_cluster(frame, plain, partial(with_whole, privacy))
    return CheckedThere(checked, n_starred, tuple(one.cells for one in limited))


def _all_starred(schema: Schema) -> str:
    """A condition that holds of rows with nothing but stars; of a missing value it does not."""
    return " AND ".join(
        f"coalesce(CAST({spark_name(name)} AS STRING) = '{STAR}', FALSE)"
        for name in schema.quasi_identifiers
    )
