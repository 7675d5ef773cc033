"""Is a release still worth mining?  Train on it, test on rows nobody touched."""

from __future__ import annotations

import importlib
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.errors import ParameterError
from shoal.metrics._groups import target_histogram
from shoal.tables._recoded import Recoded
from shoal.typing import Codes, Counts

CLASSIFIERS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "tree": (
        "sklearn.tree",
        "DecisionTreeClassifier",
        {"criterion": "entropy", "ccp_alpha": 1e-4, "random_state": 0},
    ),
    "logistic": ("sklearn.linear_model", "LogisticRegression", {"max_iter": 1000}),
    "naive-bayes": ("sklearn.naive_bayes", "BernoulliNB", {}),
}
"""Classifiers by name: module, class and settings."""


@dataclass(frozen=True)
class Utility:
    """How well a classifier trained on a release predicts rows outside it.

    Parameters
    ----------
    classifier : str
        The classifier and its settings.
    accuracy : float
        Share of the test rows whose class is predicted right.
    baseline : float
        The same for always predicting the training rows' most frequent class.
    n_train, n_test : int
        Rows on each side.
    """

    classifier: str
    accuracy: float
    baseline: float
    n_train: int
    n_test: int

    @property
    def error(self) -> float:
        """One less the accuracy."""
        return 1.0 - self.accuracy

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self) | {"error": self.error}


def examples(recoded: Recoded, target: str) -> tuple[Codes, Codes, Counts]:
    """Label codes, class and number of rows of every distinct released row."""
    classes = target_histogram(recoded.groups, target)
    return recoded.codes[classes.group_of_entry], classes.codes, classes.counts


def classification_utility(
    train: ArrayLike,
    train_classes: ArrayLike,
    test: ArrayLike,
    test_classes: ArrayLike,
    *,
    train_rows: ArrayLike | None = None,
    test_rows: ArrayLike | None = None,
    classifier: Any = "tree",
) -> Utility:
    """Accuracy of a classifier trained on a release and tested on other rows, recoded alike.

    Codes are labels, not numbers: every column is one-hot coded.  A label that no training row has
    is none of the known ones.

    Parameters
    ----------
    train, test : array of int, shape (n, n_columns)
        Label codes of released rows, and of test rows put through the same recoding.
    train_classes, test_classes : array
        Their classes, from the untouched table.
    train_rows, test_rows : array of int, optional
        How many rows each line stands for; 1 when not given.
    classifier : str or scikit-learn classifier
        "tree" (entropy, cost-complexity pruning 1e-4), "logistic", "naive-bayes", or an
        estimator, which is cloned.

    Examples
    --------
    >>> codes = [[0, 0], [0, 1], [1, 0], [1, 1]]  # of two columns, in four rows
    >>> utility = classification_utility(codes, [0, 0, 1, 1], codes, [0, 0, 1, 1])
    >>> utility.accuracy, utility.baseline
    (1.0, 0.5)
    """
    train, test = np.atleast_2d(train), np.atleast_2d(test)
    if train.shape[1] != test.shape[1]:
        raise ParameterError(
            f"classification_utility: {train.shape[1]} training columns and {test.shape[1]} test "
            "columns. Recode the test rows with the release's own recoding."
        )
    wrong = min(len(train), len(test)) == 0
    weight, test_weight = _rows(train_rows, len(train)), _rows(test_rows, len(test))
    if wrong or not weight.sum() or not test_weight.sum():
        raise ParameterError("classification_utility: needs training rows and test rows.")
    labels, test_labels = np.asarray(train_classes), np.asarray(test_classes)
    model = _make(classifier)
    encoder = importlib.import_module("sklearn.preprocessing").OneHotEncoder(
        handle_unknown="ignore"
    )
    features = encoder.fit_transform(train)
    values, code = np.unique(labels, return_inverse=True)
    usual = values[np.argmax(np.bincount(code, weights=weight))]
    if len(values) == 1:
        predicted = np.full(len(test), usual)
    else:
        model.fit(features, labels, sample_weight=weight)
        predicted = model.predict(encoder.transform(test))
    n_test = test_weight.sum()
    return Utility(
        classifier=" ".join(repr(model).split()),
        accuracy=float(test_weight[predicted == test_labels].sum() / n_test),
        baseline=float(test_weight[test_labels == usual].sum() / n_test),
        n_train=int(weight.sum()),
        n_test=int(n_test),
    )


def _rows(rows: ArrayLike | None, n: int) -> NDArray[np.int64]:
    if rows is None:
        return np.ones(n, np.int64)
    counts = np.asarray(rows, np.int64)
    if counts.shape != (n,) or (counts < 0).any():
        raise ParameterError("classification_utility: give one count of rows per line.")
    return counts


def _make(classifier: Any) -> Any:
    if not isinstance(classifier, str):
        return importlib.import_module("sklearn.base").clone(classifier)
    if classifier not in CLASSIFIERS:
        raise ParameterError(
            f"unknown classifier {classifier!r}. Choose from {', '.join(CLASSIFIERS)}, or give "
            "a scikit-learn classifier."
        )
    module, name, settings = CLASSIFIERS[classifier]
    return getattr(importlib.import_module(module), name)(**settings)
