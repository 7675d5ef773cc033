"""How a column coarsens: its kind and its hierarchy, and why."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from typing import NamedTuple

from shoal.discover.columns._decide import Decision
from shoal.discover.columns._facts import Facts
from shoal.discover.columns._forms import is_day, is_month
from shoal.discover.columns._odd_values import code_for_nothing
from shoal.schema import Ready
from shoal.schema._builders import Auto, Flat, Intervals
from shoal.schema._column import Kind
from shoal.schema._days import Dates, read_day, read_month
from shoal.schema._hierarchy import Recipe
from shoal.schema._text import text

_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_OCCUPATION = "an occupation"
_COUNTRIES = ("a country", "a nationality")
_KINDS = ("a sex", "an ethnic group", "a marital status", "a language", *_COUNTRIES)
"""What is numbered in no order that means anything: 1 with 2 is no band."""

_FEW_KINDS = 12


class Coarsening(NamedTuple):
    """Kind and hierarchy of a column, and why."""

    kind: Kind
    recipe: Recipe
    why: str


def coarsen(facts: Facts, decision: Decision) -> Coarsening:
    """The kind and the hierarchy that fit a column."""
    if facts.sort == "date":
        return Coarsening("date", _dates(facts.values), "dates coarsen by the calendar")
    texts = [str(text(value)) for value in facts.values]
    shape = _public(texts, decision) if texts else None
    if shape is not None:
        return shape
    if facts.sort == "number":
        return _numbers(facts, decision)
    recipe = Auto().recipe(texts) if texts else Flat()
    if not isinstance(recipe, Flat):
        return Coarsening("categorical", recipe, "codes of one length coarsen from the right")
    how = "shown or hidden"
    if facts.n_distinct > 2:
        how += ": `shoal schema --group` makes groups, a file or tree of yours knows more"
    return Coarsening("categorical", recipe, how)


def _public(texts: list[str], decision: Decision) -> Coarsening | None:
    """What a public classification or the calendar gives, if there is one for such values."""
    what = decision.hint.what if decision.hint is not None else ""
    if decision.found is not None and decision.found.ready is not None:
        return _ready(decision.found.ready)
    if all(map(is_day, texts)):
        return _written_dates(texts)
    if all(map(is_month, texts)):
        months = [read_month(value) for value in texts]
        recipe = _dates([month for month in months if month is not None])
        return Coarsening("categorical", recipe, "months coarsen by the calendar")
    if what == "a postcode":
        return _postcodes(texts)
    if what in _COUNTRIES and Ready("countries").knows(texts) >= 0.6 * len(texts):
        return _ready("countries")
    if what == _OCCUPATION and Ready("isco08").knows(texts) == len(texts):
        return _ready("isco08")
    return None


def _postcodes(texts: list[str]) -> Coarsening:
    recipe = Auto().recipe(texts)
    if isinstance(recipe, Flat) and Ready("postcodes").knows(texts) >= 0.9 * len(texts):
        return _ready("postcodes")
    why = "postcodes coarsen from the right"
    return Coarsening("categorical", recipe, "shown or hidden" if recipe == Flat() else why)


def _numbers(facts: Facts, decision: Decision) -> Coarsening:
    values = list(facts.values)
    what = decision.hint.what if decision.hint is not None else ""
    if what in _KINDS and not facts.fractional and facts.n_distinct <= _FEW_KINDS:
        return Coarsening("categorical", Flat(), "numbers that stand for kinds: shown or hidden")
    nothing = code_for_nothing(facts)  # bands as wide as from 1 to -99 would hide a scale of five
    told = [value for value in values if float(value) != nothing]
    recipe = Auto().recipe(told) if told else Flat()
    if isinstance(recipe, Intervals):
        return Coarsening("numeric", recipe, "numbers coarsen to bands that nest")
    return Coarsening("categorical", Flat(), "few numbers: shown or hidden")


def _dates(days: Sequence[dt.date]) -> Dates:
    years = sorted(day.year for day in days)
    long = bool(years) and years[-1] - years[0] > 20
    return Dates(("month", "quarter", "year", *(["decade"] if long else [])))


def _ready(name: str) -> Coarsening:
    words = {
        "atc": "drugs coarsen by ATC groups",
        "countries": "countries coarsen to regions of the United Nations",
        "icd10": "diagnoses coarsen to blocks and chapters of ICD-10",
        "isco08": "occupations coarsen to groups of ISCO-08",
        "nuts": "areas coarsen by NUTS",
        "postcodes": "postcodes coarsen to larger areas",
    }
    return Coarsening("categorical", Ready(name), words[name])


def _written_dates(texts: list[str]) -> Coarsening:
    days = [day for day in map(read_day, texts) if day is not None]
    if len(days) == len(texts):
        # other spellings have no place on the line of days
        kind: Kind = "date" if all(map(_ISO.fullmatch, texts)) else "categorical"
        return Coarsening(kind, _dates(days), "dates coarsen by the calendar")
    why = "dates that can be read in two ways: write them as YYYY-MM-DD to coarsen by the calendar"
    return Coarsening("categorical", Flat(), why)
