"""Feature matrices from arrays and frames, scaled by agreed ranges."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shoal.errors import ParameterError, SchemaError, TableError
from shoal.frames._frame import Frame, has_names, is_frame
from shoal.typing import Floats


def feature_matrix(X: Any, names: Sequence[str] | None) -> Floats:
    """Rows of `X` as doubles; columns of a frame are taken by name."""
    if not (is_frame(X) and has_names(X)):
        matrix = np.asarray(X, np.float64)
        if matrix.ndim != 2:
            raise TableError(f"features must be a table of two dimensions, got {matrix.ndim}.")
        if names is not None and matrix.shape[1] != len(names):
            raise SchemaError(
                f"X has {matrix.shape[1]} features, but {len(names)} features were agreed."
            )
        return matrix
    frame = Frame(X)
    wanted = frame.names if names is None else tuple(names)
    missing = [name for name in wanted if name not in frame.names]
    if missing:
        raise SchemaError(f"columns missing from the table: {', '.join(map(repr, missing))}.")
    return np.column_stack([column(frame, name) for name in wanted])


def column(frame: Frame, name: str) -> Floats:
    """One numeric column as doubles, missing values as NaN."""
    if frame.types[name] not in ("number", "boolean"):
        raise SchemaError(f"column '{name}' is not numeric. Encode it as numbers first.")
    return frame.numbers(name)


def feature_names(X: Any) -> list[str] | None:
    """Column names of a frame, None for an array."""
    return list(Frame(X).names) if is_frame(X) and has_names(X) else None


def check_ranges(ranges: Mapping[str, tuple[float, float]]) -> None:
    """Raise unless every agreed range has a width."""
    for name, (low, high) in ranges.items():
        if not (np.isfinite([low, high]).all() and low < high):
            raise ParameterError(
                f"feature '{name}': the agreed range must have a lower end below its upper end; a "
                "constant feature carries nothing and gives the other features away. Leave it out."
            )


def scale(matrix: Floats, ranges: Mapping[str, tuple[float, float]]) -> Floats:
    """Map each feature from its agreed range to [0, 1]; anything outside is an error."""
    low = np.array([r[0] for r in ranges.values()], np.float64)
    high = np.array([r[1] for r in ranges.values()], np.float64)
    for name, values in zip(ranges, matrix.T, strict=True):
        if (missing := int(np.isnan(values).sum())) > 0:
            raise SchemaError(
                f"feature '{name}': {missing} of {len(values)} values are missing. Impute them "
                "with an agreed value first."
            )
        outside = int(((values < ranges[name][0]) | (values > ranges[name][1])).sum())
        if outside:
            raise SchemaError(
                f"feature '{name}': {outside} of {len(values)} values lie outside the agreed "
                "range. Agree on a wider range with all sites; nothing was encoded."
            )
    return (matrix - low) / (high - low)
