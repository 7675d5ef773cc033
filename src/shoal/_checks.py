"""Parameters checked once and in the same words, wherever they are."""

from __future__ import annotations

from collections.abc import Collection
from math import inf, isfinite
from numbers import Integral, Real

from shoal.errors import ParameterError


def check_integer(name: str, value: object, least: int) -> None:
    """Raise unless `value` is an integer of at least `least`.

    Examples
    --------
    >>> check_integer("k", 2.5, 1)
    Traceback (most recent call last):
        ...
    shoal.errors.ParameterError: k must be an integer of at least 1, got 2.5.
    """
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ParameterError(f"{name} must be an integer of at least {least}, got {value!r}.")


def check_number(
    name: str, value: object, least: float, most: float = inf, *, above: bool = False
) -> None:
    """Raise unless `value` is a finite number between `least` (above it, if asked) and `most`.

    Examples
    --------
    >>> check_number("share", 0, 0, 1, above=True)
    Traceback (most recent call last):
        ...
    shoal.errors.ParameterError: share must be above 0 and at most 1, got 0.
    """
    right = isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)
    if not right or value < least or value > most or (above and value == least):  # type: ignore[operator]
        lower = f"above {least:g}" if above else f"at least {least:g}"
        upper = "" if most == inf else f" and at most {most:g}"
        raise ParameterError(f"{name} must be {lower}{upper}, got {value!r}.")


def check_choice(name: str, value: object, choices: Collection[str]) -> None:
    """Raise unless `value` is one of a few words."""
    if value not in choices:
        raise ParameterError(f"{name} must be one of {', '.join(choices)}, got {value!r}.")
