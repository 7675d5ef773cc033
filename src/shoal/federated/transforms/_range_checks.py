"""Which ranges can be agreed on: they cover a column without holes, and every value comes back."""

from collections.abc import Sequence

import numpy as np

from shoal.errors import ParameterError
from shoal.typing import Floats

MOST_STEPS = 2.0**51  # beyond it a double no longer tells neighbouring grid values apart


def check_graded_ranges(
    lower: Sequence[float], upper: Sequence[float], names: Sequence[int], decimals: int
) -> None:
    """Raise unless the ranges ascend, leave no hole, and fit a double."""
    if not len(lower) == len(upper) == len(names) > 0:
        raise ParameterError("graded ranges: lower, upper and names must be of equal length.")
    if not np.isfinite([*lower, *upper]).all():
        raise ParameterError("graded ranges: the ends must be finite numbers.")
    if not 0 <= decimals <= 15:
        raise ParameterError(f"decimals must be between 0 and 15, got {decimals}.")
    if names[0] < 0 or any(np.diff(names) < 1):
        raise ParameterError("graded ranges: names must ascend and must not be negative.")
    low, high, scale = np.array(lower), np.array(upper), float(10**decimals)
    _check_order(low, high, 1 / scale)
    _check_precision(low, high, np.array(names, np.float64), decimals)


def _check_order(low: Floats, high: Floats, step: float) -> None:
    if (low >= high).any():
        raise ParameterError("graded ranges: each upper end must be above its lower end.")
    gaps = low[1:] - high[:-1]
    if (gaps < 0).any():
        raise ParameterError("graded ranges overlap. Let each start where the last one ends.")
    if (gaps > step * 1.000001).any():
        raise ParameterError(
            "graded ranges leave a gap of more than one step. Let each range start where the "
            "last one ends, or one step further on."
        )


def _check_precision(low: Floats, high: Floats, name: Floats, decimals: int) -> None:
    # Name and fraction share one double: the larger the name, the fewer bits are left for the
    # steps within its range.  A quarter step is the most that rounding may take.
    scale = float(10**decimals)
    loss = (high - low) * scale * (name + 2) * 2.0**-50
    largest = np.abs([low, high]).max() * scale
    if (loss > 0.25).any() or largest > MOST_STEPS:
        raise ParameterError(
            f"graded ranges: {decimals} decimals over ranges this wide do not fit a "
            "double and could not be decoded exactly. Use fewer decimals or more ranges."
        )
