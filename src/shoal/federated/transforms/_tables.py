"""Encode and decode tables wherever they are: frames, DuckDB relations, Spark."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.errors import SchemaError
from shoal.federated.transforms._aliases import AliasTable
from shoal.federated.transforms._key import ColumnCode, TransformKey
from shoal.federated.transforms._ranges import GradedRanges
from shoal.federated.transforms._sql import code_sql
from shoal.frames._frame import Frame
from shoal.tables import open_table
from shoal.tables._engine import ColumnMap, Dialect
from shoal.typing import Native


def encode(table: Native, key: TransformKey, *, clear: Sequence[str] = ()) -> Native:
    """Replace the key's columns by their published form; rows stay in their order.

    Parameters
    ----------
    table : table or path
        Whatever :func:`shoal.tables.open_table` reads.  Must have every column of the key.
    key : TransformKey
        The shared key.
    clear : sequence of str, default=()
        Columns that the key does not name and that stay as they are.  Others are an error: what
        nobody thought of must not leave.

    Returns
    -------
    table
        In the caller's own library.  Frames are checked now; relations and Spark tables, which are
        lazy, stop the query that meets a value outside the key.
    """
    engine = open_table(table)
    maps = code_maps(key, engine.names, back=False)
    leaving(engine.names, key, clear)
    return engine.exchange(maps)


def leaving(
    columns: Sequence[str], key: TransformKey, clear: Sequence[str], *, drop_others: bool = False
) -> list[str]:
    """Columns that may leave: the key's, and those that the caller named; or an error."""
    for name in clear:
        if name in key.columns or name not in columns:
            where = "is in the key" if name in key.columns else "is not in the table"
            raise SchemaError(f"column '{name}' cannot be written as it is: it {where}.")
    others = [name for name in columns if name not in key.columns and name not in clear]
    if others and not drop_others:
        raise SchemaError(
            f"columns that the key does not name: {', '.join(map(repr, others))}. They would leave "
            "the site as they are. Drop them (--drop-others), name those that may be read by "
            "everyone (--clear NAME), or agree on a key that has them; nothing was written."
        )
    return [name for name in columns if name not in others]


def decode(table: Native, key: TransformKey) -> Native:
    """Exact inverse of `encode`; columns that the miner left out may be missing."""
    engine = open_table(table)
    return engine.exchange(code_maps(key, engine.names, back=True))


def require(key: TransformKey, columns: Sequence[str]) -> None:
    """Raise when a table lacks a column of the key."""
    missing = [name for name in key.columns if name not in columns]
    if missing:
        shown = ", ".join(map(repr, missing))
        raise SchemaError(f"columns of the key missing from the table: {shown}.")


def require_any(key: TransformKey, columns: Sequence[str]) -> None:
    """Raise when a table has no column of the key: there is nothing to decode."""
    if not any(name in columns for name in key.columns):
        raise SchemaError("the table has none of the key's columns.")


@dataclass(frozen=True)
class CodeMap:
    """One column's code as the engines take it: as SQL, or on a frame."""

    code: ColumnCode
    back: bool

    def sql(self, column: str, dialect: Dialect) -> str:
        """An expression of the new value."""
        return code_sql(self.code, column, dialect, back=self.back)

    def on_frame(self, frame: Frame, name: str) -> Frame:
        """The frame with the column exchanged; values are checked now."""
        if isinstance(self.code, AliasTable):
            return _exchange(frame, name, self.code, back=self.back)
        return _grade(frame, name, self.code, back=self.back)


def code_maps(key: TransformKey, columns: Sequence[str], *, back: bool) -> dict[str, ColumnMap]:
    """How the columns of a table that the key knows are exchanged."""
    (require_any if back else require)(key, columns)
    return {name: CodeMap(code, back) for name, code in key.columns.items() if name in columns}


def _exchange(frame: Frame, name: str, table: AliasTable, *, back: bool) -> Frame:
    (table.check_aliases if back else table.check)(frame.distinct(name), name)
    old, new = table.categories, table.aliases
    if back:
        old, new = new, old
    return frame.with_values(name, dict(zip(old, new, strict=True)))


def _grade(frame: Frame, name: str, ranges: GradedRanges, *, back: bool) -> Frame:
    if frame.types[name] != "number":
        raise SchemaError(f"column '{name}' is graded by the key but is not numeric.")
    numbers = (ranges.decode if back else ranges.encode)(frame.numbers(name), name)
    # whole numbers come back as such, unless a missing value among them makes a float of them
    if back and ranges.decimals == 0 and not np.isnan(numbers).any():
        numbers = numbers.astype(np.int64)
    return frame.with_numbers(name, numbers)
