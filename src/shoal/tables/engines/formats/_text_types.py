"""Types of the columns of a text file: told from a sample, then held against every row."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import duckdb

from shoal.errors import TableWarning
from shoal.tables._engine import OpenOptions
from shoal.tables.engines._sql import value_sql
from shoal.tables.engines.formats._text_values import (
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
    columns = ", ".join(f"trim(p{i}) AS t{i}" for i in range(len(names)))
    sample = connection.sql(f"SELECT {columns} FROM {read} LIMIT {_SAMPLE_ROWS}").fetchall()
    seen = [{text for text in column if text} for column in zip(*sample, strict=True)]
    seen = seen or [set() for _ in names]
    first = [
        Reading("text") if i in told else read_column(texts, options)
        for i, texts in enumerate(seen)
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
                held[i] = read_column(seen[i], options)
    return [
        replace(r, sort="text", unit=("", "")) if o else r for r, o in zip(held, odd, strict=True)
    ]


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
        f"list_slice(list(DISTINCT trim(p{i})), 1, {_MOST_VALUES})" for i in open_columns
    )
    row: Any = connection.sql(f"SELECT {listed} FROM {read}").fetchall()[0]
    for i, values in zip(open_columns, row, strict=True):
        seen[i] |= {value for value in values or () if value}
        readings[i] = read_column(seen[i], options)
    return _held(connection, read, readings, seen, options)


class CellSql(NamedTuple):
    """What DuckDB is asked about a cell.

    Parameters
    ----------
    fits : str
        Whether the cell, which is not empty, can be read so; the same as `read_column` says.
    value : str
        Its value; NULL where nothing is written.
    """

    fits: str
    value: str


def cell_sql(reading: Reading, column: int) -> CellSql:
    """How a cell of `p0`, `p1`, ... is read, blanks around it left out."""
    cell = text = f"trim(p{column})"
    if any(reading.unit):
        beside_unit = value_sql(unit_pattern(reading.unit))
        text = f"regexp_replace({cell}, {beside_unit}, '\\1\\2')"
    match reading.sort:
        case "whole":
            fits = f"CAST(TRY_CAST({text} AS BIGINT) AS VARCHAR) = {text}"
            value = f"CAST({text} AS BIGINT)"
        case "number":
            fits = f"regexp_full_match({text}, {value_sql(NUMBER)})"
            value = f"CAST({text} AS DOUBLE)"
        case "grouped" | "grouped whole":
            fits, value = _grouped_sql(reading, text)
        case "boolean":
            fits = f"lower({text}) IN ('true', 'false')"
            value = f"CAST(lower({text}) AS BOOLEAN)"
        case "date" | "moment":
            fits, value = _dated_sql(reading, text)
        case _:
            fits, value = "TRUE" if reading.sort == "text" else "FALSE", f"p{column}"
    if any(reading.unit):
        fits = f"(regexp_full_match({cell}, {beside_unit}) AND {fits})"
    nothing = f"{cell} = ''"
    if reading.missing:
        is_word = f"lower({cell}) IN ({', '.join(map(value_sql, sorted(reading.missing)))})"
        fits, nothing = f"({fits} OR {is_word})", f"{nothing} OR {is_word}"
    return CellSql(fits, f"CASE WHEN {nothing} THEN NULL ELSE {value} END")


def _grouped_sql(reading: Reading, text: str) -> tuple[str, str]:
    whole = reading.sort == "grouped whole"
    pattern = number_pattern(reading.decimal, reading.thousands, whole=whole)
    apart = reading.thousands
    plain = f"replace({text}, {value_sql(apart)}, '')" if apart else text
    value = f"replace({plain}, {value_sql(reading.decimal)}, '.')"
    fits = f"regexp_full_match({text}, {value_sql(pattern)})"
    return fits, f"CAST({value} AS {'BIGINT' if whole else 'DOUBLE'})"


def _dated_sql(reading: Reading, text: str) -> tuple[str, str]:
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
    tests = [
        (i, f"trim(p{i}) <> '' AND NOT coalesce({cell_sql(reading, i).fits}, FALSE)")
        for i, reading in enumerate(readings)
        if reading.sort != "text"
    ]
    found: list[set[str]] = [set() for _ in readings]
    # every row is read in any case: a row of another shape is told here
    counts = ", ".join([f"count(*) FILTER ({test})" for _, test in tests] or ["count(p0)"])
    numbers = connection.sql(f"SELECT {counts} FROM {read}").fetchall()[0]
    odd = [each for each, number in zip(tests, numbers, strict=False) if number]
    for start in range(0, len(odd), _AT_ONCE):
        part = odd[start : start + _AT_ONCE]
        listed = ", ".join(
            f"list_slice(list(DISTINCT trim(p{i})) FILTER ({test}), 1, {_MISFITS})"
            for i, test in part
        )
        row = connection.sql(f"SELECT {listed} FROM {read}").fetchall()[0]
        for (i, _), values in zip(part, row, strict=True):
            found[i] = set(values or ())
    return found


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
        again = read_column(values, options, sign)
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
        f"CAST({cell_sql(Reading('text'), i).value} AS {given[i]}) AS p{i}"
        if i in given
        else f"{cell_sql(reading, i).value} AS p{i}"
        for i, reading in enumerate(readings)
    )
