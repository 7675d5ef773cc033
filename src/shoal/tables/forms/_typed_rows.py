"""Which columns of a release are written in another form, and what is written for each row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.tables._engine import STAR, RowOptions
from shoal.tables._recoded import Recoded
from shoal.tables.forms._forms import TypedColumn, typed_column
from shoal.tables.forms._means import mean_column
from shoal.typing import Codes


class TypedRows(NamedTuple):
    """Columns in another form, by the column they stand for, and the labels behind them."""

    columns: Mapping[str, Mapping[str, TypedColumn]]
    labels: Mapping[str, tuple[tuple[str | None, ...], Codes]]

    def spread(self, names: list[str]) -> list[str]:
        """Names of columns, with those that stand for others in their places."""
        return [new for name in names for new in self.columns.get(name, (name,))]


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
