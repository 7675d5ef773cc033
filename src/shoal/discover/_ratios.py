"""Distinct and separation ratio of one set of attributes, exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shoal.discover._results import AttributeSetRisk
from shoal.discover.sources._open import open_source
from shoal.discover.sources._source import Source
from shoal.typing import Native


def distinct_ratio(
    table: Native,
    columns: Sequence[str] | None = None,
    *,
    bins: Mapping[str, float] | None = None,
) -> float:
    """Distinct combinations of `columns`, per row.

    Parameters
    ----------
    table : frame, path or engine
        Any table; files and Spark tables are counted where they are.
    columns : sequence of str, optional
        The attributes; by default all.
    bins : mapping of str to float, optional
        Width of the bins into which numbers of a column are put before they are compared.

    Returns
    -------
    float
        At least 1 / n; 1 for a key.

    Examples
    --------
    >>> distinct_ratio({"age": [20, 30, 40, 20, 40], "sex": list("FFFMM")}, ["age"])
    0.6
    """
    return _risk(table, columns, bins).distinct_ratio


def separation_ratio(
    table: Native,
    columns: Sequence[str] | None = None,
    *,
    bins: Mapping[str, float] | None = None,
) -> float:
    """Share of the pairs of rows that differ on `columns`.

    Parameters
    ----------
    table, columns, bins
        As in :func:`distinct_ratio`.

    Returns
    -------
    float
        1 for a key, and for a table of one row, in which nothing is left to tell apart.

    Examples
    --------
    >>> separation_ratio({"age": [20, 30, 40, 20, 40], "sex": list("FFFMM")}, ["age"])
    0.8
    """
    return _risk(table, columns, bins).separation_ratio


def measure_set(source: Source) -> AttributeSetRisk:
    """Uniques and both ratios of all columns of a source together, counted where it is."""
    sizes, groups = source.group_sizes()
    n = source.n_rows
    unique = int(groups[sizes == 1].sum())
    together = int((groups * (sizes * (sizes - 1) // 2)).sum())
    pairs = n * (n - 1) // 2
    return AttributeSetRisk(
        attributes=source.names,
        unique=unique,
        unique_share=unique / n,
        distinct_ratio=int(groups.sum()) / n,
        separation_ratio=(pairs - together) / pairs if pairs else 1.0,
    )


def _risk(
    table: Native, columns: Sequence[str] | None, bins: Mapping[str, float] | None
) -> AttributeSetRisk:
    return measure_set(open_source(table, columns=columns, bins=bins))
