"""The raw table behind a release, for those who have it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from shoal._addresses import address_of
from shoal.anonymize._release_files import as_told, digest
from shoal.errors import TableError
from shoal.report.release.facts._release_file import ReleaseFile
from shoal.schema import Schema
from shoal.tables import FrequencyTable
from shoal.tables._assemble import CodingOptions
from shoal.tables._engine import OpenOptions, TableFile
from shoal.tables._open import open_relation
from shoal.tables.engines._duck_engine import DuckEngine
from shoal.typing import Native, PathText


@dataclass(frozen=True, eq=False)
class Original:
    """The rows that a release was made of.

    Parameters
    ----------
    name : str
        Name of the file.
    digest : str or None
        Its SHA-256; None for a folder.
    engine : DuckEngine
        The rows.
    schema : Schema
        The release's.
    reading : OpenOptions
        How its file was said to be read.
    """

    name: str
    digest: str | None
    engine: DuckEngine
    schema: Schema
    reading: OpenOptions

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.engine.n_rows

    def cells(self) -> FrequencyTable:
        """Distinct combinations of the quasi-identifiers, coded by their hierarchies."""
        return self.engine.compress(self.schema, CodingOptions(missing_to_root=True)).cells

    def sample(
        self, names: list[str], private: str, n_people: int, seed: int
    ) -> tuple[Native, int]:
        """Columns of people drawn at random, then of one person for each private value they lack.

        Returns the rows and how many of them were drawn; the others only make every value known.
        """
        chosen = np.random.default_rng(seed).permutation(self.n_rows)[:n_people] + 1
        listed = ", ".join(map(str, np.sort(chosen).tolist()))
        value = _quoted(private)
        columns = ", ".join(map(_quoted, names))
        numbered = "(SELECT *, row_number() OVER () AS shoal_at FROM source)"
        drawn = f"shoal_at IN ({listed})"
        rest = f"SELECT min(shoal_at) FROM {numbered} GROUP BY {value} HAVING NOT bool_or({drawn})"
        if len(chosen) == self.n_rows:
            return self.engine.query(f"SELECT {columns} FROM source"), self.n_rows
        return self.engine.query(
            f"SELECT {columns} FROM {numbered} WHERE {drawn} OR shoal_at IN ({rest}) "
            f"ORDER BY NOT {drawn}, shoal_at"
        ), len(chosen)


def open_original(source: PathText, release: ReleaseFile, encoding: str | None) -> Original:
    """Open the raw table; refuses one that the release was not made of."""
    path = Path(source)
    told = source.options if isinstance(source, TableFile) else OpenOptions()
    reading = as_told(release.path, replace(told, encoding=encoding) if encoding else told)
    engine = open_relation(TableFile.of(address_of(source), reading))
    release.schema.require(engine.names)
    if engine.n_rows != release.number("rows"):
        raise TableError(
            f"{path.name} has {engine.n_rows} rows, and the release was made of "
            f"{release.number('rows')}. Give the table that was released."
        )
    content = digest(path) if path.is_file() else None
    return Original(path.name, content, engine, release.schema, reading)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
