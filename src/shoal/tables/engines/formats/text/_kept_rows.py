"""Columns of a release in the types of the rows that are released, not of all that were read.

A single fraction among rows that are left out would make 1000 of everybody 1000.0, a word would
leave 1.0 a text, and a time of day would give one to all days.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Collection, Mapping
from dataclasses import replace

from shoal.errors import TableWarning
from shoal.schema import Schema
from shoal.tables._canonical import MEASURED
from shoal.tables._dialect import TextDialect
from shoal.tables.engines._duck_connection import NUMBER, StagedRows
from shoal.tables.engines.formats.text._types import cell_sql, read_types
from shoal.tables.engines.formats.text._values import Reading

_counter = itertools.count()
_WHOLE = ("{0} = round({0}) AND abs({0}) < 9007199254740992", "BIGINT")
_SMALL = ("{0} <= 9223372036854775807", "BIGINT")
_DAY = ("{0} = CAST({0} AS DATE)", "DATE")
"""The test of a cell, and the type of a column whose cells all pass it."""


def read_kept_again(
    rows: StagedRows, kept: str, names: Collection[str], schema: Schema
) -> StagedRows:
    """The rows with texts of some columns read as the rows say whose numbers a table has.

    Rows whose types were declared, not told from values, stay what they are.  So do columns that
    the schema calls numbers or dates and that are: with texts in them there would be no release.
    """
    free = {name for name in names if schema[name].kind not in MEASURED}
    texts = [
        i
        for i, (name, kind) in enumerate(zip(rows.names, rows.types, strict=True))
        if (name in names and kind == "VARCHAR") or i in rows.doubts
    ]
    if rows.options is None or not texts:
        return rows
    written = {i: f"t{i}" if i in rows.doubts else f"c{i}" for i in texts}
    listed = ", ".join(f"r.{written[i]} AS p{n}" for n, i in enumerate(texts))
    with warnings.catch_warnings():  # all but units was said when all rows were read
        warnings.filterwarnings("ignore", "(?!.* written without )", TableWarning)
        kept_readings, *_ = read_types(
            rows.connection,
            f"(SELECT {listed} FROM {rows.view} AS r SEMI JOIN {kept} AS p USING ({NUMBER}))",
            [rows.names[i] for i in texts],
            rows.options,
        )
    readings = {
        i: reading
        for i, reading in zip(texts, kept_readings, strict=True)
        if rows.names[i] in (free if i in rows.doubts else names)
        and (
            reading != replace(rows.doubts[i], missing=reading.missing)
            if i in rows.doubts
            else reading.sort not in ("text", "empty") or reading.missing
        )
    }
    if not readings:
        return rows
    _say_in_doubt(rows, readings)
    cells = ", ".join(
        f"CASE WHEN is_kept THEN {cell_sql(readings[i], i).value} END AS c{i}"
        if i in readings
        else f"p{i} AS c{i}"
        for i in range(len(rows.names))
    )
    plain = ", ".join(
        f"r.{written[i] if i in readings else f'c{i}'} AS p{i}" for i in range(len(rows.names))
    )
    table = f"kept_{next(_counter)}"
    rows.connection.execute(
        f"CREATE TEMP TABLE {table} AS SELECT {NUMBER}, {cells} FROM "
        f"(SELECT r.{NUMBER}, {plain}, p.{NUMBER} IS NOT NULL AS is_kept FROM {rows.view} AS r "
        f"LEFT JOIN {kept} AS p ON p.{NUMBER} = r.{NUMBER}) ORDER BY {NUMBER}"
    )
    types = tuple(map(str, rows.connection.table(table).types))[1:]
    rows = replace(rows, doubts={})
    dialect = rows.dialect and _heard(
        rows.dialect, {rows.names[i]: reading for i, reading in readings.items()}
    )
    return replace(rows, view=table, types=types, dialect=dialect)


def _say_in_doubt(rows: StagedRows, readings: Mapping[int, Reading]) -> None:
    for i, reading in readings.items():
        if i in rows.doubts and reading.undecided:
            warnings.warn(
                f"column {rows.names[i]!r}: the rows that are released do not tell how it is to be "
                f"read ({reading.undecided}), and are left as text. Say it with --dates or "
                "--decimal.",
                TableWarning,
                stacklevel=2,
            )


def _heard(dialect: TextDialect, readings: Mapping[str, Reading]) -> TextDialect:
    """How a file writes its values, when some columns are read so."""
    signs = {n: (r.decimal, r.thousands) for n, r in readings.items() if r.sort[:7] == "grouped"}
    grouped = {n: own for n, own in dialect.grouped.items() if n not in readings} | signs
    return replace(
        dialect,
        decimal="," if {decimal for decimal, _ in grouped.values()} == {","} else ".",
        grouped=grouped,
        units={n: own for n, own in dialect.units.items() if n not in readings}
        | {n: r.unit for n, r in readings.items() if any(r.unit)},
        missing={n: own for n, own in dialect.missing.items() if n not in readings}
        | {n: r.missing for n, r in readings.items() if r.missing},
    )


def whole_if_kept_are(
    rows: StagedRows, kept: str, released: Mapping[str, str], names: Collection[str]
) -> dict[str, str]:
    """Some of the columns to be released, of whole numbers or days where kept rows have no others.

    Decimals have as many digits as kept rows need, and a column without a value is one of texts.
    Days only where types were told from values: who declares moments has them whatever comes.
    """
    coarser = {"DOUBLE": _WHOLE, "UBIGINT": _SMALL}
    if rows.options is not None:
        coarser["TIMESTAMP"] = _DAY
    kinds = dict(zip(rows.names, rows.types, strict=True))
    finer = {name: coarser.get(kinds[name], ("TRUE", "")) for name in names}
    if not finer:
        return {}
    asked = ", ".join(
        f"count({released[n]}), bool_and({test.format(released[n])}), "
        + (_digits(released[n]) if kinds[n].startswith("DECIMAL") else "0, 0")
        for n, (test, _) in finer.items()
    )
    (counts,) = rows.connection.sql(
        f"SELECT {asked} FROM {rows.view} AS r JOIN {kept} AS p ON p.{NUMBER} = r.{NUMBER}"
    ).fetchall()
    types = {}
    for index, (name, (_, kind)) in enumerate(finer.items()):
        known, fits, before, behind = counts[4 * index : 4 * index + 4]
        if not known:
            types[name] = "VARCHAR"  # nothing tells the type of empty cells
        elif kinds[name].startswith("DECIMAL"):
            types[name] = f"DECIMAL({max(before + behind, 1)}, {behind})"
        elif fits and kind:
            types[name] = kind
    return {name: f"CAST({released[name]} AS {kind})" for name, kind in types.items()}


def _digits(value: str) -> str:
    """SQL for the most digits that values have before the point, and behind it."""
    before, behind = (f"split_part(CAST({value} AS VARCHAR), '.', {part})" for part in (1, 2))
    return f"max(length(ltrim({before}, '-0'))), max(length(rtrim({behind}, '0')))"
