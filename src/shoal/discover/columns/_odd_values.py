"""Values that say that a column is not yet what it could be: units, codes for nothing, totals."""

from __future__ import annotations

import re

from shoal.discover.columns._facts import Facts
from shoal.discover.columns._names import other_meaning
from shoal.schema._days import has_short_year
from shoal.tables.engines.formats.text._values import unit_of

_LEAST = 5
"""Distinct values from which something can be said of all of them."""

_EARLIEST, _LATEST = 10_000, 60_000
"""Days of spreadsheets, counted from 1899-12-30, between 1927 and 2064."""

_MOST_WORDS = 5
_NUMBER = re.compile(r"[+-]?(0|[1-9][0-9]*)([.,][0-9]+)?")
_WITH_UNIT = re.compile(
    r"(?P<before>[^\w\s.,+-]?)\s*[+-]?\d[\d.,' ]*?\s*(?P<after>[^\W\d_]{1,6}\.?|[^\w\s.,]?)"
)
_ONE_NUMBER = re.compile(r"\D{0,5}\d[\d.,' ]*\D*")
_BOUND = re.compile(r"[<>≤≥]=?\s*\d[\d.,]*|\d[\d.,]*\s*\+")
_DAY = re.compile(r"(\d{1,2})[./-](\d{1,2})[./-]\d{2,4}\b")
_NINES = re.compile(r"-?(9{2,}|8{2,}|7{2,})|-[789]")
_TOTALS = frozenset(
    ["total", "totals", "grand total", "sub total", "subtotal", "total general", "sum", "sums",
     "summe", "gesamt", "gesamtsumme", "insgesamt", "somme", "total général", "totale",
     "totale generale", "suma", "totaal", "razem", "summa", "итого", "всего", "合計"]
)  # fmt: skip


def odd_values(facts: Facts, *, left_out: bool = False) -> str:
    """What should be mended about the values of a column, without showing one; empty if nothing.

    Of a column that is left out only rows of totals matter, which are nobody's.

    Examples
    --------
    >>> loads = [f"{150 + i} kN" for i in range(9)]
    >>> odd_values(Facts("load", "text", loads, 9, missing=False))
    'numbers with a unit beside them are texts: write the numbers alone to have them coarsened'
    """
    if facts.n_distinct < _LEAST:
        return _blanks(facts) if facts.sort == "text" and not left_out else ""
    if left_out:
        return _totals(facts) if facts.sort == "text" else ""
    if facts.sort == "number":
        return _counted_days(facts) or (_FAR_AWAY if code_for_nothing(facts) is not None else "")
    if facts.sort != "text":
        return ""
    looks = (_totals, _orders, _short_years, _units, _words_among_numbers, _blanks)
    return next((said for look in looks if (said := look(facts))), "")


def _totals(facts: Facts) -> str:
    if not any(str(value).strip(" :").casefold() in _TOTALS for value in facts.values):
        return ""
    return (
        "a value says total or sum: a row that adds up others is nobody's, so take such rows out "
        "of the table"
    )


def _orders(facts: Facts) -> str:
    """A column that mixes dates with the day first and dates with the month first."""
    matches = [match for value in facts.texts if (match := _DAY.match(value)) is not None]
    days = {(int(match[1]) > 12, int(match[2]) > 12) for match in matches}
    if not {(True, False), (False, True)} <= days:
        return ""
    return (
        "some dates have the day first and some the month, so that 01/02 may be either: write "
        "them as YYYY-MM-DD to have them coarsened by the calendar; as they are, each is shown or "
        "hidden"
    )


def _short_years(facts: Facts) -> str:
    if not any(map(has_short_year, facts.texts)):
        return ""
    return (
        "years of two digits are taken for 1930 to 2029: write four digits where they are others, "
        "as in dates of birth of people above 90"
    )


def _units(facts: Facts) -> str:
    matches = [_WITH_UNIT.fullmatch(value) for value in facts.texts]
    units = {(match["before"], match["after"]) for match in matches if match is not None}
    if None not in matches and len(units) == 1 and units != {("", "")}:
        return (
            "numbers with a unit beside them are texts: write the numbers alone to have them "
            "coarsened"
        )
    known = [unit_of(value) if _ONE_NUMBER.fullmatch(value) else None for value in facts.texts]
    beside = {unit for unit in known if unit is not None}
    others = known.count(None)
    if others > _MOST_WORDS or others > len(known) / 10 or len(beside) < 2:
        return ""
    return (
        "numbers beside several units, or some beside none, are texts: write all in one unit, and "
        "the numbers alone, to have them coarsened"
    )


def _blanks(facts: Facts) -> str:
    if len({str(value).strip() for value in facts.values}) == facts.n_distinct:
        return ""
    return (
        "some values differ only in blanks before or behind them, and count as different: take the "
        "blanks out of the table"
    )


def _words_among_numbers(facts: Facts) -> str:
    words = [value for value in facts.texts if not _NUMBER.fullmatch(value)]
    if not words or len(words) > _MOST_WORDS or len(facts.texts) - len(words) < 2 * len(words):
        return ""
    bounds = [word for word in words if _BOUND.fullmatch(word)]
    if bounds:
        others = "; name only words that stand for nothing" if len(bounds) < len(words) else ""
        return (
            "most values are numbers and some are bounds (N+, <N), which tell something: write a "
            "number in their place to have numbers, or leave the column as text; --missing WORD "
            f"would lose them{others}"
        )
    return (
        "most values are numbers and some are not: name words that stand for nothing with "
        "--missing WORD to have numbers"
    )


def _counted_days(facts: Facts) -> str:
    """Days as spreadsheets count them, where the name speaks of dates: 45,292 is 2024-01-01."""
    hint = other_meaning(facts.name)
    if hint is None or hint.what not in (
        "a date of birth",
        "a date or time of something that others may have noticed",
    ):
        return ""
    if facts.fractional or not all(_EARLIEST <= value <= _LATEST for value in facts.values):
        return ""
    return (
        "its name speaks of dates and its values are whole numbers, as spreadsheets count days "
        "(45,292 is 2024-01-01): show the column as dates there and save it again, to have it "
        "coarsened by the calendar"
    )


_FAR_AWAY = (
    "one number stands far from all others, as codes for nothing do (-99, 999): if it is one, "
    "name it with --missing=NUMBER"
)


def code_for_nothing(facts: Facts) -> float | None:
    """A code such as -99 or 999 that stands farther from all numbers than they from one another."""
    if facts.sort != "number" or facts.n_distinct < _LEAST:
        return None
    numbers = sorted(float(value) for value in facts.values)
    inner = numbers[:-1], numbers[1:]
    ends = (numbers[-1], numbers[-1] - numbers[-2]), (numbers[0], numbers[1] - numbers[0])
    for rest, (end, gap) in zip(inner, ends, strict=True):
        alone = gap >= max(rest[-1] - rest[0], 2) or end < 0 <= rest[0]
        if alone and _NINES.fullmatch(f"{end:g}"):
            return end
    return None
