"""Surveys: samples with weights, read so that risk in the population can be told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from shoal.errors import SchemaError
from shoal.risk._individual import weight_sums
from shoal.schema import Column, Schema
from shoal.tables import FrequencyTable, open_table
from shoal.typing import Native


def read_survey(
    table: Native, schema: Schema, columns: Sequence[str] = (), *, encoding: str | None = None
) -> FrequencyTable:
    """Count a survey's groups, with the weights, households and strata in each.

    Parameters
    ----------
    table : table or path
        Raw or released.
    schema : Schema
        Roles of the columns.
    columns : sequence of str
        Columns to count as sensitive ones are, whatever their role.
    encoding : str, optional
        Encoding of CSV files.

    Examples
    --------
    >>> schema = Schema(
    ...     {"city": {"role": "quasi-identifier"}, "w": {"role": "insensitive", "kind": "numeric"}}
    ... )
    >>> groups = read_survey({"city": ["Ulm", "Ulm"], "w": [10, 12]}, schema, ["w"])
    >>> groups.histograms["w"].totals.tolist()
    [1, 1]
    """
    written = {
        name: Column("quasi-identifier") if column.role == "quasi-identifier" else column
        for name, column in schema.items()
    }
    return _count(table, schema, written, columns, encoding)


def population_of(
    table: Native, schema: Schema, weight: str | None = None, *, encoding: str | None = None
) -> FrequencyTable:
    """A population, or one estimated from a weighted sample, in the form that privacy models take.

    With weights, each combination of quasi-identifiers counts the sum of its rows' weights, rounded
    down: the population never seems larger than the weights say.

    Parameters
    ----------
    table : table or path
        Everybody who might be in the table to be released; or, with `weight`, the sample.
    schema : Schema
        Roles of the columns; that of `weight` may be any but quasi-identifier.
    weight : str, optional
        Column with the number of people that each row stands for, at least 1.
    encoding : str, optional
        Encoding of CSV files.

    Examples
    --------
    >>> schema = Schema(
    ...     {"city": {"role": "quasi-identifier"}, "w": {"role": "insensitive", "kind": "numeric"}}
    ... )
    >>> population_of({"city": ["Ulm", "Ulm", "Kiel"], "w": [10, 12.5, 3]}, schema, "w").sizes
    array([ 3, 22])
    """
    if weight is None:
        known = {name: schema[name] for name in schema.quasi_identifiers}
        return open_table(table, encoding=encoding).compress(Schema(known)).cells
    cells = _count(table, schema, dict(schema), [weight], encoding)
    people = np.floor(weight_sums(cells, weight) + 1e-9).astype(np.int64)
    return replace(cells, sizes=people, histograms={}, rows=None)


def require_asked(schema: Schema, columns: Sequence[str]) -> None:
    """Raise where a column cannot be a weight or a household."""
    for name in columns:
        if name not in schema:
            raise SchemaError(f"column {name!r} has no role in the schema. Give it one.")
        if schema[name].role == "quasi-identifier":
            raise SchemaError(f"column {name!r} is a quasi-identifier, and no weight or household.")


def _count(
    table: Native,
    schema: Schema,
    roles: dict[str, Column],
    columns: Sequence[str],
    encoding: str | None,
) -> FrequencyTable:
    require_asked(schema, columns)
    for name in columns:
        roles[name] = Column("sensitive", schema[name].kind)
    rows = {  # rows are counted here, whoever they belong to
        name: Column("insensitive") if column.role in ("subject", "household") else column
        for name, column in roles.items()
    }
    engine = open_table(table, encoding=encoding, schema=schema)
    absent = {name for name, column in rows.items() if column.role in ("identifier", "insensitive")}
    kept = {name: c for name, c in rows.items() if name in engine.names or name not in absent}
    return engine.compress(Schema(kept)).cells
