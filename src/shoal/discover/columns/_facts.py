"""What can be counted about a column before anything is decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from shoal.schema._text import text
from shoal.tables._engine import Engine

MOST_DISTINCT = 100_000
"""Distinct values that are looked at."""
_SAMPLE = 1_000


@dataclass(frozen=True)
class Facts:
    """Counts of one column, and some of its values to look at.

    Parameters
    ----------
    name : str
        The column.
    sort : {"number", "text", "date", "boolean", "other"}
        Sort of value.
    values : list
        Distinct values that are not missing.
    n_rows : int
        Rows of the table.
    missing : bool
        Whether some value is missing.
    title : str
        What the file says about the column beside its name; empty where it says nothing.
    """

    name: str
    sort: str
    values: Sequence[Any]
    n_rows: int
    missing: bool
    title: str = ""

    @property
    def n_distinct(self) -> int:
        """Distinct values, at most `MOST_DISTINCT`."""
        return len(self.values)

    @property
    def ratio(self) -> float:
        """Distinct values per row."""
        return self.n_distinct / self.n_rows if self.n_rows else 0.0

    @property
    def repeats(self) -> bool:
        """Whether some value stands in several rows."""
        return 1 < self.n_distinct < min(self.n_rows, MOST_DISTINCT) - self.missing

    @property
    def all_differ(self) -> bool:
        """Whether no two rows share a value."""
        return self.n_distinct >= min(self.n_rows, MOST_DISTINCT)

    @cached_property
    def fractional(self) -> bool:
        """Whether some number is not whole."""
        return self.sort == "number" and any(not float(v).is_integer() for v in self.values[:1000])

    @cached_property
    def texts(self) -> list[str]:
        """Up to a thousand of the values as text, spread over all of them."""
        step = max(1, self.n_distinct // _SAMPLE)
        return [str(text(value)).strip() for value in self.values[::step][:_SAMPLE]]

    @cached_property
    def words_each(self) -> float:
        """Mean number of words of a value."""
        return sum(len(t.split()) for t in self.texts) / max(1, len(self.texts))

    @cached_property
    def signs_each(self) -> float:
        """Mean length of a value."""
        return sum(map(len, self.texts)) / max(1, len(self.texts))


def look(engine: Engine, name: str) -> Facts:
    """Count one column of a table."""
    values, missing = engine.distinct(name, MOST_DISTINCT)
    blank = [v for v in values if isinstance(v, str) and not v.strip()]
    kept = [v for v in values if not (isinstance(v, str) and not v.strip())] if blank else values
    titles: Mapping[str, str] = getattr(engine, "titles", {})  # few formats have some
    return Facts(
        name, engine.types[name], kept, engine.n_rows, missing or bool(blank), titles.get(name, "")
    )
