"""Ranges of one column of Japanese credit, predicted from releases of the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr, t
from sklearn.naive_bayes import CategoricalNB

from reproduce._classify import design_rows
from reproduce._experiment import Setup
from reproduce._partitions import release_pairs
from shoal.datasets._dataset import Dataset
from shoal.metrics._measure import released_raw
from shoal.schema import Column, Schema
from shoal.tables import open_table
from shoal.typing import Floats

TARGET, CLASS = "A3", "class"
RANGES, QUICK_RANGES = (3, 5, 10, 20), (10,)
SEEDS, QUICK_SEEDS = 10, 2
COMPARED = (10, "before")
"""Weka's default number of ranges, and the order of the paper's text."""
FARTHER = (
    "Figure 4: with ten ranges recoded before the release, prioritized releases are six points "
    "below the original rows, which is more than the noise of 653 rows."
)

Features = Mapping[str, Floats]


@dataclass(frozen=True)
class Bands:
    """Shares of rows told right with one number of ranges and one order.

    Parameters
    ----------
    n_ranges : int
        Of every column.
    when : {"before", "after"}
        Whether columns were recoded before the release or after it.
    usual, original : float
        Always saying the commonest range, and naive Bayes on the original rows.
    plain, chosen : float
        Naive Bayes on releases, mean over k and seeds.
    gains : ndarray
        Prioritized above plain, mean over k, for each seed.
    """

    n_ranges: int
    when: str
    usual: float
    original: float
    plain: float
    chosen: float
    gains: Floats


def equal_bands(values: Floats, n: int) -> list[str]:
    """Number of the range in which each value lies, of `n` ranges of equal width."""
    return [f"range {band}" for band in _bands(values, n, values)]


def held(band: Bands) -> bool:
    """Whether prioritized releases were better in the mean."""
    return bool(band.gains.mean() > 0)


def surely_held(band: Bands) -> bool:
    """Whether the whole interval lies above 0."""
    return interval(band)[0] > 0


def interval(band: Bands) -> tuple[float, float]:
    """95 % interval of the mean gain over seeds of the folds, by Student's t."""
    n = len(band.gains)
    half = float(t.ppf(0.975, n - 1) * band.gains.std(ddof=1) / np.sqrt(n))
    mean = float(band.gains.mean())
    return mean - half, mean + half


def predict_bands(setup: Setup, features: Features, ks: Sequence[int]) -> list[Bands]:
    """The whole grid; weights are rank correlations with the column that is predicted."""
    rest = {name: own for name, own in features.items() if name != TARGET}
    target = features[TARGET]
    weights = {name: abs(float(spearmanr(own, target)[0])) for name, own in rest.items()}
    grid: list[Bands] = []
    for n in QUICK_RANGES if setup.quick else RANGES:
        for when in ("before", "after"):
            setup.progress(len(grid), 8, f"{n} ranges, recoded {when}")
            grid.append(_predict(setup, rest, target, n, when, weights, ks))
    return grid


def _predict(
    setup: Setup,
    rest: Features,
    target: Floats,
    n: int,
    when: str,
    weights: Mapping[str, float],
    ks: Sequence[int],
) -> Bands:
    given = rest
    if when == "before":
        given = {name: _bands(own, n, own).astype(np.float64) for name, own in rest.items()}
    data = Dataset("credit-bands", {**given, CLASS: equal_bands(target, n)})
    columns = {name: Column("quasi-identifier", "numeric") for name in given}
    schema = Schema({**columns, CLASS: Column("insensitive", target=True)})
    pairs = release_pairs(setup, data, schema, {CLASS: weights}, ks)[CLASS]
    seeds = range(setup.seed, setup.seed + (QUICK_SEEDS if setup.quick else SEEDS))

    def shares(recoded: Any) -> Floats:
        points, classes = design_rows(recoded, CLASS)
        nominal = _nominal(points, None if when == "before" else n, list(given.values()))
        return np.array([_right(nominal, classes, seed) for seed in seeds])

    cells = open_table(data.path()).compress(schema).cells
    plain, chosen = (
        np.array([shares(side) for side in sides]) for sides in zip(*pairs, strict=True)
    )
    _, counts = np.unique(design_rows(released_raw(cells), CLASS)[1], return_counts=True)
    return Bands(
        n,
        when,
        float(counts.max() / counts.sum()),
        float(shares(released_raw(cells)).mean()),
        float(plain.mean()),
        float(chosen.mean()),
        (chosen - plain).mean(axis=0),
    )


def _nominal(points: Floats, n: int | None, raw: Sequence[Floats]) -> NDArray[np.intp]:
    """Every released value as the number of a category: its label, or the range of its middle."""
    columns = []
    for own, values in zip(points.T, raw, strict=True):
        banded = own if n is None else _bands(own, n, values)
        columns.append(np.unique(banded, return_inverse=True)[1])
    return np.column_stack(columns)


def _bands(values: Floats, n: int, over: Floats) -> NDArray[np.intp]:
    edges = np.linspace(over.min(), over.max(), n + 1)[1:-1]
    return np.searchsorted(edges, values, side="right")


def _right(codes: NDArray[np.intp], classes: NDArray[Any], seed: int) -> float:
    """Share of rows told right in ten random folds; some ranges have too few rows to stratify."""
    model = CategoricalNB(min_categories=codes.max(axis=0) + 1)
    right = 0
    order = np.random.default_rng(seed).permutation(len(codes))
    for test in np.array_split(order, 10):
        train = np.setdiff1d(order, test)
        right += int(
            (model.fit(codes[train], classes[train]).predict(codes[test]) == classes[test]).sum()
        )
    return right / len(codes)
