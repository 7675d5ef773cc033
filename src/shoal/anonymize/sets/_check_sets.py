"""Whether a column of sets, released or not, keeps k^m-anonymity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from os import PathLike
from typing import Any

import numpy as np

from shoal._checks import check_integer
from shoal.anonymize._beside_cells import beside_cells
from shoal.anonymize._recheck import read_again
from shoal.anonymize._release_files import as_files_say
from shoal.anonymize._verdict import require_roles
from shoal.anonymize.sets._release_sets import set_column
from shoal.anonymize.sets._transactions import code_sets, count_combinations, written_items
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
    side_doors : tuple of str
        What a file holds besides the cells of its table, as in :class:`Verdict`.

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
    side_doors: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether no combination is rare, no column names people, and there are cells only."""
        return not (any(self.rare) or self.never_released or self.side_doors)

    @property
    def is_undecided(self) -> bool:
        """Whether nothing speaks against the table but what else is in its file."""
        return bool(self.side_doors) and not any(self.rare) and not self.never_released

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
    table = as_files_say(table, schema)
    engine = open_table(table, encoding=encoding)
    if name not in engine.names:
        raise SchemaError(f"the table lacks column {name!r}.")
    require_roles(schema, engine.names)
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
        tuple(n for n in engine.names if not schema[n].is_released),
        (*_doors(table, encoding), *_beside_items(known, separator)),
    )


def _beside_items(cells: Sequence[str | None], separator: str) -> Iterator[str]:
    """What cells tell besides their items: how often, in which order and with which blanks.

    Items that come in one order everywhere, such as that of the alphabet, tell nothing by it.
    """
    written = [written_items(cell, separator) for cell in cells]
    if any(len(set(items)) < len(items) for items in written):
        yield "sets that have an item twice"
    after: dict[str, set[str]] = {}
    for items in written:
        for item, following in pairwise(items):
            if item != following:
                after.setdefault(following, set()).add(item)
    texts_of: dict[tuple[str, ...], set[str]] = {}
    for cell, items in zip(cells, written, strict=True):
        texts_of.setdefault(tuple(sorted({*items})), set()).add(cell or "")
    try:
        TopologicalSorter(after).prepare()
    except CycleError:
        yield "sets whose items come in different orders, not all in that of the alphabet"
    else:
        if any(len(said) > 1 for said in texts_of.values()):
            yield "sets of the same items that are written in different ways"


def _doors(table: Native, encoding: str | None) -> tuple[str, ...]:
    """What a file has besides cells; its items are counted by an engine, which does not see it."""
    if not isinstance(table, str | PathLike):
        return ()
    doors = (*read_again(table, encoding).side_doors, *beside_cells(table))
    return tuple(dict.fromkeys(doors))
