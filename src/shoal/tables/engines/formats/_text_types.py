"""Types of the columns of a text file: told from a sample, then held against every row."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import duckdb

from shoal.errors import TableWarning
from shoal.tables._engine import OpenOptions
from shoal.tables.engines._sql import value_sql
from shoal.tables.engines.formats._text_values import (
    BLANK,
    NUMBER,
    ORDERS,
    PIVOT,
    Reading,
    moment_pattern,
    number_pattern,
    read_column,
    unit_pattern,
)

_SAMPLE_ROWS = 5_000
_MISFITS = 500
"""Values that do not fit a first idea which are looked at, a column and round."""

_AT_ONCE = 16
"""Columns whose values are listed by one query, for the sake of memory."""

_MOST_VALUES = 100_000
_ROUNDS = 8
_PLAINLY_MISSING = frozenset(
    [
        "na",
        "n/a",
        "#n/a",
        "<na>",
        "nan",
        "null",
        "?",
        ".",
        "\\n",
        "#null!",
        "#value!",
        "#div/0!",
        "#ref!",
        "#name?",
        "#num!",
    ]
)
"""Words that stand for nothing in columns of text too, in a file that uses one of them so."""

_DECIMAL = ("number", "grouped", "grouped whole")
"""Sorts of numbers that have a sign before decimals, or might have."""

_ADVICE = {
    "decimals or thousands": "whether a comma or a point stands before decimals or between "
    "thousands. It is left as text; say --decimal , or --decimal . to have numbers",
    "day or month first": "whether days or months come first in its dates. It is left as text; "
    "say --dates dmy or --dates mdy to have dates",
}


def read_types(
    connection: duckdb.DuckDBPyConnection,
    read: str,
    names: Sequence[str],
    options: OpenOptions,
    told: Collection[int] = (),
) -> list[Reading]:
    """How each column `p0`, `p1`, ... of a FROM clause of texts is read; `told` are known."""
    if options.guess == "none":
        connection.sql(f"SELECT count(p0) FROM {read}").fetchall()  # a bad row is told here
        return [Reading("text") for _ in names]
    columns = ", ".join(f"{stripped(i)} AS t{i}" for i in range(len(names)))
    sample = connection.sql(f"SELECT {columns} FROM {read} LIMIT {_SAMPLE_ROWS}").fetchall()
    seen = [{text for text in column if text} for column in zip(*sample, strict=True)]
    seen = seen or [set() for _ in names]
    first = [
        Reading("text") if i in told else _read_as_asked(v, options) for i, v in enumerate(seen)
    ]
    readings = _held(connection, read, first, seen, options)
    if not any(
        r.undecided or r.short or r.missing or r.sort in _DECIMAL or any(r.unit) for r in readings
    ):
        return readings  # nothing that one column could tell of another
    readings = _decided(connection, read, readings, seen, options)
    settled = _settle_decimals(readings, seen, options)
    if settled != readings:
        odd = _misfits(connection, read, settled)
        readings = [r if o else s for r, s, o in zip(readings, settled, odd, strict=True)]
    _say_undecided(readings, names)
    return _with_missing_texts(readings, seen, options)


def _held(
    connection: duckdb.DuckDBPyConnection,
    read: str,
    readings: Sequence[Reading],
    seen: list[set[str]],
    options: OpenOptions,
) -> list[Reading]:
    """Readings that every row fits, beginning with those that a sample fits."""
    held = list(readings)
    for _ in range(_ROUNDS):
        odd = _misfits(connection, read, held)
        if not any(odd):
            return held
        for i, values in enumerate(odd):
            if values:
                seen[i] |= values
                held[i] = _read_as_asked(seen[i], options)
    text = {"sort": "text", "unit": ("", "")}
    return [replace(r, **text) if o else r for r, o in zip(held, odd, strict=True)]


def _decided(
    connection: duckdb.DuckDBPyConnection,
    read: str,
    readings: list[Reading],
    seen: list[set[str]],
    options: OpenOptions,
) -> list[Reading]:
    """Look at all values of columns that a sample leaves open: one of them may tell."""
    open_columns = [i for i, reading in enumerate(readings) if reading.undecided]
    if not open_columns:
        return readings
    listed = ", ".join(
        f"list_slice(list(DISTINCT {stripped(i)}), 1, {_MOST_VALUES})" for i in open_columns
    )
    row: Any = connection.sql(f"SELECT {listed} FROM {read}").fetchall()[0]
    for i, values in zip(open_columns, row, strict=True):
        seen[i] |= {value for value in values or () if value}
        readings[i] = _read_as_asked(seen[i], options)
    return _held(connection, read, readings, seen, options)


def _read_as_asked(values: set[str], options: OpenOptions, decimal: str | None = None) -> Reading:
    """How a column is read, as far as the user says it; `decimal` is what other columns tell."""
    words = options.missing
    found = read_column(
        values,
        decimal=options.decimal or decimal,
        thousands=options.thousands,
        order=options.dates,
        words=None if words is None else frozenset(word.strip(BLANK).lower() for word in words),
    )
    # 'true' stays a word, and a date keeps the way it was written
    if options.guess == "numbers" and found.sort in ("boolean", "date", "moment"):
        return Reading("text", missing=frozenset() if words is None else found.missing)
    return found


def stripped(column: int) -> str:
    """A cell without blanks around it."""
    return f"trim(p{column})"


def fits_sql(reading: Reading, text: str) -> str:
    """Whether a text can be read so, as DuckDB says it; the same as `read_column` says."""
    if any(reading.unit):
        bare = fits_sql(replace(reading, unit=("", "")), _bare_sql(reading, text))
        return f"(regexp_full_match({text}, {value_sql(unit_pattern(reading.unit))}) AND {bare})"
    match reading.sort:
        case "whole":
            return f"CAST(TRY_CAST({text} AS BIGINT) AS VARCHAR) = {text}"
        case "number":
            return f"regexp_full_match({text}, {value_sql(NUMBER)})"
        case "grouped" | "grouped whole":
            whole = reading.sort == "grouped whole"
            pattern = number_pattern(reading.decimal, reading.thousands, whole=whole)
            return f"regexp_full_match({text}, {value_sql(pattern)})"
        case "boolean":
            return f"lower({text}) IN ('true', 'false')"
        case "date" | "moment":
            if reading.sort == "date" and not reading.order:  # the way of most files, quicker
                return (
                    f"(TRY_CAST({text} AS DATE) IS NOT NULL AND length({text}) <= 10 "
                    f"AND TRY_CAST({text}[1:4] AS USMALLINT) IS NOT NULL "  # 11-1-01 is of 2001
                    f"AND {text}[5] IN ('-', '/'))"
                )
            pattern = moment_pattern(reading)
            turned = "" if reading.order else " AND regexp_matches({0}, '^[0-9]{{4}}')"
            return (
                f"(regexp_full_match({text}, {value_sql(pattern)}){turned.format(text)} AND "
                f"{_moment_sql(reading, text)} IS NOT NULL)"
            )
        case _:
            return "TRUE" if reading.sort == "text" else "FALSE"


def value_of_sql(reading: Reading, column: int) -> str:
    """The value of a cell, as an expression; NULL where nothing is written."""
    text = stripped(column)
    nothing = f"{text} = ''"
    if reading.missing:
        nothing += f" OR lower({text}) IN ({', '.join(map(value_sql, sorted(reading.missing)))})"
    if any(reading.unit):
        text = _bare_sql(reading, text)
    match reading.sort:
        case "whole":
            value = f"CAST({text} AS BIGINT)"
        case "number":
            value = f"CAST({text} AS DOUBLE)"
        case "grouped" | "grouped whole":
            kind = "BIGINT" if reading.sort == "grouped whole" else "DOUBLE"
            plain = f"replace({text}, {value_sql(reading.thousands)}, '')" if (
                reading.thousands) else text  # fmt: skip
            value = f"CAST(replace({plain}, {value_sql(reading.decimal)}, '.') AS {kind})"
        case "boolean":
            value = f"CAST(lower({text}) AS BOOLEAN)"
        case "date" | "moment":
            value = _moment_sql(reading, text)
        case _:
            value = f"p{column}"
    return f"CASE WHEN {nothing} THEN NULL ELSE {value} END"


def _bare_sql(reading: Reading, text: str) -> str:
    """A number without its unit."""
    return f"regexp_replace({text}, {value_sql(unit_pattern(reading.unit))}, '\\1\\2')"


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


def _misfits(
    connection: duckdb.DuckDBPyConnection, read: str, readings: Sequence[Reading]
) -> list[set[str]]:
    """Some values of each column that do not fit how it is to be read."""
    tests = []
    for i, reading in enumerate(readings):
        text = stripped(i)
        fits = fits_sql(reading, text)
        if fits == "TRUE":
            continue
        if reading.missing:
            fits = f"({fits} OR lower({text}) IN {tuple_sql(sorted(reading.missing))})"
        tests.append((i, f"{text} <> '' AND NOT coalesce({fits}, FALSE)"))
    found: list[set[str]] = [set() for _ in readings]
    # every row is read in any case: a row of another shape is told here
    counts = ", ".join([f"count(*) FILTER ({test})" for _, test in tests] or ["count(p0)"])
    numbers = connection.sql(f"SELECT {counts} FROM {read}").fetchall()[0]
    odd = [each for each, number in zip(tests, numbers, strict=False) if number]
    for start in range(0, len(odd), _AT_ONCE):
        part = odd[start : start + _AT_ONCE]
        listed = ", ".join(
            f"list_slice(list(DISTINCT {stripped(i)}) FILTER ({test}), 1, {_MISFITS})"
            for i, test in part
        )
        row = connection.sql(f"SELECT {listed} FROM {read}").fetchall()[0]
        for (i, _), values in zip(part, row, strict=True):
            found[i] = set(values or ())
    return found


def tuple_sql(values: Sequence[str]) -> str:
    """Literals in parentheses."""
    return f"({', '.join(map(value_sql, values))})"


def _settle_decimals(
    readings: Sequence[Reading], seen: Sequence[set[str]], options: OpenOptions
) -> list[Reading]:
    """One file writes its decimals one way: columns that can be told decide for the others."""
    signs = {r.decimal for r in readings if r.sort == "grouped"}
    signs |= {"." for r in readings if r.sort == "number"} if "," not in signs else set()
    if options.decimal is not None or len(signs) != 1:
        return list(readings)
    sign = signs.pop()
    settled = []
    for reading, values in zip(readings, seen, strict=True):
        again = _read_as_asked(values, options, sign)
        doubtful = reading.undecided == "decimals or thousands" or (
            sign == "," and reading.sort == "number"
        )
        fits = again.sort in ("grouped", "grouped whole") and not again.undecided
        settled.append(again if doubtful and fits else reading)
    return settled


def _say_undecided(readings: Sequence[Reading], names: Sequence[str]) -> None:
    for name, reading in zip(names, readings, strict=True):
        if reading.short:
            warnings.warn(
                f"column {name!r}: years of two digits are taken for 1930 to 2029. Write four "
                "digits where they are others.",
                TableWarning,
                stacklevel=2,
            )
        if any(reading.unit):
            warnings.warn(
                f"column {name!r}: the numbers beside the unit {''.join(reading.unit)} are read, "
                "and written without it.",
                TableWarning,
                stacklevel=2,
            )
        if reading.undecided:
            warnings.warn(
                f"column {name!r}: it cannot be told {_ADVICE[reading.undecided]}.",
                TableWarning,
                stacklevel=2,
            )


def _with_missing_texts(
    readings: Sequence[Reading], seen: Sequence[set[str]], options: OpenOptions
) -> list[Reading]:
    """Let words that stand for nothing in columns of numbers do so in columns of text."""
    if options.missing is not None or options.guess != "all":
        return list(readings)
    words = frozenset(word for r in readings if r.sort != "text" for word in r.missing)
    if not words & _PLAINLY_MISSING:
        return list(readings)
    return [
        replace(reading, missing=_PLAINLY_MISSING - _codes(values))
        if reading.sort == "text"
        else reading
        for reading, values in zip(readings, seen, strict=True)
    ]


def _codes(values: set[str]) -> frozenset[str]:
    """Words that are a code like the others of the column: NA is Namibia among countries."""
    short = {value for value in values if value.isalpha() and value.isupper()}
    pairs = {value for value in short if len(value) == 2}
    return frozenset(["na"]) if len(pairs) > 3 and len(pairs) * 2 > len(values) else frozenset()


def list_of_readings(readings: Sequence[Reading], given: Mapping[int, str]) -> str:
    """The columns of a SELECT that gives values for texts; `given` are types that are not told."""
    return ", ".join(
        f"CAST({value_of_sql(Reading('text'), i)} AS {given[i]}) AS p{i}"
        if i in given
        else f"{value_of_sql(reading, i)} AS p{i}"
        for i, reading in enumerate(readings)
    )


def names_sql(count: int) -> str:
    """Types of the columns of a text file that is read as it is."""
    return "{" + ", ".join(f"'p{i}': 'VARCHAR'" for i in range(count)) + "}"
