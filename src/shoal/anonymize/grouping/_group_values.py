"""Groups for the categories of a schema, chosen by what a release at k loses with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from shoal._checks import check_integer
from shoal.anonymize._registry import make_method
from shoal.anonymize.grouping._candidates import (
    bundle_rare,
    hierarchy_of,
    merge_alike,
    merge_smallest,
)
from shoal.anonymize.grouping._profiles import value_counts, value_profiles
from shoal.errors import InfeasibleError, SchemaError
from shoal.schema import Hierarchy, Schema
from shoal.schema._builders import Flat
from shoal.tables import FrequencyTable, open_table
from shoal.tables._engine import Engine, OpenOptions
from shoal.tables._people import People
from shoal.tables.engines.formats._value_columns import stage_columns
from shoal.typing import Native, Progress

_ROWS = 2_000
"""Rows on which hierarchies are compared."""
_FEWEST, _MOST = 4, 2_000
"""Values that a column must have to be grouped, and may have at most."""


def group_values(
    table: Native,
    schema: Schema,
    k: int = 10,
    *,
    columns: Sequence[str] | None = None,
    method: str = "local",
    encoding: str | None = None,
    random_state: int = 0,
    progress: Progress | None = None,
) -> Schema:
    """Build hierarchies for categorical columns that have none, to lose little in a release at k.

    Parameters
    ----------
    table : frame, path or engine
        The raw table.
    schema : Schema
        Its columns; categorical quasi-identifiers that are flat, or have no hierarchy, are grouped.
    k : int
        Size of the smallest group that releases will have.
    columns : sequence of str, optional
        Columns to group; by default all that can be.
    method : str
        Method whose releases are compared.
    encoding : str, optional
        Encoding of CSV files.
    random_state : int
        Source of the sample on which hierarchies are compared.
    progress : callable, optional
        Told what is done.

    Returns
    -------
    Schema
        The schema with hierarchies where they lose less than hiding values does.

    Notes
    -----
    Four ways are tried for each column: bundling rare values, joining the smallest groups, joining
    values that occur with similar values of the other columns, and joining values with similar
    shares of the target.  The last is left out if the target is sensitive, since the groups would
    reveal something about it.  Up to 2,000 sampled rows are released with each, and the way with
    the least mean NCP is taken.

    **Guarantee.**  None of its own: a release is judged as with any other hierarchy, and keeps its
    promise.  The groups are computed from the rows, so whoever reads them learns which values are
    rare, and which are alike; labels name only values that k people have.

    Examples
    --------
    >>> towns = [t for t, n in zip("abcdefgh", (40, 30, 9, 3, 3, 2, 2, 1)) for _ in range(n)]
    >>> schema = Schema({"town": {"role": "quasi-identifier", "hierarchy": "flat"}})
    >>> grouped = group_values({"town": towns}, schema, k=5)
    >>> grouped["town"].hierarchy.n_levels > 2
    True
    """
    check_integer("k", k, 1)
    engine = open_table(table, encoding=encoding, schema=schema)
    compressed = engine.compress(schema)
    cells, people = compressed.cells, compressed.people
    wanted = _wanted(schema, cells, columns)
    sample = _sample(cells, np.random.default_rng(random_state))
    for done, name in enumerate(wanted):
        if progress is not None:
            progress(done, len(wanted), f"groups of {name}")
        flat = schema.replace(**{name: replace(schema[name], hierarchy=Flat())})
        best, least = flat, _loss(sample, flat, k, method)
        for tree in _trees(cells, people, cells.names.index(name), k, _open_target(schema)):
            tried = schema.replace(**{name: replace(schema[name], hierarchy=tree)})
            loss = _loss(sample, tried, k, method)
            if loss < least - 1e-9:
                best, least = tried, loss
        schema = best
    return schema


def _wanted(schema: Schema, cells: FrequencyTable, columns: Sequence[str] | None) -> list[str]:
    able = [
        name
        for name, coding in zip(cells.names, cells.codings, strict=True)
        if schema[name].kind == "categorical"
        and (schema[name].hierarchy is None or schema[name].hierarchy == Flat())
        and not schema[name].limit
        and _FEWEST <= coding.n_codes - (coding.missing >= 0) <= _MOST
    ]
    if columns is None:
        return able
    if unable := [name for name in columns if name not in able]:
        raise SchemaError(
            f"column {unable[0]!r} cannot be grouped: it must be a categorical quasi-identifier "
            f"of {_FEWEST} to {_MOST:,} values whose hierarchy is flat."
        )
    return list(columns)


def _open_target(schema: Schema) -> str | None:
    """The target, unless it is sensitive: labels built from its shares would reveal it."""
    target = schema.target
    return None if target is None or schema[target].role == "sensitive" else target


def _trees(
    cells: FrequencyTable, people: People | None, column: int, k: int, target: str | None
) -> Iterator[Hierarchy]:
    coding = cells.codings[column]
    texts = [value for value in coding.texts if value is not None]
    counts = value_counts(cells, column, people)[: len(texts)]
    ways = [
        bundle_rare(counts, k),
        merge_smallest(counts),
        merge_alike(value_profiles(cells, column)[: len(texts)]),
    ]
    if target is not None and target in cells.histograms:
        ways.append(merge_alike(value_profiles(cells, column, target)[: len(texts)]))
    for levels in ways:
        if levels:
            yield hierarchy_of(texts, levels, counts, k)


def _sample(cells: FrequencyTable, rng: np.random.Generator) -> Engine:
    """Rows drawn from the cells, quasi-identifiers alone: only the size of groups is asked for."""
    rows = np.repeat(np.arange(cells.n_groups), cells.row_counts)
    if len(rows) > _ROWS:
        rows = rng.choice(rows, _ROWS, replace=False)
    drawn: dict[str, list[object]] = {}
    for column, coding in enumerate(cells.codings):
        numeric = coding.kind == "numeric"
        values: list[object] = [
            None if value is None else float(number) if numeric else value
            for value, number in zip(coding.texts, coding.numbers, strict=True)
        ]
        drawn[coding.name] = [values[code] for code in cells.keys[rows, column]]
    # staged, not a frame: nobody needs pandas for a file
    return stage_columns(list(drawn), list(drawn.values()), OpenOptions(guess="none"))


def _loss(sample: Engine, schema: Schema, k: int, method: str) -> float:
    only = Schema({name: schema[name] for name in schema.quasi_identifiers})
    try:
        return float(make_method(method, only, k).fit(sample).release_.metrics.gcp)
    except InfeasibleError:
        return 1.0
