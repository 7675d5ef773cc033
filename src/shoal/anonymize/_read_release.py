"""A released table read back, with numbers and dates in place of labels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from shoal._addresses import path_of
from shoal._checks import check_choice
from shoal.anonymize._release_files import find_schema, is_manifest, table_beside, written_form
from shoal.errors import TableError
from shoal.frames._frame import Frame
from shoal.schema import Schema
from shoal.schema._text import text
from shoal.tables import open_table
from shoal.tables.forms._forms import Form, typed_column
from shoal.typing import Codes, Native, PathText


def read_release(
    source: PathText,
    form: Form = "intervals",
    *,
    schema: Schema | None = None,
    random_state: int = 0,
) -> Native:
    """Read a released table into a dataframe whose columns have types.

    Parameters
    ----------
    source : path
        The released table, or its manifest.
    form : {"intervals", "midpoints", "draws", "labels"}
        What to make of labels of numeric and date columns: columns `NAME_low` and `NAME_high`, the
        middle of the label, a value drawn within it, or the label as it is.
    schema : Schema, optional
        What the columns are; `NAME.schema.toml` beside the table unless given.
    random_state : int
        Seed of the draws.

    Returns
    -------
    DataFrame
        Of pandas, or of Polars where only that is installed.

    Examples
    --------
    >>> import shoal, tempfile
    >>> schema = shoal.Schema({"age": {"role": "quasi-identifier", "kind": "numeric"}})
    >>> made = shoal.release({"age": [31, 34, 52, 58]}, schema, k=2, method="mondrian")
    >>> path = made.write(tempfile.mkdtemp() + "/people.csv")["table"]
    >>> sorted(shoal.read_release(path)["age_low"])
    [30, 30, 50, 50]
    """
    check_choice("form", form, get_args(Form))
    path = path_of(source)
    table = table_beside(path) if is_manifest(path) else path
    if table is None:
        raise TableError(f"there is no released table beside {path.name!r}. Name the table.")
    known = schema or _schema_beside(table)
    columns: dict[str, Any] = dict(open_table(table).columns())
    if written_form(table) == "labels":
        columns = _typed(columns, known, form, random_state)
    return Frame.from_columns(columns).native


def _schema_beside(table: Path) -> Schema:
    path = find_schema(table)
    if not path.exists():
        raise TableError(
            f"there is no {path.name!r} beside {table.name}. Say what its columns are with schema=."
        )
    return Schema.from_toml(path)


def _typed(columns: dict[str, Any], schema: Schema, form: Form, seed: int) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for index, (name, values) in enumerate(columns.items()):
        column = schema.get(name)
        typed = None
        if column is not None and column.role == "quasi-identifier":
            texts, codes = code_texts(values)
            typed = typed_column(name, column.kind, texts, codes, form, seed + index)
        if typed is None:
            made[name] = values
        else:
            made |= {new: one.plain() for new, one in typed.items()}
    return made


def code_texts(values: NDArray[Any]) -> tuple[Sequence[str | None], Codes]:
    """The distinct texts of a column and the number of each row's."""
    number: dict[str | None, int] = {}
    listed = np.ma.filled(np.ma.MaskedArray(values, dtype=object), None).tolist()
    codes = [number.setdefault(text(value), len(number)) for value in listed]
    return tuple(number), np.array(codes, np.int32)
