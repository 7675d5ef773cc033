"""Where ranges end, and what a release says about it."""

from collections.abc import Sequence
from typing import Any

from shoal.errors import ParameterError
from shoal.privacy import PrivacyModel
from shoal.schema._coding import Coding
from shoal.schema._lines import has_lines
from shoal.tables._range_columns import refuse_means_of_one


def check_ranges(ranges: Any, allowed: Sequence[str]) -> None:
    """Raise unless `ranges` is one of those allowed.

    Examples
    --------
    >>> check_ranges("exact", ("lines", "exact"))
    """
    if ranges not in allowed:
        raise ParameterError(f"ranges must be one of {', '.join(allowed)}, got {ranges!r}.")


def range_notes(codings: Sequence[Coding], *, exact: bool) -> tuple[str, ...]:
    """What the ends of ranges tell, for the manifest; nothing where they tell nothing."""
    names = [coding.name for coding in codings if exact or not has_lines(coding)]
    if not names:
        return ()
    advice = "" if exact else " Give it a hierarchy."
    return (
        f"ranges of {', '.join(map(repr, names))} end at values of people in the group: somebody "
        f"has exactly the value at each end.{advice}",
    )


def refuse_means(privacy: PrivacyModel) -> None:
    """Raise for promises that groups of means cannot keep, or that nobody could check of them.

    A mean does not say who of a population fits it, and groups by some of the columns are not
    those that the means of all columns are of.
    """
    refuse_means_of_one(privacy.minimum_size, "means")
    named = any(getattr(part, "population", None) is not None for part in privacy.parts)
    about = "a population" if named else "some of the columns"
    if named or privacy.asks_of_some_columns:
        raise ParameterError(
            f"means: the promise asks about {about}, and a mean does not say who fits it. Ask for "
            "labels (--as labels)."
        )
