"""Error-based pruning that replaces subtrees by leaves, and does nothing else."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

import numpy as np

from shoal.models.tree.growth._grown import Grown


def prune(tree: Grown, confidence: float) -> None:
    """Replace subtrees whose expected error is no less than a leaf's [Qui93]_.

    Bottom up, first where the subtree errs as much as a leaf on the training rows themselves, then
    by the pessimistic estimate at the given confidence.  Replacing a subtree by a leaf joins bins,
    so no group of rows gets smaller; C4.5's other step, raising a branch, routes rows anew and may
    break a guarantee, so it is not taken.

    References
    ----------
    .. [Qui93] J. R. Quinlan.  C4.5: Programs for Machine Learning.  Morgan Kaufmann, 1993.
    """
    wrong = np.array([mass.sum() - mass.max() for mass in tree.mass])
    below = wrong.copy()
    order = range(len(tree.split) - 1, -1, -1)  # children come after their parents
    for node in order:
        split = tree.split[node]
        if split is not None:
            below[node] = sum(below[child] for child in split.children)
            if below[node] >= wrong[node] - 1e-3:
                tree.split[node], below[node] = None, wrong[node]
    z = NormalDist().inv_cdf(1 - confidence)
    whole = np.array([mass.sum() for mass in tree.mass])
    expected = np.zeros(len(wrong))
    for node in order:
        as_leaf = wrong[node] + added_errors(whole[node], wrong[node], confidence, z)
        split = tree.split[node]
        as_tree = np.inf if split is None else sum(expected[child] for child in split.children)
        if as_leaf <= as_tree + 0.1:
            tree.split[node], expected[node] = None, as_leaf
        else:
            expected[node] = as_tree


def added_errors(n: float, wrong: float, confidence: float, z: float) -> float:
    """Errors to add to those observed: the upper end of a one-sided interval, times `n`.

    Exact binomial below one error, interpolated up to there, the normal approximation with its
    continuity correction beyond.

    Examples
    --------
    >>> round(added_errors(6, 0, 0.25, 0.6745), 3)  # Quinlan's example: 6 x 0.206
    1.238
    """
    if n <= 0:
        return 0.0
    if wrong < 1:
        none = n * (1 - confidence ** (1 / n))
        if wrong == 0:
            return float(none)
        return float(none + wrong * (added_errors(n, 1.0, confidence, z) - none))
    if wrong + 0.5 >= n:
        return max(n - wrong, 0.0)
    share = (wrong + 0.5) / n
    inner = share / n - share**2 / n + z**2 / (4 * n**2)
    return float((share + z**2 / (2 * n) + z * sqrt(inner)) / (1 + z**2 / n) * n - wrong)
