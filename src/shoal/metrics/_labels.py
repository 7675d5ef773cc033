"""What a release costs, judged by how coarse its labels are.

Everywhere a label that covers one raw value costs nothing (a missing value released as missing
included), a suppressed row costs 1 in every column, and a label that hides whether a value is
missing costs 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from shoal.tables._recoded import Labels, Recoded
from shoal.typing import Codes, Floats


def label_ncp(labels: Labels) -> Floats:
    """Normalized certainty penalty of each label of a column [XWP06]_.

    A node or range of m out of M values costs m / M; in a numeric or date column without
    hierarchy it costs (high - low) / (max - min).

    References
    ----------
    .. [XWP06] J. Xu, W. Wang, J. Pei, X. Wang, B. Shi, A. Fu.  Utility-based anonymization using
       local recoding.  KDD 2006.  doi:10.1145/1150402.1150504
    """
    cost = _spread(labels)
    if cost is None:
        n_values = labels.coding.n_codes - (labels.coding.missing >= 0)
        cost = labels.covered / max(1, n_values)
    return _settle(labels, cost)


def label_loss(labels: Labels) -> Floats:
    """Loss metric LM of each label of a column: (m - 1) / (M - 1), else as :func:`label_ncp`."""
    cost = _spread(labels)
    if cost is None:
        n_values = labels.coding.n_codes - (labels.coding.missing >= 0)
        cost = (labels.covered - 1) / max(1, n_values - 1)
    return _settle(labels, cost)


def label_height(labels: Labels) -> Floats:
    """Height of each label's subtree over the height of the hierarchy.

    A range that is no node counts as the lowest node that covers it.  Without a hierarchy a
    numeric or date range costs (high - low) / (max - min), any other set 1.
    """
    tree, cost = labels.coding.hierarchy, _spread(labels)
    if tree is not None:
        cost = tree.height[_nodes(labels)] / max(1, int(tree.height[tree.root]))
    return _settle(labels, np.ones(len(labels.texts)) if cost is None else cost)


def ncp(recoded: Recoded) -> Floats:
    """Normalized certainty penalty of each column, per row: 0 (raw) to 1 (nothing left)."""
    return _per_column(recoded, label_ncp)


def gcp(recoded: Recoded, weights: Sequence[float] | None = None) -> float:
    """Global certainty penalty: the columns' mean NCP, weighted if weights are given.

    Examples
    --------
    >>> from shoal.anonymize import Mondrian
    >>> from shoal.schema import Schema
    >>> people = {
    ...     "age": [21, 22, 34, 35, 61, 62],
    ...     "illness": ["flu", "flu", "cold", "flu", "gout", "cold"],
    ... }
    >>> schema = Schema(
    ...     {
    ...         "age": {"role": "quasi-identifier", "kind": "numeric"},
    ...         "illness": {"role": "sensitive", "target": True},
    ...     }
    ... )
    >>> release = Mondrian(schema, 2).fit(people).release_
    >>> round(gcp(release.recoded), 2)  # ages are released as [20-34] and [30-69]
    0.55
    """
    return _mean(ncp(recoded), weights)


def loss(recoded: Recoded) -> float:
    """Loss metric LM [Iye02]_, the mean over rows and columns.

    References
    ----------
    .. [Iye02] V. Iyengar.  Transforming data to satisfy privacy constraints.  KDD 2002.
       doi:10.1145/775047.775089
    """
    return _mean(_per_column(recoded, label_loss))


def information_loss(recoded: Recoded) -> float:
    """Hierarchical information loss IL, summed over rows and columns [BKBL07]_.

    A group costs its size times the columns' :func:`label_height`; a suppressed row costs 1 per
    column.

    References
    ----------
    .. [BKBL07] J. Byun, A. Kamra, E. Bertino, N. Li.  Efficient k-anonymization using clustering
       techniques.  DASFAA 2007.  doi:10.1007/978-3-540-71703-4_18
    """
    return float(_per_column(recoded, label_height).sum() * recoded.cells.n_rows)


def precision(recoded: Recoded) -> float:
    """One less the mean share of levels that values were raised: Prec [Swe02]_.

    A value released as a node that first stands at level h of its hierarchy's levels 0 to H costs
    h / H, and the root 1.  A range
    that is no node counts as the lowest node that covers it; without a hierarchy there are two
    levels, the value and all else.

    References
    ----------
    .. [Swe02] L. Sweeney.  Achieving k-anonymity privacy protection using generalization and
       suppression.  International Journal on Uncertainty, Fuzziness and Knowledge-based
       Systems 10(5), 2002.
    """
    costs = [_level_share(recoded, column) for column in range(len(recoded.labels))]
    return 1.0 - _mean(np.array(costs))


# -- parts --------------------------------------------------------------------------------------


def _spread(labels: Labels) -> Floats | None:
    """Width of each label on a line of numbers or dates; None where a column is no such line."""
    coding = labels.coding
    if coding.hierarchy is not None or coding.kind not in ("numeric", "date"):
        return None
    numbers = labels.coding.numbers  # rising: without a hierarchy codes follow the numbers
    width = np.nanmax(numbers, initial=-np.inf) - np.nanmin(numbers, initial=np.inf)
    if not width > 0:
        return np.zeros(len(labels.texts))
    low, high = numbers[labels.low], numbers[labels.high]
    if labels.ends is not None:  # what is written counts, not whom it covers
        low, high = labels.ends.T
    return np.nan_to_num((high - low) / width)


def _settle(labels: Labels, cost: Floats) -> Floats:
    missing = labels.coding.missing
    hides_missing = (labels.low < labels.high) & (labels.high == missing) & (missing >= 0)
    return np.where(labels.is_raw, 0.0, np.where(hides_missing, 1.0, cost))


def _nodes(labels: Labels) -> Codes:
    tree = labels.coding.hierarchy
    assert tree is not None
    return np.where(
        labels.node >= 0, labels.node, tree.lowest_common_ancestor(labels.low, labels.high)
    ).astype(np.int32)


def _per_column(recoded: Recoded, cost_of: Callable[[Labels], Floats]) -> Floats:
    sizes, n_rows = recoded.groups.sizes, recoded.cells.n_rows
    costs = np.zeros(len(recoded.labels))
    for column, labels in enumerate(recoded.labels):
        cost = cost_of(labels)
        if cost.any():  # raw values cost nothing, and there may be millions of groups
            costs[column] = float((sizes * cost[recoded.codes[:, column]]).sum())
    return (costs + recoded.n_suppressed) / max(1, n_rows)


def _level_share(recoded: Recoded, column: int) -> float:
    labels, sizes = recoded.labels[column], recoded.cells.sizes
    if labels.is_raw.all():
        return recoded.n_suppressed / max(1, recoded.cells.n_rows)
    kept = ~recoded.suppressed
    label = recoded.codes[recoded.group_of[kept], column]
    tree = labels.coding.hierarchy
    if tree is None:
        share = (~labels.is_raw[label]).astype(np.float64)
    else:
        node, top = _nodes(labels), max(1, tree.n_levels - 1)
        first, last = np.full((2, tree.n_nodes), -1)  # level at which a node stands above a value
        for level in range(tree.n_levels):
            down = tree.n_levels - 1 - level
            first[tree.levels[:, down]] = down
            is_new = tree.levels[:, level] != tree.levels[:, level - 1] if level else slice(None)
            last[tree.levels[is_new, level]] = level
        of_label = np.where(first == last, first / top, -1.0)[node]
        of_label[node == tree.root] = 1.0  # short branches and missing values reach it early
        of_label[labels.is_raw] = 0.0
        share = of_label[label]
        if len(mixed := np.flatnonzero(share < 0)):  # values are not equally far below their node
            leaf = recoded.cells.keys[kept, column][mixed]
            share[mixed] = np.argmax(tree.levels[leaf] == node[label[mixed], None], axis=1) / top
    total = float((sizes[kept] * share).sum()) + recoded.n_suppressed
    return total / max(1, recoded.cells.n_rows)


def _mean(costs: Floats, weights: Sequence[float] | None = None) -> float:
    if not len(costs):
        return 0.0
    weight = np.ones(len(costs)) if weights is None else np.asarray(weights, np.float64)
    return float((costs * weight).sum() / weight.sum()) if weight.sum() > 0 else 0.0
