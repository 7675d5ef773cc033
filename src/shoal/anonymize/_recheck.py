"""Count the output itself: the last word before anything is handed out.

Shares nothing with the solvers: it reads the released rows as any recipient would, groups them by
what is written in the quasi-identifier columns, and asks the privacy model's plain definition
(`holds`), which solvers do not use.
"""

from __future__ import annotations

import numpy as np

from shoal.errors import GuaranteeError
from shoal.privacy import PrivacyModel
from shoal.schema import Column, Schema
from shoal.tables import FrequencyTable, RowOptions, open_table
from shoal.tables._engine import STAR
from shoal.tables._recoded import Recoded
from shoal.typing import Native


def recheck(
    table: Native, schema: Schema, privacy: PrivacyModel, output: RowOptions, recoded: Recoded
) -> FrequencyTable:
    """Raise :class:`GuaranteeError` unless the released rows keep the promise."""
    groups = count_released(table, schema, drop_stars=output.keep_suppressed)
    expected = recoded.n_released_rows
    if groups.n_rows != expected:
        raise GuaranteeError(
            f"the output has {groups.n_rows} rows where {expected} were to be released. "
            "It is withheld; please report this defect."
        )
    if schema.subject is not None:  # whose the rows are cannot be seen in a release
        return groups
    failing = ~privacy.holds(privacy.prepare_release(groups, recoded))
    if failing.any():
        raise GuaranteeError(
            f"{int(failing.sum())} groups of the output ({int(groups.sizes[failing].sum())} rows) "
            f"break the promise: {privacy.describe()}. It is withheld; please report this defect."
        )
    return groups


def count_released(
    table: Native, schema: Schema, *, drop_stars: bool = False, encoding: str | None = None
) -> FrequencyTable:
    """Groups of a released table: rows with equal text in all quasi-identifier columns.

    Missing values match one another and nothing else.  `drop_stars` leaves out rows whose
    quasi-identifiers are all starred: those of suppressed rows that were kept.
    """
    engine = open_table(table, encoding=encoding)
    released = plain_schema(schema, engine.names)
    groups = engine.compress(released).cells
    if not drop_stars:
        return groups
    starred = np.ones(groups.n_groups, np.bool_)
    for column, coding in enumerate(groups.codings):
        starred &= groups.keys[:, column] == coding.code_of.get(STAR, -1)
    kept = np.where(starred, -1, np.cumsum(~starred) - 1)
    return groups.merge(kept, int((~starred).sum()))


def plain_schema(schema: Schema, names: tuple[str, ...]) -> Schema:
    """The schema of a released table: quasi-identifiers are text, added columns insensitive."""
    columns: dict[str, Column] = {}
    for name in names:
        column = schema.get(name)
        if column is None:
            columns[name] = Column("insensitive")
        elif column.role == "quasi-identifier":
            columns[name] = Column("quasi-identifier", target=column.target)
        else:
            columns[name] = column
    return Schema(columns)
