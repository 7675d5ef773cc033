"""Baskets from a table: a column for each item, or a row for each item in a basket."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from shoal.audit import item_schema
from shoal.errors import ParameterError, SchemaError, TableError
from shoal.schema import Schema
from shoal.schema._text import text
from shoal.tables import open_table
from shoal.typing import Flags

TRUE = frozenset({"1", "1.0", "true", "yes"})
FALSE = frozenset({"0", "0.0", "false", "no"})


def read_items(
    table: Path, basket: str | None, item: str | None, encoding: str | None
) -> dict[str, Flags]:
    """Truth values by item."""
    columns = open_table(table, encoding=encoding).columns()
    if (basket is None) != (item is None):
        raise ParameterError("--basket and --item go together: name both columns, or neither.")
    if basket is None or item is None:
        return {name: _flags(name, column) for name, column in columns.items()}
    for name in (basket, item):
        if name not in columns:
            raise SchemaError(f"the table has no column {name!r}. Check --basket and --item.")
    return _gather(columns[basket], columns[item])


def _gather(baskets: Any, items: Any) -> dict[str, Flags]:
    """One array of truth values per item, from rows that name a basket and an item in it."""
    masked = np.ma.getmaskarray(baskets)
    if masked.any():
        raise TableError(f"{int(masked.sum())} rows name no basket. Number every row's basket.")
    _, basket_of = np.unique(np.asarray(np.ma.getdata(baskets)).astype(str), return_inverse=True)
    n_baskets = int(basket_of.max(initial=-1)) + 1
    columns: dict[str, Flags] = {}
    nothing = np.ma.getmaskarray(items)  # a basket may be listed without an item in it
    for row, name in enumerate(np.ma.getdata(items).tolist()):
        if not nothing[row]:
            has = columns.setdefault(str(text(name)), np.zeros(n_baskets, np.bool_))
            has[basket_of[row]] = True
    return columns


def _flags(name: str, column: Any) -> Flags:
    """A column of true and false in any of the usual spellings."""
    masked = np.ma.getmaskarray(column)
    values, codes = np.unique(np.asarray(np.ma.getdata(column)).astype(str), return_inverse=True)
    words = [value.strip().lower() for value in values.tolist()]
    if masked.any() or any(word not in TRUE | FALSE for word in words):
        raise TableError(
            f"column {name!r} holds something else than true and false (or 1 and 0, yes and no). "
            "A table with a row for each item in a basket is read with --basket and --item."
        )
    return np.array([word in TRUE for word in words], np.bool_)[codes]


def read_roles(schema: Path | None, private: Sequence[str], items: Sequence[str]) -> Schema:
    """Which items are private, from a schema or from their names."""
    if schema is None:
        if unknown := set(private) - set(items):
            raise SchemaError(f"{len(unknown)} private items are in no basket. Check --private.")
        return item_schema(items, private)
    if private:
        raise ParameterError("give --schema or --private, not both.")
    return Schema.from_toml(schema)


def read_parents(path: Path) -> dict[str, str]:
    """Parent of each item, from a table with the columns item and parent."""
    columns = open_table(path).columns()
    if not {"item", "parent"} <= columns.keys():
        raise SchemaError("the table of --hierarchy needs the columns item and parent.")
    item, parent = (np.ma.getdata(columns[name]).tolist() for name in ("item", "parent"))
    return {str(text(own)): str(text(above)) for own, above in zip(item, parent, strict=True)}
