"""Quasi-identifiers written as ends, midpoints, draws or means: what stands for whom, and is it so.

Midpoints are true of nobody in particular, and draws hide who looks alike: of these only what can
be seen is judged.
"""

import datetime as dt
from fractions import Fraction

from tests.judge.values import read_moment, read_number

ORDERED = ("numeric", "date")
SIDES = ("low", "high")
_FINEST, _DIGITS = 12, 4
_EPOCH = dt.datetime(1970, 1, 1)


def stand_for(name, written, claim):
    """Columns that are written for a quasi-identifier: itself, or the ends of its labels."""
    ends = [f"{name}_{side}" for side in SIDES]
    fits = claim.form == "intervals" and claim.facts[name].kind in ORDERED
    return ends if fits and name not in written and set(ends) <= set(written) else [name]


def is_exact(name, claim):
    """Whether cells of a column are true of the values behind them, one by one."""
    hidden = claim.form in ("midpoints", "draws", "means")
    fact = claim.facts[name]
    return not (hidden and fact.role == "quasi-identifier" and fact.kind in ORDERED)


def between(low, high, value, *, guessed):
    """Whether a plain value lies between two ends as written; an empty one is open."""
    if low is None and high is None:
        return True
    place = place_of(value, guessed=guessed)
    if place is None:
        return False
    return (low is None or _at_most(_read(low), place)) and (
        high is None or _at_most(place, _read(high))
    )


def _at_most(first, second):
    """Ends are binary numbers."""
    return first <= second or float(first) == float(second)


def place_of(value, *, guessed):
    """Where a plain value stands: numbers as they are, days since 1970; None for nothing."""
    if value is None:
        return None
    sort, held = value
    if sort == "number":
        return None if isinstance(held, str) else held
    if sort == "moment":
        return Fraction((held - _EPOCH) // dt.timedelta(days=1))
    return _read(held) if guessed and sort == "text" else None


def _read(text):
    number = read_number(text)
    if number is not None:
        return number
    moment = read_moment(text)
    return None if moment is None else Fraction((moment - _EPOCH) // dt.timedelta(days=1))


def step_of(name, claim):
    """What means of a column are rounded to, by the definition in the guide."""
    if claim.facts[name].kind == "date":
        return Fraction(1)
    places = (place_of(value, guessed=claim.guessed) for value in claim.source[name])
    known = [place for place in places if place is not None]
    finest = max((_decimals(place) for place in known), default=0)
    largest, digits = max(map(abs, known), default=Fraction(0)), 0
    while Fraction(10) ** digits <= largest:
        digits += 1
    while largest and Fraction(10) ** (digits - 1) > largest:
        digits -= 1
    return Fraction(10) ** (max(-finest, digits - _DIGITS) if largest else -finest)


def _decimals(number):
    return next((n for n in range(_FINEST) if (number * 10**n).denominator == 1), _FINEST)


def broken_means(groups, table, source_of, claim):
    """Means that are not on their grid, or not those of the group's own values.

    `source_of` is the row behind each row, or None where the cells do not tell it.
    """
    broken = []
    names = [n for n in claim.having("quasi-identifier") if claim.facts[n].kind in ORDERED]
    for name in names if claim.form == "means" else ():
        step = step_of(name, claim)
        for rows in groups.values():
            text = table[name][rows[0]][1]
            if text is None:
                continue
            told = _read(text)
            if told is None or float(round(told / step) * step) != float(told):
                broken.append(f"{name!r}: {text} is no multiple of {step}")
            elif source_of is not None and not _is_theirs(told, name, rows, source_of, claim, step):
                broken.append(f"{name!r}: {text} is not the mean of its group")
    return broken


def _is_theirs(told, name, rows, source_of, claim, step):
    values = [claim.source[name][source_of[row]] for row in rows]
    places = [_whole_place(value, claim.guessed) for value in values]
    if None in places:
        return False
    least = most = sum(places) / len(places)
    if claim.having("subject", "household"):  # one row of a person counts, whichever it is
        least, most = min(places), max(places)
    room = step / 2 + Fraction(1, 10**9) * (1 + max(abs(least), abs(most)))
    return least - room <= told <= most + room


def _whole_place(value, guessed):
    """A moment with its time of day, since that counts in a mean."""
    if value is not None and value[0] == "moment":
        return Fraction((value[1] - _EPOCH) // dt.timedelta.resolution, 86_400_000_000)
    return place_of(value, guessed=guessed)
