"""Cells of a text file that take more than a cast: numbers with thousands apart, and dates."""

from __future__ import annotations

from shoal.schema._days import (
    DAY_FIRST,
    MONTH_FIRST,
    MONTH_NAMES,
    NAMED_DAY,
    PIVOT,
    SHORT_FORMS,
    YEAR_FIRST,
)
from shoal.tables.engines._duck_connection import value_sql
from shoal.tables.engines.formats.text._values import (
    NAMED_MOMENT,
    ORDERS,
    Reading,
    moment_pattern,
    number_pattern,
)


def grouped_sql(reading: Reading, text: str) -> tuple[str, str]:
    """Whether a text is a number with a decimal comma or thousands apart, and the number."""
    whole = reading.sort == "grouped whole"
    pattern = number_pattern(reading.decimal, reading.thousands, whole=whole)
    apart = reading.thousands
    plain = f"replace({text}, {value_sql(apart)}, '')" if apart else text
    value = f"replace({plain}, {value_sql(reading.decimal)}, '.')"
    fits = f"regexp_full_match({text}, {value_sql(pattern)})"
    return fits, f"CAST({value} AS {'BIGINT' if whole else 'DOUBLE'})"


def dated_sql(reading: Reading, text: str) -> tuple[str, str]:
    """Whether a text is a day or a moment that exists, and which."""
    if reading.named:
        value = _named_sql(reading, text)
        pattern = NAMED_DAY if reading.sort == "date" else NAMED_MOMENT
        return (
            f"(regexp_full_match(lower({text}), {value_sql(pattern)}) AND {value} IS NOT NULL)",
            value,
        )
    value = _moment_sql(reading, text)
    if reading.sort == "date" and not reading.order:  # the way of most files, quicker
        year = f"TRY_CAST({text}[1:4] AS USMALLINT) IS NOT NULL"  # 11-1-01 is of 2001
        marks = f"length({text}) <= 10 AND {text}[5] IN ('-', '/')"
        return f"({value} IS NOT NULL AND {year} AND {marks})", value
    turned = "" if reading.order else f" AND regexp_matches({text}, '^[0-9]{{4}}')"
    pattern = value_sql(moment_pattern(reading))
    return f"(regexp_full_match({text}, {pattern}){turned} AND {value} IS NOT NULL)", value


def _moment_sql(reading: Reading, text: str) -> str:
    if reading.sort == "date" and not reading.order:
        return f"TRY_CAST({text} AS DATE)"
    iso = f"regexp_replace({text}, '^([0-9]{{4}})/([0-9]+)/', '\\1-\\2-')"
    if reading.order in ORDERS:
        turned = r"\3-\2-\1" if reading.order == "dmy" else r"\3-\1-\2"
        day_first = "^([0-9]{1,2})[./-]([0-9]{1,2})[./-]([0-9]{4})"
        iso = f"regexp_replace({iso}, '{day_first}', '{turned}')"
    if reading.short:
        iso = _full_years_sql(reading, iso)
    if reading.halves:
        return _of_halves_sql(iso)
    return f"TRY_CAST({_with_seconds(iso)} AS {'DATE' if reading.sort == 'date' else 'TIMESTAMP'})"


def _named_sql(reading: Reading, text: str) -> str:
    """Days whose months have names, with their number in the name's place."""
    first, last = f"([0-{PIVOT // 10 - 1}][0-9])", f"([{PIVOT // 10}-9][0-9])"
    turned = [(DAY_FIRST, r"\3-\2-\1"), (MONTH_FIRST, r"\3-\1-\2"), (YEAR_FIRST, r"\1-\2-\3")]
    for form in SHORT_FORMS if reading.short else ():
        for century, years in (("20", first), ("19", last)):
            turned.append((form.replace("([0-9]{2})", years), rf"{century}\3-\2-\1"))
    iso = f"lower({text})"
    for form, parts in turned:
        iso = f"regexp_replace({iso}, {value_sql(f'^{form}(?:$|,?[ t](.*))')}, '{parts} \\4')"
    for month, names in enumerate(MONTH_NAMES, 1):
        iso = f"regexp_replace({iso}, '-(?:{'|'.join(names)})-', '-{month:02}-')"
    if reading.halves:
        return _of_halves_sql(iso)
    return f"TRY_CAST({_with_seconds(iso)} AS {'DATE' if reading.sort == 'date' else 'TIMESTAMP'})"


def _full_years_sql(reading: Reading, text: str) -> str:
    """Days with years of four digits for those of two."""
    part = "([0-9]{1,2})"
    for century, years in (
        ("20", f"([0-{PIVOT // 10 - 1}][0-9])"),
        ("19", f"([{PIVOT // 10}-9][0-9])"),
    ):
        if reading.order == "ymd":
            pattern, full = f"^{years}[/-]{part}[/-]{part}($|[ T])", rf"{century}\1-\2-\3\4"
        else:
            pattern = f"^{part}[./-]{part}[./-]{years}($|[ T])"
            full = rf"{century}\3-\2-\1\4" if reading.order == "dmy" else rf"{century}\3-\1-\2\4"
        text = f"regexp_replace({text}, '{pattern}', '{full}')"
    return text


def _of_halves_sql(text: str) -> str:
    """Moments of a clock of twelve hours, where they say which half of the day it is."""
    bare = f"regexp_replace({text}, ' ?[AaPp][.]?[Mm][.]?$', '')"
    moment = f"TRY_CAST({_with_seconds(bare)} AS TIMESTAMP)"
    of = "regexp_matches({0}, '[{1}][.]?[Mm][.]?$')".format
    return (
        f"CASE WHEN {of(text, 'Pp')} AND hour({moment}) < 12 THEN {moment} + INTERVAL 12 HOUR "
        f"WHEN {of(text, 'Aa')} AND hour({moment}) = 12 THEN {moment} - INTERVAL 12 HOUR "
        f"ELSE {moment} END"
    )


def _with_seconds(text: str) -> str:
    """DuckDB wants seconds."""
    return f"regexp_replace({text}, '([ T][0-9]{{1,2}}:[0-9]{{2}})$', '\\1:00')"
