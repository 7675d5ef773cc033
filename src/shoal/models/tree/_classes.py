"""What a classifier is to predict: classes as codes, weights of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    assert_all_finite,
    check_consistent_length,
    column_or_1d,
)

from shoal.errors import ParameterError, TableError
from shoal.models._input import Input
from shoal.schema._coding import Coding
from shoal.schema._text import text
from shoal.typing import Codes, Floats


def read_classes(y: ArrayLike, n_rows: int) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Classes, sorted, and the code of each row."""
    if y is None:
        raise ParameterError("requires y to be passed, but the target y is None.")
    classes = column_or_1d(y if hasattr(y, "dtype") else np.asarray(y), warn=True)
    if classes.dtype.kind == "O":
        if any(value is None or value != value for value in classes):
            raise TableError("Input y contains NaN: some classes are missing. Drop those rows.")
        classes = np.array(classes.tolist())
    elif classes.dtype.kind == "f":
        assert_all_finite(classes, input_name="y")
    if len(classes) != n_rows:
        check_consistent_length(classes, np.empty(n_rows))
    check_classification_targets(classes)
    return np.unique(classes, return_inverse=True)


def find_classes(classes: NDArray[Any], y: ArrayLike) -> Codes:
    """Codes of rows under known classes."""
    values = column_or_1d(np.asarray(y))
    code_of = {value: code for code, value in enumerate(classes.tolist())}
    codes = np.array([code_of.get(value, -1) for value in values.tolist()], np.int32)
    if (codes < 0).any():
        lost = int((codes < 0).sum())
        raise TableError(f"{lost} rows have a class that the model does not know.")
    return codes


def weigh(
    table: Input, codes: NDArray[np.intp], sample_weight: ArrayLike | None
) -> tuple[Input, NDArray[np.intp], Floats | None]:
    """Leave out rows without weight; None when all weigh 1."""
    if sample_weight is None:
        return table, codes, None
    weights = check_array(
        sample_weight, dtype=np.float64, ensure_2d=False, input_name="sample_weight"
    )
    if weights.ndim != 1 or len(weights) != table.n_rows:
        raise ParameterError(
            f"sample_weight must be 1D with one number per row ({table.n_rows}), got the shape "
            f"{weights.shape}."
        )
    if weights.min() < 0:
        raise ParameterError("Negative values in sample_weight: weights must not be negative.")
    kept = np.flatnonzero(weights > 0)
    if not len(kept):
        raise TableError("Sample weights must contain at least one non-zero number.")
    if len(kept) < len(weights):
        table, codes, weights = table.take(kept), codes[kept], weights[kept]
    return table, codes, None if (weights == 1).all() else weights


def class_coding(name: str, classes: NDArray[Any]) -> Coding:
    """Coding of the class, for histograms."""
    texts = tuple(str(text(value)) for value in classes.tolist())
    return Coding(name, "categorical", texts, np.full(len(texts), np.nan))
