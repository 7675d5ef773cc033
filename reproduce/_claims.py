"""What a paper says of a number, read as bounds: "above 0", "18.4 to 18.5", "about 0.8"."""

from __future__ import annotations

import re
from typing import NamedTuple

_NUMBER = r"(-?[\d,]*\.?\d+)"
_FORMS = {
    # which ends a form of words gives: of a value that bounds must hold, or of a relation
    rf"{_NUMBER} to {_NUMBER}": ("value", "low", "high"),
    rf"about {_NUMBER}": ("value", "both"),
    rf"above {_NUMBER}": ("strictly", "low"),
    rf"at least {_NUMBER}": ("relation", "low"),
    rf"{_NUMBER} or above": ("relation", "low"),
    rf"below {_NUMBER}": ("strictly", "high"),
    rf"at most {_NUMBER}": ("relation", "high"),
}


class Claim(NamedTuple):
    """Ends of what is claimed; a relation has one end, and bounds may not go beyond it."""

    low: float | None
    high: float | None
    relation: bool = False
    strict: bool = False

    def denies(self, value: float) -> bool:
        """Whether a value is the very end that a strict relation leaves out."""
        return self.strict and value in (self.low, self.high)


def read_claim(published: float | str | None) -> Claim | None:
    """What is claimed; None where it is said in other words, or not at all."""
    if published is None:
        return None
    if not isinstance(published, str):
        return Claim(float(published), float(published))
    if published == "none":
        return Claim(0.0, 0.0)
    for form, (kind, *ends) in _FORMS.items():
        if found := re.fullmatch(form, published):
            numbers = [float(text.replace(",", "")) for text in found.groups()]
            known = dict(zip(ends, numbers, strict=True))
            both = known.get("both")
            ends_of = known.get("low", both), known.get("high", both)
            return Claim(*ends_of, relation=kind != "value", strict=kind == "strictly")
    return None


def bounds_fit(published: float | str | None, low: float | None, high: float | None) -> bool:
    """Whether bounds hold the published value, or go no further than the published relation.

    A paper that prints 18.4 agrees with bounds that hold 18.4.  One that says "above 0" is not
    confirmed by -3, so that bounds must begin at 0 or above.  Other words fit any bounds: what they
    mean is the reading of whoever wrote the experiment, and is counted apart.
    """
    claim = read_claim(published)
    if claim is None:
        return True
    if claim.relation:
        begins = claim.low is None or (low is not None and low >= claim.low)
        return begins and (claim.high is None or (high is not None and high <= claim.high))
    begins = low is None or claim.low is None or low <= claim.low
    return begins and (high is None or claim.high is None or high >= claim.high)
