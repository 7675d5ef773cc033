"""A classifier trained on the release, beside one trained on raw rows and beside the majority."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.metrics.kept._features import FeaturePair, make_features
from shoal.metrics.kept._shares import ColumnPair
from shoal.metrics.kept._table_pair import TablePair
from shoal.typing import Codes, Flags, Floats

MOST_TRAINING = 10_000
"""Rows that a forest is trained on, drawn where there are more."""
TEST_SHARE = 0.3


@dataclass(frozen=True)
class ModelKept:
    """Accuracy on raw rows of a random forest that was trained on the one or the other table.

    Parameters
    ----------
    target : str
        Column that is predicted; of numbers whether they are above the raw median.
    raw, released : float
        Share of test rows predicted rightly after training on raw rows and on the release.
    majority : float
        The same for always saying the most frequent class: what no model has to be trained for.
    n_test : int
        Test rows, which the raw model has not seen.  The release may have been made of them.
    """

    target: str
    raw: float
    released: float
    majority: float
    n_test: int


def compare_models(pair: TablePair, target: str, *, random_state: int = 0) -> ModelKept | None:
    """Train on both tables and test on 30 % of the raw rows; None where there is one class only."""
    others = [column for column in pair.columns if column.name != target]
    if not others or len(pair.raw_weights) < 4:
        return None
    features = make_features(others)
    classes, released, is_clear = _classes(pair.column(target))
    rng = np.random.default_rng(random_state)
    order = rng.permutation(len(classes))
    n_test = max(1, int(TEST_SHARE * len(classes)))
    test, train = order[:n_test], order[n_test:][:MOST_TRAINING]
    use = rng.permutation(np.flatnonzero(is_clear))[:MOST_TRAINING]
    if len(np.unique(classes[train])) < 2 or not len(use):
        return None
    weights = pair.raw_weights[test]
    if not weights.sum() > 0:
        return None
    seen = (features.raw[train], classes[train], pair.raw_weights[train])
    told = (features.released[use], released[use], pair.released_weights[use])
    usual = np.bincount(seen[1], weights=seen[2]).argmax()

    def right(guess: Codes) -> float:
        return float(np.average(guess == classes[test], weights=weights))

    return ModelKept(
        target,
        right(_predict(seen, features, test, random_state)),
        right(_predict(told, features, test, random_state)),
        right(np.full(n_test, usual)),
        n_test,
    )


def _classes(column: ColumnPair) -> tuple[Codes, Codes, Flags]:
    """Class of raw and released rows, and released rows whose label says mostly one class."""
    if column.is_number:
        raw, released = column.raw_numbers, column.released_numbers
        assert raw is not None
        assert released is not None
        middle = np.nanmedian(raw) if not np.isnan(raw).all() else 0.0
        return (
            (raw > middle).astype(np.int32),
            (released > middle).astype(np.int32),
            ~np.isnan(released),
        )
    best = column.released.max(axis=1)
    return (
        column.raw.argmax(1).astype(np.int32),
        column.released.argmax(1).astype(np.int32),
        best > 0.5,
    )


def _predict(
    rows: tuple[Floats, Codes, Floats], features: FeaturePair, test: NDArray[np.int64], seed: int
) -> Codes:
    from sklearn.ensemble import RandomForestClassifier  # noqa: PLC0415  slow to load

    forest = RandomForestClassifier(50, min_samples_leaf=5, random_state=seed)
    forest.fit(rows[0], rows[1], sample_weight=rows[2])
    return np.asarray(forest.predict(features.raw[test]), np.int32)
