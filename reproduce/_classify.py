"""Judges of a release: what a classifier learns from it, tested on rows recoded alike."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB

from shoal.datasets._dataset import Dataset
from shoal.metrics._design import design_examples
from shoal.metrics._utility import examples
from shoal.models import KAnonymousTreeClassifier
from shoal.tables._recoded import Recoded
from shoal.typing import Floats


class Examples(NamedTuple):
    """Released rows as texts by column, and their classes."""

    columns: dict[str, NDArray[Any]]
    classes: NDArray[Any]


def raw_examples(data: Dataset, names: Sequence[str], target: str) -> Examples:
    """The rows as they are, every value as text."""
    return Examples({name: np.array(data[name], str) for name in names}, np.array(data[target]))


def released_examples(recoded: Recoded, target: str) -> Examples:
    """Every released row, each value as the text that is released."""
    codes, classes, counts = examples(recoded, target)
    line = np.repeat(np.arange(len(counts)), counts)
    texts = [_texts(labels.texts) for labels in recoded.labels]
    columns = {
        name: texts[at][codes[line, at]] for at, name in enumerate(recoded.cells.names)
    }  # fmt: skip
    names = _texts(recoded.cells.histograms[target].coding.texts)
    return Examples(columns, names[classes[line]])


def tree_error(
    train: Examples, test: Examples, criterion: Literal["gain", "gain_ratio"] = "gain_ratio"
) -> float:
    """Test rows in percent that ID3 (`gain`) or C4.5 (`gain_ratio`) without privacy gets wrong."""
    tree = KAnonymousTreeClassifier(privacy=1, criterion=criterion, splits="multiway")
    tree.fit(train.columns, train.classes)
    return 100 * float(np.mean(tree.predict(test.columns) != test.classes))


def bayes_accuracy(features: Floats, classes: NDArray[Any], seed: int) -> float:
    """Rows in percent that naive Bayes gets right, mean of ten stratified folds."""
    folds = StratifiedKFold(10, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class")  # fewer rows than folds
        return 100 * float(cross_val_score(GaussianNB(), features, classes, cv=folds).mean())


def design_rows(recoded: Recoded, target: str) -> tuple[Floats, NDArray[Any]]:
    """Features (mid-points of ranges, nodes) and class of every released row."""
    features, classes, counts = design_examples(recoded, target)
    return np.repeat(features, counts, axis=0), np.repeat(classes, counts)


def _texts(texts: tuple[str | None, ...]) -> NDArray[Any]:
    return np.array(["" if text is None else text for text in texts])
