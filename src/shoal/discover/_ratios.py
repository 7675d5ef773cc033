"""Distinct and separation ratio of one set of attributes, exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from shoal.discover._open import open_source
from shoal.discover._results import AttributeSetRisk
from shoal.discover._source import Source
from shoal.tables import FrequencyTable
from shoal.typing import Counts, Native


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
        The attributes; all without it.
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


def group_ratios(groups: FrequencyTable) -> dict[str, float]:
    """Both ratios and the share of unique rows of a table that is counted already.

    Parameters
    ----------
    groups : FrequencyTable
        Cells of a raw table, or groups of a release: then the ratios say how far the
        quasi-identifiers still tell people apart.

    Returns
    -------
    dict
        `distinct_ratio`, `separation_ratio` and `unique_share`.
    """
    sizes, counts = np.unique(groups.sizes, return_counts=True)
    risk = _measure((), sizes, counts, groups.n_rows)
    return {
        "distinct_ratio": risk.distinct_ratio,
        "separation_ratio": risk.separation_ratio,
        "unique_share": risk.unique_share,
    }


def measure_set(source: Source) -> AttributeSetRisk:
    """Uniques and both ratios of all columns of a source together, counted where it is."""
    return _measure(source.names, *source.group_sizes(), source.n_rows)


def _measure(names: tuple[str, ...], sizes: Counts, groups: Counts, n: int) -> AttributeSetRisk:
    unique = int(groups[sizes == 1].sum())
    together = int((groups * (sizes * (sizes - 1) // 2)).sum())
    pairs = n * (n - 1) // 2
    return AttributeSetRisk(
        attributes=names,
        unique=unique,
        unique_share=unique / n if n else 0.0,
        distinct_ratio=int(groups.sum()) / n if n else 0.0,
        separation_ratio=(pairs - together) / pairs if pairs else 1.0,
    )


def _risk(
    table: Native, columns: Sequence[str] | None, bins: Mapping[str, float] | None
) -> AttributeSetRisk:
    return measure_set(open_source(table, columns=columns, bins=bins))
