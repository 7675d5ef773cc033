"""Types of the columns of a text file: told from a sample, then held against every row."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import duckdb

from shoal.errors import TableWarning
from shoal.tables._engine import OpenOptions
from shoal.tables.engines._duck_connection import value_sql
from shoal.tables.engines.formats.text._sql import dated_sql, grouped_sql
from shoal.tables.engines.formats.text._values import (
    BLANK,
    IN_DOUBT,
    MISSING_WORDS,
    NUMBER,
    Reading,
    close_readings,
    unit_pattern,
)

_NUMBER = re.compile(NUMBER)
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

_DIGIT = re.compile("[0-9]")
_TRUTHS = {"true", "false"}
_WHOLE = re.compile("-?[1-9][0-9]{0,17}|0")
"""Whole numbers of so few digits that all of them fit into 64 bits."""

_DECIMAL = ("number", "grouped", "grouped whole")
"""Sorts of numbers that have a sign before decimals, or might have."""

_ADVICE = {
    "decimals or thousands": "whether a comma or a point stands before decimals or between "
    "thousands. It is left as text; say --decimal , or --decimal . (or --thousands) to have "
    "numbers",
    "day or month first": "whether days or months come first in its dates. It is left as text; "
    "say --dates dmy or --dates mdy to have dates",
}


def read_types(
    connection: duckdb.DuckDBPyConnection,
    read: str,
    names: Sequence[str],
    options: OpenOptions,
    told: Mapping[int, str] | None = None,
    *,
    stop_at_empty: bool = False,
) -> tuple[list[Reading], str, dict[int, Reading]]:
    """How each column `p0`, `p1`, ... of a FROM clause of texts is read, and one of the values.

    Behind the values stand the texts of columns whose reading a part of the rows might not tell,
    as it may not tell whether days or months come first; these columns come last.
    `told` are SQL types of columns whose texts are not looked at.  Rows of empty cells are an
    error of DuckDB's kind where reading is to `stop_at_empty` ones.
    """
    told = told or {}
    given = {i: options.types[name] for i, name in enumerate(names) if name in options.types}
    given = {**told, **given}
    readings = [Reading("text") for _ in names]
    seen: list[set[str]] = [set() for _ in names]
    if options.guess == "none":
        connection.execute(f"SELECT count(p0) FROM {read}").fetchall()  # a bad row is told here
    else:
        columns = ", ".join(f"trim(p{i}) AS t{i}" for i in range(len(names)))
        sample = connection.execute(f"SELECT {columns} FROM {read} LIMIT {_SAMPLE_ROWS}").fetchall()
        sampled = [{text for text in column if text} for column in zip(*sample, strict=True)]
        seen = sampled or seen
        for i, texts in enumerate(seen):
            if i not in told:
                readings[i] = read_column(texts, options)
        odd = _misfits(connection, read, readings, stop_at_empty=stop_at_empty)
        if any(odd):
            readings = _held(connection, read, readings, odd, seen, options)
        if any(
            r.undecided or r.short or r.missing or r.sort in _DECIMAL or any(r.unit)
            for r in readings
        ):  # there is something that one column could tell of another
            readings = _settled(connection, read, readings, seen, names, options)
    values = ", ".join(
        f"CAST({cell_sql(Reading('text'), i).value} AS {given[i]}) AS p{i}"
        if i in given
        else f"{cell_sql(reading, i).value} AS p{i}"
        for i, reading in enumerate(readings)
    )
    may_doubt = any(r.order or r.sort in _DECIMAL for r in readings)
    doubts = {
        i: readings[i]
        for i in (_doubtful(readings, seen, options) if may_doubt else ())
        if i not in given
    }
    values += "".join(f", p{i} AS t{i}" for i in doubts)
    return readings, f"(SELECT {values} FROM {read})", doubts


def _doubtful(
    readings: Sequence[Reading], seen: Sequence[set[str]], options: OpenOptions
) -> list[int]:
    """Columns that would perhaps be read in another way if some rows were not there."""
    has_signs = options.decimal is None and any(r.sort[:7] == "grouped" for r in readings)
    return [
        i
        for i, reading in enumerate(readings)
        if (reading.order and options.dates is None)
        or (has_signs and reading.sort in _DECIMAL)
        or (
            reading.sort == "number"
            and options.decimal is None
            and options.delimiter != ","
            and any(map(IN_DOUBT.fullmatch, seen[i]))
        )
    ]


def read_column(
    texts: Iterable[str], options: OpenOptions | None = None, decimal: str | None = None
) -> Reading:
    """How a column is read that holds these distinct texts, stripped, none of them empty.

    What the user says is taken, and `decimal` where other columns tell it; the rest is told from
    the texts.  Texts that fit no other sort leave the column what it is: text.
    """
    options = options or OpenOptions()
    seen, words = set(texts), MISSING_WORDS
    if options.missing is not None:
        words = frozenset(word.strip(BLANK).lower() for word in options.missing)
    missing = frozenset(text.lower() for text in seen if text.lower() in words)
    values = {text for text in seen if text.lower() not in missing}
    if not values:
        return Reading("empty", missing=missing)
    reading = Reading("text")
    if all(map(_WHOLE.fullmatch, values)):
        reading = Reading("whole")
    # there is no other number and no date without a digit
    elif all(map(_DIGIT.search, values)) or {value.lower() for value in values} <= _TRUTHS:
        decimal = options.decimal or decimal
        # who writes commas between cells writes points before decimals
        if options.delimiter == "," and all(map(_NUMBER.fullmatch, values)):
            decimal = decimal or "."
        signs = (decimal, options.thousands)
        reading = next(iter(close_readings(values, *signs, options.dates)), reading)
        # 'true' stays a word, and a date keeps the way it was written
        if options.guess == "numbers" and reading.sort in ("boolean", "date", "moment"):
            reading = Reading("text")
    is_known = reading.sort != "text" or options.missing is not None
    return replace(reading, missing=missing if is_known else frozenset())


def _settled(
    connection: duckdb.DuckDBPyConnection,
    read: str,
    readings: list[Reading],
    seen: list[set[str]],
    names: Sequence[str],
    options: OpenOptions,
) -> list[Reading]:
    """Readings of columns that are in doubt, once other columns were heard; says what stays so."""
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
    odd: list[set[str]],
    seen: list[set[str]],
    options: OpenOptions,
) -> list[Reading]:
    """Readings that every row fits, beginning with those that a sample fits but `odd` values."""
    held = list(readings)
    for is_again in range(_ROUNDS):
        if is_again:
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
    row: Any = connection.execute(f"SELECT {listed} FROM {read}").fetchall()[0]
    for i, values in zip(open_columns, row, strict=True):
        seen[i] |= {value for value in values or () if value}
        readings[i] = read_column(seen[i], options)
    odd = _misfits(connection, read, readings)
    return _held(connection, read, readings, odd, seen, options)


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
            fits, value = grouped_sql(reading, text)
        case "boolean":
            fits = f"lower({text}) IN ('true', 'false')"
            value = f"CAST(lower({text}) AS BOOLEAN)"
        case "date" | "moment":
            fits, value = dated_sql(reading, text)
        case _:
            fits, value = "TRUE" if reading.sort == "text" else "FALSE", f"p{column}"
    if any(reading.unit):
        fits = f"(regexp_full_match({cell}, {beside_unit}) AND {fits})"
    nothing = f"{cell} = ''"
    if reading.missing:
        is_word = f"lower({cell}) IN ({', '.join(map(value_sql, sorted(reading.missing)))})"
        fits, nothing = f"({fits} OR {is_word})", f"{nothing} OR {is_word}"
    return CellSql(fits, f"CASE WHEN {nothing} THEN NULL ELSE {value} END")


def _misfits(
    connection: duckdb.DuckDBPyConnection,
    read: str,
    readings: Sequence[Reading],
    *,
    stop_at_empty: bool = False,
) -> list[set[str]]:
    """Some values of each column that do not fit how it is to be read."""
    tests = [
        (i, f"trim(p{i}) <> '' AND NOT coalesce({cell_sql(reading, i).fits}, FALSE)")
        for i, reading in enumerate(readings)
        if reading.sort != "text"
    ]
    misfits: list[set[str]] = [set() for _ in readings]
    # every row is read in any case: a row of another shape is told here
    counts = ", ".join([f"count(*) FILTER ({test})" for _, test in tests] or ["count(p0)"])
    if stop_at_empty:  # counted on the way
        empty = " AND ".join(f"coalesce(trim(p{i}), '') = ''" for i in range(len(readings)))
        counts += f", count(*) FILTER ({empty})"
    numbers = connection.execute(f"SELECT {counts} FROM {read}").fetchall()[0]
    if stop_at_empty and numbers[-1]:
        raise duckdb.InvalidInputException
    odd = [each for each, number in zip(tests, numbers, strict=False) if number]
    for start in range(0, len(odd), _AT_ONCE):
        part = odd[start : start + _AT_ONCE]
        listed = ", ".join(
            f"list_slice(list(DISTINCT trim(p{i})) FILTER ({test}), 1, {_MISFITS})"
            for i, test in part
        )
        row = connection.execute(f"SELECT {listed} FROM {read}").fetchall()[0]
        for (i, _), values in zip(part, row, strict=True):
            misfits[i] = set(values or ())
    return misfits


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
        fits = again.sort in _DECIMAL and not again.undecided
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
