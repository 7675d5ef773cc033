"""Parameters that several searches share, checked once and in the same words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from shoal._checks import did_you_mean
from shoal.errors import ParameterError
from shoal.typing import Floats

RandomState = int | np.random.Generator | np.random.RandomState | None


def check_share(name: str, value: float, *, one_allowed: bool = False) -> float:
    """A number strictly between 0 and 1, or 1 itself where that makes sense."""
    upper = "1]" if one_allowed else "1)"
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not (0 < number < 1 or (one_allowed and number == 1)):
        raise ParameterError(f"{name} must lie in (0, {upper}, got {value!r}.")
    return number


def check_choice(name: str, value: str, choices: Sequence[str]) -> str:
    """One of a few words."""
    if value not in choices:
        raise ParameterError(f"{name} must be one of {', '.join(choices)}, got {value!r}.")
    return value


def check_count(name: str, value: int, least: int = 1) -> int:
    """A whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ParameterError(f"{name} must be a whole number of at least {least}, got {value!r}.")
    return int(value)


def check_weights(weights: Mapping[str, float] | None, names: Sequence[str]) -> Floats:
    """One positive weight per attribute; 1 for those not named."""
    result = np.ones(len(names))
    for name, weight in (weights or {}).items():
        if name not in names:
            raise ParameterError(
                f"weights name column {name!r}, which is not among those looked at. "
                "Correct the name or leave it out."
            )
        if not (weight > 0 and math.isfinite(weight)):
            raise ParameterError(
                f"the weight of column {name!r} must be positive and finite, got {weight!r}. "
                "Leave a column out with `columns` instead of giving it no weight."
            )
        result[names.index(name)] = weight
    return result


def check_columns(columns: Sequence[str] | None, names: Sequence[str]) -> tuple[str, ...]:
    """Columns to look at: all, or those named, each once and in the order given."""
    if columns is None:
        chosen = tuple(names)
    elif isinstance(columns, str):
        chosen = (columns,)
    else:
        chosen = tuple(columns)
    absent = [name for name in chosen if name not in names]
    if absent:
        shown = ", ".join(map(repr, absent))
        meant = did_you_mean(absent[0], names)
        raise ParameterError(f"the table has no column {shown}. {meant}Correct `columns`.")
    if not chosen:
        raise ParameterError("no columns to look at. Name at least one in `columns`.")
    if len(set(chosen)) < len(chosen):
        raise ParameterError("a column is named twice in `columns`. Name each one once.")
    return chosen


def check_widths(
    bins: Mapping[str, float] | None, names: Sequence[str], types: Mapping[str, str]
) -> dict[str, float]:
    """Positive bin widths of columns of numbers."""
    for name, width in (bins or {}).items():
        if name not in names:
            raise ParameterError(
                f"bins name column {name!r}, which is not among those looked at. "
                "Correct the name or leave it out."
            )
        if types[name] != "number":
            raise ParameterError(f"column {name!r} holds no numbers, so it cannot be binned.")
        if not (width > 0 and math.isfinite(width)):
            raise ParameterError(
                f"the bins of column {name!r} need a positive, finite width, got {width!r}."
            )
    return {name: float(width) for name, width in (bins or {}).items()}


def make_generator(random_state: RandomState) -> np.random.Generator:
    """A generator from what scikit-learn calls a random state."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    return np.random.default_rng(random_state)
