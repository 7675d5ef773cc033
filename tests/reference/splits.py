"""Slow, obvious twins of the kernels that score and forbid splits."""

from itertools import pairwise

import numpy as np


def impurity(classes, weights, criterion):
    """Entropy in bits or Gini's index of weighted classes."""
    mass = np.array([weights[classes == c].sum() for c in np.unique(classes)])
    share = mass[mass > 0] / mass.sum()
    return 1 - (share**2).sum() if criterion == "gini" else -(share * np.log2(share)).sum()


def gain(parts, classes, weights, criterion):
    """What telling the parts apart gains."""
    before = impurity(classes, weights, criterion)
    after = sum(
        weights[parts == part].sum()
        * impurity(classes[parts == part], weights[parts == part], criterion)
        for part in np.unique(parts)
    )
    return before - after / weights.sum()


def ratio(parts, classes, weights, found):
    """Gain over the entropy of the parts."""
    return found / impurity(parts, weights, "gain")


def best_cut(values, classes, weights, criterion, least):
    """Gain and threshold of the best cut that leaves `least` rows on both sides."""
    best = (-1.0, np.nan)
    known = np.unique(values)
    for low, high in pairwise(known):
        threshold = low + (high - low) / 2
        below = values <= threshold
        if min(below.sum(), (~below).sum()) < least:
            continue
        found = gain(below.astype(int), classes, weights, criterion)
        if found > best[0] + 1e-12:
            best = (found, threshold)
    return best
