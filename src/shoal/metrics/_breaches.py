"""Proximity and divergence breaches: what k-anonymity alone lets through, or brings about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from shoal.errors import ParameterError, SchemaError
from shoal.privacy import Proximity
from shoal.schema import Hierarchy
from shoal.tables import FrequencyTable
from shoal.tables._frequency import Histogram
from shoal.typing import Flags, Floats

_CHUNK = 2**21  # shares held at once: 16 MB


@dataclass(frozen=True)
class Breaches:
    """Groups and rows that suffer one kind of breach.

    Parameters
    ----------
    kind : str
        "proximity" or "divergence".
    column : str
        The sensitive column.
    n_groups, n_rows : int
        Groups with a breach, and rows that suffer it.
    share_of_groups, share_of_rows : float
        The same over all groups and rows.
    worst : float
        Proximity: largest share of a group within reach of one value.  Divergence: largest share
        of a group with one value that is distant from another's.
    """

    kind: str
    column: str
    n_groups: int
    n_rows: int
    share_of_groups: float
    share_of_rows: float
    worst: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def proximity_breaches(groups: FrequencyTable, column: str, *, e: float, m: float) -> Breaches:
    """Groups where more than 1/`m` of the rows lie within `e` of one row's number [LTX08]_.

    Parameters
    ----------
    groups : FrequencyTable
        Groups of a release, or the cells of any table.
    column : str
        Numeric sensitive column.
    e : float
        Half the width of a neighbourhood.
    m : float
        At least 1; 2 means that half of a group may be alike.

    Returns
    -------
    Breaches
        All rows of such a group count: an attacker who knows the group learns the neighbourhood.

    References
    ----------
    .. [LTX08] J. Li, Y. Tao, X. Xiao.  Preservation of proximity privacy in publishing numerical
       sensitive data.  SIGMOD 2008.  doi:10.1145/1376616.1376666

    Examples
    --------
    >>> from shoal.tables import open_table
    >>> from shoal.schema import Schema
    >>> people = {"city": ["Ulm", "Ulm", "Ulm", "Kiel"], "income": [20, 21, 90, 50]}
    >>> schema = Schema(
    ...     {
    ...         "city": {"role": "quasi-identifier"},
    ...         "income": {"role": "sensitive", "kind": "numeric"},
    ...     }
    ... )
    >>> groups = open_table(people).compress(schema).cells
    >>> found = proximity_breaches(groups, "income", e=5, m=2)
    >>> found.n_groups, found.n_rows  # two of three in Ulm earn alike; Kiel has one person
    (2, 4)
    """
    _histogram(groups, column)
    model = Proximity(e, m, column)
    level = model.column_levels(groups, column)
    filled = groups.sizes > 0
    broken = filled & (level < m * (1 - 1e-12))
    worst = float((1 / level[filled]).max()) if filled.any() else 0.0
    return _counted("proximity", column, groups, broken, groups.sizes[broken].sum(), worst)


def divergence_breaches(
    groups: FrequencyTable,
    column: str,
    *,
    limit: float = 0.5,
    confidence: float = 0.0,
    hierarchy: Hierarchy | None = None,
) -> Breaches:
    """Rows that their group links to a category far from their own [PP10]_.

    Someone with gastritis in a group with stomach cancer is taken for a cancer patient with some
    probability, which the raw table would not have caused.

    Parameters
    ----------
    groups : FrequencyTable
        Groups of a release.
    column : str
        Categorical sensitive column.
    limit : float, default=0.5
        Distance above which two categories are distant: the height of their lowest common
        ancestor over the height of the tree, from 0 (equal) to 1 (nothing in common).
    confidence : float, default=0.0
        Share of the group that the distant category must have to count.
    hierarchy : Hierarchy or None
        Tree of the categories; the column's own when not given.

    Returns
    -------
    Breaches
        Rows are counted one by one: those with a distant category in their group.

    References
    ----------
    .. [PP10] E. Poovammal, M. Ponnavaikko.  Utility independent privacy preserving data mining:
       horizontally partitioned data.  Data Science Journal 9, 2010.

    Examples
    --------
    >>> from shoal.tables import open_table
    >>> from shoal.schema import Schema
    >>> people = {"city": ["Ulm", "Ulm", "Kiel"], "illness": ["ulcer", "cancer", "ulcer"]}
    >>> schema = Schema(
    ...     {"city": {"role": "quasi-identifier"}, "illness": {"role": "sensitive"}}
    ... )
    >>> groups = open_table(people).compress(schema).cells
    >>> tree = Hierarchy.flat(["ulcer", "cancer"])
    >>> divergence_breaches(groups, "illness", hierarchy=tree).n_rows  # both in Ulm
    2
    """
    if not 0 <= limit <= 1 or not 0 <= confidence <= 1:
        raise ParameterError("divergence: limit and confidence must lie between 0 and 1.")
    histogram = _histogram(groups, column)
    far = _distances(histogram, hierarchy) > limit
    broken = np.zeros(groups.n_groups, np.bool_)
    n_rows, worst = 0, 0.0
    for part, counts in _dense(histogram):
        share = counts / np.maximum(groups.sizes[part], 1)[:, None]
        linked = (share > 0) & (share >= confidence)
        hit = (counts > 0) & ((linked.astype(np.float64) @ far) > 0)
        broken[part] = hit.any(axis=1)
        n_rows += int(counts[hit].sum())
        guilty = linked & (((counts > 0).astype(np.float64) @ far) > 0)
        worst = max(worst, float(share[guilty].max(initial=0.0)))
    return _counted("divergence", column, groups, broken, n_rows, worst)


def _histogram(groups: FrequencyTable, column: str) -> Histogram:
    if column not in groups.histograms:
        raise SchemaError(f"breaches: column {column!r} is not counted. Make it sensitive.")
    return groups.histograms[column]


def _distances(histogram: Histogram, hierarchy: Hierarchy | None) -> Floats:
    coding = histogram.coding
    tree = coding.hierarchy if hierarchy is None else hierarchy
    if tree is None:
        raise SchemaError(
            f"divergence: column {coding.name!r} has no hierarchy, so no distance between its "
            "categories. Give it one in the schema, or pass hierarchy."
        )
    nodes = np.array([tree.root if t is None else tree.find(t) for t in coding.texts], np.int32)
    present = histogram.totals > 0
    if (nodes[present] < 0).any():
        absent = int((nodes[present] < 0).sum())
        raise SchemaError(
            f"divergence: the hierarchy of {coding.name!r} misses {absent} of its values."
        )
    nodes = np.maximum(nodes, 0)
    above = tree.lowest_common_ancestor(nodes[:, None], nodes[None, :])
    distance = tree.height[above] / max(1, int(tree.height[tree.root]))
    missing = np.array([t is None for t in coding.texts])
    distance[missing] = distance[:, missing] = 0.0  # a missing value says nothing about anyone
    np.fill_diagonal(distance, 0.0)
    return np.asarray(distance, np.float64)


def _dense(histogram: Histogram) -> Iterator[tuple[slice, Floats]]:
    step = max(1, _CHUNK // max(1, histogram.coding.n_codes))
    for first in range(0, histogram.n_groups, step):
        part = slice(first, min(first + step, histogram.n_groups))
        inside = slice(int(histogram.start[part.start]), int(histogram.start[part.stop]))
        counts = np.zeros((part.stop - part.start, histogram.coding.n_codes))
        counts[histogram.group_of_entry[inside] - first, histogram.codes[inside]] = (
            histogram.counts[inside]
        )
        yield part, counts


def _counted(
    kind: str, column: str, groups: FrequencyTable, broken: Flags, n_rows: int, worst: float
) -> Breaches:
    filled = int((groups.sizes > 0).sum())
    return Breaches(
        kind=kind,
        column=column,
        n_groups=int(broken.sum()),
        n_rows=int(n_rows),
        share_of_groups=float(broken.sum() / filled) if filled else 0.0,
        share_of_rows=float(n_rows / groups.n_rows) if groups.n_rows else 0.0,
        worst=worst,
    )
