"""Whether a column of sets, released or not, keeps k^m-anonymity."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from shoal._checks import check_integer
from shoal.anonymize.sets._release_sets import set_column
from shoal.anonymize.sets._transactions import code_sets, count_combinations
from shoal.errors import SchemaError, TableError
from shoal.schema import Schema
from shoal.schema._text import texts
from shoal.tables import open_table
from shoal.typing import Native


@dataclass(frozen=True)
class SetVerdict:
    """What combinations of items reach.

    Parameters
    ----------
    k, m : int
        What was asked.
    n_rows : int
        Rows of the table.
    fewest : tuple of int
        For each size up to m: the fewest rows that a combination has; 0 where there is none.
    combinations, rare : tuple of int
        For each size: combinations that some row has, and those in fewer than k rows.
    never_released : tuple of str
        Columns that the table has and no release may have, such as identifiers.

    Examples
    --------
    >>> SetVerdict(k=2, m=1, n_rows=3, fewest=(1,), combinations=(2,), rare=(1,)).holds
    False
    """

    k: int
    m: int
    n_rows: int
    fewest: tuple[int, ...]
    combinations: tuple[int, ...]
    rare: tuple[int, ...]
    never_released: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether no combination is rare, and no column names people."""
        return not any(self.rare) and not self.never_released

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self) | {"holds": self.holds}


def check_sets(
    table: Native, schema: Schema, k: int, m: int = 2, *, encoding: str | None = None
) -> SetVerdict:
    """Count every combination of at most m items of a column of sets.

    Parameters
    ----------
    table : table or path
        Raw or released; with identifiers it is counted, and does not hold.
    schema : Schema
        Roles; one quasi-identifier, with a `separator`.
    k : int
        Fewest rows that have a combination of items.
    m : int
        Items that an attacker may know of a person, at most.
    encoding : str, optional
        Encoding of CSV files.

    Examples
    --------
    >>> schema = Schema({"basket": {"role": "quasi-identifier", "separator": ";"}})
    >>> found = check_sets({"basket": ["milk;rye", "milk;rye", "milk"]}, schema, 2)
    >>> found.holds, found.fewest
    (True, (2, 2))
    """
    check_integer("k", k, 1)
    check_integer("m", m, 1)
    name = set_column(schema)
    engine = open_table(table, encoding=encoding)
    if name not in engine.names:
        raise SchemaError(f"the table lacks column {name!r}.")
    if not engine.n_rows:
        raise TableError("the table has no rows, so there is nothing to check.")
    codes, values = engine.frame().factorize(name)
    known: list[str | None] = [*texts(values), None]
    separator = schema[name].separator or ""
    _, sets = code_sets(known, np.where(codes < 0, len(values), codes), separator)
    counted = [count_combinations(sets, size)[1] for size in range(1, m + 1)]
    return SetVerdict(
        k,
        m,
        sets.n_rows,
        tuple(int(counts.min()) if len(counts) else 0 for counts in counted),
        tuple(map(len, counted)),
        tuple(int((counts < k).sum()) for counts in counted),
        tuple(n for n in engine.names if n in schema and not schema[n].is_released),
    )
