"""One door for every kind of table that a search takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.discover.sources._checks import check_choice, check_columns, check_widths
from shoal.discover.sources._partition import CodeTable
from shoal.discover.sources._reservoir import RowSample
from shoal.discover.sources._source import CodedSource, Source
from shoal.errors import TableError
from shoal.tables import open_table
from shoal.tables._engine import Engine
from shoal.tables.engines._spark_engine import SparkEngine
from shoal.typing import Counts, Native


@dataclass(frozen=True, eq=False)
class EngineSource:
    """A table in whichever engine holds it."""

    engine: Engine
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return self.engine.names

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.engine.n_rows

    @property
    def is_far(self) -> bool:
        """Whether rows lie on other machines, and would have to come here to be coded."""
        return isinstance(self.engine, SparkEngine)

    def codes(self) -> CodeTable:
        """Every row, coded."""
        return CodeTable(self.names, self.engine.code_rows())

    def sample(self, size: int, generator: np.random.Generator) -> CodeTable:
        """Rows drawn uniformly without replacement, all of them when there are not more."""
        return CodeTable(self.names, self.engine.sample_rows(size, generator))

    def group_sizes(self) -> tuple[Counts, Counts]:
        """Distinct sizes of the groups of equal rows, and the number of groups of each size."""
        return self.engine.group_sizes()

    def distinct(self) -> EngineSource:
        """The same table without duplicate rows."""
        return EngineSource(self.engine.distinct_rows(), self.notes)

    def select(self, names: Sequence[str]) -> EngineSource:
        """Only some of the columns."""
        return EngineSource(self.engine.view(names, {}), self.notes)


def open_source(
    table: Native,
    *,
    columns: Sequence[str] | None,
    duplicates: str = "keep",
    bins: Mapping[str, float] | None = None,
) -> Source:
    """Restrict a table to the columns that are looked at, and say what is odd about them.

    Besides what :func:`shoal.tables.open_table` reads, a sample of a stream, and a table that is
    coded already.
    """
    check_choice("duplicates", duplicates, ("keep", "drop"))
    source: Source
    if isinstance(table, RowSample):
        source = table.source(columns, bins)
    elif isinstance(table, CodedSource | EngineSource):
        source = table if columns is None else table.select(check_columns(columns, table.names))
    elif isinstance(table, CodeTable):
        source = CodedSource(table).select(check_columns(columns, table.names))
    else:
        engine = open_table(table)
        chosen = check_columns(columns, engine.names)
        widths = check_widths(bins, chosen, engine.types)
        view = engine.view(chosen, widths)
        source = EngineSource(view, tuple(map(_note_fractions, view.fractional())))
    if not source.n_rows:
        raise TableError("the table has no rows, so there is nobody to tell apart.")
    return source.distinct() if duplicates == "drop" else source


def _note_fractions(name: str) -> str:
    return (
        f"column {name!r} holds fractions, which are compared to the last digit: nearly every "
        "value is its own, while an attacker seldom knows one so exactly. Give its bins a width "
        f"(--bins '{name}=10', or bins={{{name!r}: 10}}) to compare it more coarsely."
    )
