"""Numbers as people read them."""

import math


def percent(share: float) -> str:
    r"""A share as people read it; neither zero nor all is said of what only comes near.

    Examples
    --------
    >>> percent(0.00001), percent(0.25), percent(0.9999)
    ('<0.01\xa0%', '25.0\xa0%', '>99.9\xa0%')
    """
    if 0 < share < 0.0001:
        shown = "<0.01"
    elif 0.999 < share < 1:
        shown = ">99.9" if share > 0.9995 else "99.9"
    else:
        shown = "0" if share == 0 else f"{100 * share:.{1 if share >= 0.1 else 2}f}"
    return f"{shown}\u00a0%"  # the sign stays with its number


def of_hundred(share: float) -> str:
    """A share as a number of people out of a hundred."""
    return f"{100 * share:.1f}".removesuffix(".0")


def number(value: float | int | None) -> str:
    """A number as people read it."""
    if value is None:
        return "-"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"


def exact(value: float | int | None) -> str:
    """In full: two numbers that differ must not look alike."""
    return "-" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:.10g}"


def at_most(value: float) -> str:
    """Rounded up, so that a bound stays true as printed.

    Examples
    --------
    >>> at_most(1.501), at_most(2.0)
    ('1.51', '2.00')
    """
    return f"{math.ceil(100 * value - 1e-9) / 100:,.2f}"
