"""Tests of a private column in which a few people differ from everybody else."""

from __future__ import annotations

import numpy as np

from shoal.audit.trees._tree_model import TreeModel
from shoal.typing import Floats

SCALE = 10  # whole numbers within so much are a scale, which everybody knows
NEARLY = 1e-6  # single precision, and libraries that keep the number below
ALMOST_ZERO = 1e-30  # where LightGBM cuts between zero and more


def lone_thresholds(model: TreeModel, k: int) -> tuple[str, ...]:
    """Why tests may tell the number of fewer than k people: they cut half-way to it.

    Everybody else has one number, which is easily known (no fine, no debt): a threshold between the
    two is their mean.
    """
    found = {}
    for one in model.features.private:
        for place in one.places.tolist():
            column = model.features.doubles[:, place]
            values, counts = np.unique(column[np.isfinite(column)], return_counts=True)
            apart = int(counts.sum()) - int(counts.max(initial=0))
            if not 0 < apart < k or _is_scale(values):
                continue
            cuts = _cuts(model, place)
            usual = values[counts.argmax()]
            at_it = np.isclose(cuts, usual, rtol=NEARLY, atol=ALMOST_ZERO)  # more than none: no sum
            if (~at_it & (cuts >= values[0]) & (cuts < values[-1])).any():
                found[one.name] = None
    return tuple(
        f"tests of private column {name!r} lie between what nearly everybody has and what fewer "
        f"than {k} people have, which may follow from them"
        for name in found
    )


def _cuts(model: TreeModel, place: int) -> Floats:
    """Thresholds of the tests of one feature."""
    cuts = [np.empty(0)]
    for tree in model.trees:
        tests = (tree.left >= 0) & (tree.feature == place)
        tests[list(tree.chosen)] = False
        cuts.append(tree.threshold[tests])
    return np.unique(np.concatenate(cuts))


def _is_scale(values: Floats) -> bool:
    return bool((values == np.round(values)).all()) and float(np.ptp(values)) <= SCALE
