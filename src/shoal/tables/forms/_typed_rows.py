"""Which columns of a release are written in another form, and what is written for each row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.tables._engine import STAR, RowOptions
from shoal.tables._recoded import Recoded
from shoal.tables.forms._forms import Form, TypedColumn, typed_column
from shoal.tables.forms._means import mean_column
from shoal.typing import Codes


class TypedRows(NamedTuple):
    """Columns in another form, by the column they stand for, and the labels behind them."""

    columns: Mapping[str, Mapping[str, TypedColumn]]
    labels: Mapping[str, tuple[tuple[str | None, ...], Codes]]

    def spread(self, names: list[str]) -> list[str]:
        """Names of columns, with those that stand for others in their places."""
        return [new for name in names for new in self.columns.get(name, (name,))]

    def place(
        self, released: Mapping[str, str], stored: dict[str, NDArray[Any]], table: str
    ) -> dict[str, str]:
        """SQL for each released column, those in another form in the place of their own.

        What they hold is added to `stored`, the columns of a `table` of one row for each.
        """
        placed: dict[str, str] = {}
        for name, value in released.items():
            for new, column in self.columns.get(name, {}).items():
                column_name = f"f{len(stored)}"
                stored[column_name] = column.values
                stored[f"{column_name}_none"] = column.missing
                read = f"DATE '1970-01-01' + CAST({table}.{column_name} AS INTEGER)"
                read = read if column.kind == "date" else f"{table}.{column_name}"
                placed[new] = f"CASE WHEN {table}.{column_name}_none THEN NULL ELSE {read} END"
            if name not in self.columns:
                placed[name] = value
        return placed


class RowLabels(NamedTuple):
    """A column of labels: its name and kind, the texts, and the place of each row's."""

    name: str
    kind: str
    texts: tuple[str | None, ...]
    codes: Codes


def typed_labels(columns: Iterable[RowLabels], form: Form) -> TypedRows:
    """Columns in a form that labels alone decide: intervals, or middles of them."""
    made, labels = {}, {}
    for name, kind, texts, codes in columns:
        typed = typed_column(name, kind, texts, codes, form, 0)
        if typed is not None:
            made[name] = typed
            labels[name] = texts, codes
    return TypedRows(made, labels)


def typed_rows(recoded: Recoded, output: RowOptions, group: NDArray[np.int64]) -> TypedRows:
    """Make the columns of the rows of these groups; a row of no group is starred."""
    made: dict[str, Mapping[str, TypedColumn]] = {}
    labels: dict[str, tuple[tuple[str | None, ...], Codes]] = {}
    if output.form == "labels":
        return TypedRows(made, labels)
    for column, known in enumerate(recoded.labels):
        texts = (*known.texts, STAR)
        inside = recoded.codes[group, column] if len(recoded.codes) else np.zeros_like(group)
        codes = np.where(group < 0, len(known.texts), inside).astype(np.int32)
        name = known.coding.name
        # columns draw apart from one another: their chances must not be the same
        seed = (output.draw_seed or 0) + column
        if output.form == "means":
            typed = mean_column(recoded, column, group)
        else:
            typed = typed_column(name, known.coding.kind, texts, codes, output.form, seed)
        if typed is not None:
            made[name] = typed
            labels[name] = texts, codes
    return TypedRows(made, labels)
