"""Levels that no row decides: what a hardened release is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shoal.errors import ParameterError, SchemaError
from shoal.schema import Schema
from shoal.schema._bands import EqualFrequency, EqualWidth
from shoal.schema._builders import Auto

FINEST_BANDS = 1
"""Level of columns that `levels` does not name."""


def require_public(schema: Schema) -> None:
    """Raise unless every quasi-identifier coarsens in a way that no row decides."""
    from_data = [name for name in schema.quasi_identifiers if not _is_public(schema, name)]
    if from_data:
        raise SchemaError(
            f"hardened=True: {', '.join(map(repr, from_data))} would coarsen as the data says. "
            "Give each a hierarchy of intervals, breaks, prefixes, dates, a tree or a file, or "
            "`lines`."
        )


def _is_public(schema: Schema, name: str) -> bool:
    column = schema[name]
    if column.hierarchy is None:
        return column.lines is not None or column.kind == "categorical"
    return not isinstance(column.hierarchy, Auto | EqualWidth | EqualFrequency)


def fixed_levels(
    names: Sequence[str], shape: Sequence[int], levels: Mapping[str, int] | None
) -> tuple[int, ...]:
    """The level of each column: as `levels` says, else its finest bands.

    Examples
    --------
    >>> fixed_levels(("age", "sex"), (4, 2), {"age": 2})
    (2, 1)
    """
    given = dict(levels or {})
    if unknown := sorted(given.keys() - set(names)):
        raise ParameterError(f"levels: {unknown[0]!r} is not a quasi-identifier.")
    chosen = []
    for name, n_levels in zip(names, shape, strict=True):
        level = given.get(name, min(FINEST_BANDS, n_levels - 1))
        if not isinstance(level, int) or not 0 <= level < n_levels:
            raise ParameterError(
                f"levels: {name!r} has the levels 0 to {n_levels - 1}, got {level!r}."
            )
        chosen.append(level)
    return tuple(chosen)
