"""The raw table behind a release, for those who have it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

import numpy as np

from shoal._addresses import address_of
from shoal.anonymize._release_files import as_told
from shoal.discover.sources import _far_sets
from shoal.errors import TableError
from shoal.report.release.facts._far_original import far_sample, far_values
from shoal.report.release.facts._marginals import RawValues
from shoal.report.release.facts._release_file import ReleaseFile
from shoal.schema import Schema
from shoal.tables._engine import Engine, OpenOptions, TableFile
from shoal.tables._frequency import CodingOptions
from shoal.tables._open import open_relation, open_table
from shoal.tables.engines._duck_connection import name_sql
from shoal.tables.engines._duck_engine import DuckEngine
from shoal.tables.engines._spark_engine import SparkEngine
from shoal.typing import Native


@dataclass(frozen=True, eq=False)
class Original:
    """The rows that a release was made of.

    Parameters
    ----------
    name : str or None
        What the page calls the file: `RAW` with its ending.  Its own name may tell about people or
        the house, and a digest of raw rows would tell whoever knows most of them which guess at
        the others is right, so that neither is on the page.  None where a table was given.
    engine : DuckEngine or SparkEngine
        The rows; in Spark where they are too many to come here.
    schema : Schema
        The release's.
    reading : OpenOptions
        How its file was said to be read.
    """

    name: str | None
    engine: DuckEngine | SparkEngine
    schema: Schema
    reading: OpenOptions

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.engine.n_rows

    @property
    def is_far(self) -> bool:
        """Whether rows stay on a cluster."""
        return isinstance(self.engine, SparkEngine)

    def values(self) -> RawValues:
        """Values of the columns, coded by their hierarchies, with their rows."""
        if isinstance(self.engine, SparkEngine):
            return far_values(self.engine, self.schema)
        options = CodingOptions(missing_to_root=True)
        return RawValues.of(self.engine.compress(self.schema, options).cells)

    def sample(
        self, names: list[str], private: str, n_people: int, seed: int
    ) -> tuple[Native, int]:
        """Columns of people drawn at random, then of one person for each private value they lack.

        Returns the rows and how many of them were drawn; the others only make every value known.
        """
        if isinstance(self.engine, SparkEngine):
            return far_sample(self.engine, names, private, n_people, seed)
        chosen = np.random.default_rng(seed).permutation(self.n_rows)[:n_people] + 1
        listed = ", ".join(map(str, np.sort(chosen).tolist()))
        value = name_sql(private)
        columns = ", ".join(map(name_sql, names))
        numbered = "(SELECT *, row_number() OVER () AS shoal_at FROM source)"
        drawn = f"shoal_at IN ({listed})"
        rest = f"SELECT min(shoal_at) FROM {numbered} GROUP BY {value} HAVING NOT bool_or({drawn})"
        if len(chosen) == self.n_rows:
            return self.engine.query(f"SELECT {columns} FROM source"), self.n_rows
        return self.engine.query(
            f"SELECT {columns} FROM {numbered} WHERE {drawn} OR shoal_at IN ({rest}) "
            f"ORDER BY NOT {drawn}, shoal_at"
        ), len(chosen)


def open_original(source: Native, release: ReleaseFile, encoding: str | None) -> Original:
    """Open the raw table; refuses one that the release was not made of."""
    if not isinstance(source, str | PathLike):
        table = open_table(source)
        n_cells = table.n_rows * len(table.names)
        stays = isinstance(table, SparkEngine) and n_cells > _far_sets.CELLS_FROM_AFAR
        own = table if isinstance(table, SparkEngine) and stays else open_relation(table)
        _require_rows(own, "the raw table", release)
        return Original(None, own, release.schema, OpenOptions())
    path = Path(source)
    told = source.options if isinstance(source, TableFile) else OpenOptions()
    reading = as_told(release.path, replace(told, encoding=encoding) if encoding else told)
    engine = open_relation(TableFile.of(address_of(source), reading))
    _require_rows(engine, path.name, release)
    ending = "".join(path.suffixes[-2:]) if path.suffix in (".gz", ".zst") else path.suffix
    name = f"RAW{ending if path.is_file() else ''}"
    return Original(name, engine, release.schema, reading)


def _require_rows(engine: Engine, name: str, release: ReleaseFile) -> None:
    release.schema.require(engine.names)
    if engine.n_rows != release.number("rows"):
        raise TableError(
            f"{name} has {engine.n_rows} rows, and the release was made of "
            f"{release.number('rows')}. Give the table that was released."
        )
