"""A classifier trained on the release, beside one trained on raw rows and beside the majority."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.metrics.kept._features import make_features
from shoal.metrics.kept._shares import ColumnPair
from shoal.metrics.kept._table_pair import TablePair
from shoal.typing import Codes, Flags, Floats

MOST_TRAINING = 10_000
"""Rows that a forest is trained on, drawn where there are more."""
TEST_SHARE = 0.3


@dataclass(frozen=True)
class ModelKept:
    """Accuracy on raw rows of two random forests, trained on the raw table and on the release.

    Parameters
    ----------
    target : str
        Column that is predicted; for numbers, whether they are above the raw median.
    raw, released : float
        Share of test rows predicted correctly after training on raw rows and on the release.
    majority : float
        The same for always guessing the most frequent class, which takes no model.
    n_test : int
        Test rows, which the raw model has not seen.
    is_held_out : bool
        Whether the test rows are of other people.  Otherwise they are raw rows, which may also be
        in the release.
    """

    target: str
    raw: float
    released: float
    majority: float
    n_test: int
    is_held_out: bool = False


def compare_models(pair: TablePair, target: str, *, random_state: int = 0) -> ModelKept | None:
    """Train on both tables, and test on held out rows, else on 30 % of the raw ones.

    None where there is one class only.
    """
    others = [column for column in pair.columns if column.name != target]
    if not others or len(pair.raw_weights) < 4:
        return None
    features = make_features(others)
    classes, released, is_clear = _classes(pair.column(target))
    rng = np.random.default_rng(random_state)
    order = rng.permutation(len(classes))
    n_test = 0 if pair.test_weights is not None else max(1, int(TEST_SHARE * len(classes)))
    train = order[n_test:][:MOST_TRAINING]
    use = rng.permutation(np.flatnonzero(is_clear))[:MOST_TRAINING]
    if features.test is not None and pair.test_weights is not None:
        asked = (features.test, _test_classes(pair.column(target)), pair.test_weights)
    else:
        test = order[:n_test]
        asked = (features.raw[test], classes[test], pair.raw_weights[test])
    if len(np.unique(classes[train])) < 2 or not len(use) or not asked[2].sum() > 0:
        return None
    seen = (features.raw[train], classes[train], pair.raw_weights[train])
    told = (features.released[use], released[use], pair.released_weights[use])
    usual = np.bincount(seen[1], weights=seen[2]).argmax()

    def right(guess: Codes) -> float:
        return float(np.average(guess == asked[1], weights=asked[2]))

    return ModelKept(
        target,
        right(_predict(seen, asked[0], random_state)),
        right(_predict(told, asked[0], random_state)),
        right(np.full(len(asked[1]), usual)),
        len(asked[1]),
        features.test is not None,
    )


def _classes(column: ColumnPair) -> tuple[Codes, Codes, Flags]:
    """Class of raw and released rows, and released rows whose label says mostly one class."""
    if column.is_number:
        raw, released = column.raw_numbers, column.released_numbers
        assert raw is not None
        assert released is not None
        middle = _middle(raw)
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


def _test_classes(column: ColumnPair) -> Codes:
    if column.is_number:
        assert column.raw_numbers is not None
        assert column.test_numbers is not None
        return (column.test_numbers > _middle(column.raw_numbers)).astype(np.int32)
    assert column.test is not None
    return column.test.argmax(1).astype(np.int32)


def _middle(numbers: Floats) -> float:
    return float(np.nanmedian(numbers)) if not np.isnan(numbers).all() else 0.0


def _predict(rows: tuple[Floats, Codes, Floats], asked: Floats, seed: int) -> Codes:
    from sklearn.ensemble import RandomForestClassifier  # noqa: PLC0415  slow to load

    forest = RandomForestClassifier(50, min_samples_leaf=5, random_state=seed)
    forest.fit(rows[0], rows[1], sample_weight=rows[2])
    return np.asarray(forest.predict(asked), np.int32)
