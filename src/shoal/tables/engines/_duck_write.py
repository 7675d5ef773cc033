"""Rows out of DuckDB into files; as text in the way the input was written."""

from __future__ import annotations

import codecs
import csv
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from shoal.errors import TableError, TableWarning
from shoal.frames._arrow_files import ARROW_SUFFIXES, write_arrow_batches
from shoal.frames._frame import Frame
from shoal.frames._native import refuse_same_letters
from shoal.tables._dialect import TextDialect
from shoal.tables.engines._duck_connection import connect, disclose_nothing, name_sql, value_sql
from shoal.tables.engines.formats._writers import (
    COMPUTED,
    FORMULA,
    PLAIN_NUMBER,
    WRITERS,
    require_safe_names,
)
from shoal.tables.engines.formats.text._bytes import PACKED, pack

_TEXTS = (".csv", ".tsv", ".txt", ".data", ".tab")
_BEGINS = f"ascii({{}}) IN ({', '.join(str(ord(sign)) for sign in COMPUTED + chr(39))})"
"""Whether a text begins with a sign at which a spreadsheet computes, or with an apostrophe."""

_FRACTIONS = ("DOUBLE", "FLOAT")
MOST_LOOKED_AT = 100
"""Columns whose cells are looked at in one query: DuckDB holds every step of every column."""


def in_order(select: str, order: str | None) -> str:
    """A query with its rows in the order of one of its columns, and without that column."""
    if order is None:
        return select
    # outermost: an order of queries inside does not count
    return f"SELECT * EXCLUDE ({name_sql(order)}) FROM ({select}) ORDER BY {name_sql(order)}"


def copy_query(
    query: Callable[[str], Any],
    select: str,
    path: Path,
    *,
    suffix: str | None = None,
    metadata: Mapping[str, str] | None = None,
    source: TextDialect | None = None,
    numeric: Sequence[str] = (),
    escape: bool = True,
    order: str | None = None,
) -> TextDialect | None:
    """Write the rows of a query to a file, and say how if it is text.

    Parameters
    ----------
    query : callable
        Runs SQL.
    select : str
        The query.
    path : Path
        Where to; packed where the name says so.
    suffix : str, optional
        The format, where the name does not tell it.
    metadata : mapping of str to str, optional
        Kept with the rows of a Parquet file.
    source : TextDialect, optional
        How the input was written.
    numeric : sequence of str
        Columns of labels made of numbers, which are written with the input's decimal sign.
    escape : bool
        Whether a spreadsheet may open a text; without, cells are read back as they were.
    order : str, optional
        A column of the query that rows are put in order by, and that is not written.
    """
    is_packed = path.suffix.lower() in PACKED
    ending = (Path(path.stem).suffix if is_packed else path.suffix).lower()
    suffix = suffix.lower() if suffix else ending
    with disclose_nothing("write"):
        if suffix in _TEXTS:
            dialect = source or TextDialect()
            if ending in (".tsv", ".tab"):
                dialect = replace(dialect, delimiter="\t")
            elif ending == ".csv" and dialect.delimiter not in ",;|":
                dialect = replace(dialect, delimiter=",")
            return _write_text(query, select, path, dialect, numeric, escape=escape, order=order)
        if suffix in (".parquet", ".pq"):
            names = [name_sql(name) for name in query(select).columns]
            # else DuckDB calls a column free of gaps if rows that are left out have none either
            cells = ", ".join(f"TRY({name}) AS {name}" for name in names)
            select = f"SELECT {cells} FROM ({select})"
        select = in_order(select, order)
        if suffix in ARROW_SUFFIXES:
            write_arrow_batches(query(select), path)
            return None
        if suffix in WRITERS:
            WRITERS[suffix](query(select), path)
            return None
        if suffix not in (".parquet", ".pq"):
            raise TableError(
                f"cannot tell the format of {path.name!r}. End it in .csv, .parquet, .xlsx or "
                "another suffix that Shoal writes."
            )
        how = "FORMAT parquet"
        if metadata:
            pairs = ", ".join(
                f"{name_sql(key)}: {value_sql(text)}" for key, text in metadata.items()
            )
            how += f", KV_METADATA {{{pairs}}}"
        query(f"COPY ({select}) TO {value_sql(str(path))} ({how})")
        return None


def _write_text(
    query: Callable[[str], Any],
    select: str,
    path: Path,
    dialect: TextDialect,
    numeric: Sequence[str],
    *,
    escape: bool,
    order: str | None,
) -> TextDialect:
    """Write the rows of a query in the way the input was written, and say how."""
    relation = query(select)
    types = dict(zip(relation.columns, map(str, relation.types), strict=True))
    types.pop(order or "", None)
    if escape and any(name[:1] in COMPUTED for name in types):
        require_safe_names(list(types))
    decimal = "." if dialect.delimiter == "," else dialect.decimal
    swapped = _swapped(query, select, types, numeric) if decimal == "," else ()
    texts = [name for name, kind in types.items() if kind == "VARCHAR"] if escape else []
    escaped = set(texts) if len(texts) <= MOST_LOOKED_AT else _computed(query, select, texts)
    cells = []
    for name in types:
        cell = name_sql(name)
        if name in swapped:
            text = f"CAST({cell} AS VARCHAR)"
            cell = f"regexp_replace({text}, '([0-9])\\.([0-9])', '\\1,\\2', 'g')"
        if name in escaped:
            cell = (
                f"CASE WHEN {_BEGINS.format(cell)} AND length({cell}) > 1 "
                f"AND regexp_matches({cell}, {value_sql(FORMULA)}) "
                f"AND NOT regexp_full_match({cell}, {value_sql(PLAIN_NUMBER)}) "
                f"THEN '''' || {cell} ELSE {cell} END"
            )
        if escape and types[name] == "VARCHAR":  # in quotes, an empty text would not be nothing
            cell = f"NULLIF({cell}, '')" if len(types) > 1 else f"COALESCE({cell}, '')"
        cells.append(f"{cell} AS {name_sql(name)}")
    as_duckdb_writes = dialect.encoding == "utf-8" and not dialect.bom and dialect.newline == "\n"
    is_rewritten = not as_duckdb_writes or path.suffix.lower() in PACKED
    plain = path.with_name(f"{path.name}.plain") if is_rewritten else path
    in_order = "" if order is None else f" ORDER BY {name_sql(order)}"
    query(
        f"COPY (SELECT {', '.join(cells)} FROM ({select}){in_order}) TO {value_sql(str(plain))} "
        "(FORMAT csv, "
        f"HEADER true, COMPRESSION 'none', DELIMITER {value_sql(dialect.delimiter)}, "
        f"QUOTE {value_sql(dialect.quote)}, ESCAPE {value_sql(dialect.quote)})"
    )
    dialect = TextDialect(
        encoding=dialect.encoding, bom=dialect.bom, delimiter=dialect.delimiter,
        quote=dialect.quote, newline=dialect.newline, decimal=decimal, names=tuple(types),
        grouped=dict.fromkeys(swapped, (",", "")), escaped=escape,
    )  # fmt: skip
    return dialect if plain == path else _rewrite(plain, path, dialect)


def _swapped(
    query: Callable[[str], Any], select: str, types: dict[str, str], numeric: Sequence[str]
) -> tuple[str, ...]:
    """Columns of numbers, and of labels of numbers in which no comma stands between digits."""
    fractions = [name for name, kind in types.items() if _is_fraction(kind)]
    labels = [name for name in numeric if types.get(name) == "VARCHAR"]
    if not labels:
        return tuple(fractions)
    tests = ", ".join(f"bool_or(regexp_matches({name_sql(n)}, '[0-9],[0-9]'))" for n in labels)
    row = query(f"SELECT {tests} FROM ({select})").fetchall()[0]
    return (*fractions, *(n for n, comma in zip(labels, row, strict=True) if not comma))


def _is_fraction(kind: str) -> bool:
    return kind in _FRACTIONS or kind.startswith("DECIMAL")


def _computed(query: Callable[[str], Any], select: str, names: list[str]) -> set[str]:
    """Text columns with a cell that has to be escaped; they are examined some at a time."""
    computed = set()
    for start in range(0, len(names), MOST_LOOKED_AT):
        some = names[start : start + MOST_LOOKED_AT]
        tests = ", ".join(f"bool_or({_BEGINS.format(name_sql(name))})" for name in some)
        row = query(f"SELECT {tests} FROM ({select})").fetchall()[0]
        computed |= {name for name, begins in zip(some, row, strict=True) if begins}
    return computed


class _Lines:
    """Where a writer of CSV writes its rows, one at a time; they get another end."""

    def __init__(self, out: IO[str], end: str) -> None:
        self._out, self._end = out, end

    def write(self, row: str) -> None:
        """Write a row that ends in a carriage return and a line feed."""
        self._out.write(row[:-2] + self._end)


def _rewrite(plain: Path, path: Path, dialect: TextDialect) -> TextDialect:
    """Bring rows that DuckDB wrote into the encoding and the line ends of the input, and pack."""
    how: dict[str, Any] = {"delimiter": dialect.delimiter, "quotechar": dialect.quote}
    again = plain.with_name(f"{path.name}.again")
    name = "utf-8" if dialect.encoding.startswith("utf-8") else dialect.encoding
    marked = dialect.bom and not name.startswith(("utf-16", "utf-32"))  # those write one
    try:
        with (
            plain.open(encoding="utf-8", newline="") as rows,
            again.open("w", encoding=name, newline="") as out,
        ):
            if marked:
                out.write(codecs.BOM_UTF8.decode("utf-8"))
            # the writer puts quotes around ends of lines that are its own only
            lines = csv.writer(_Lines(out, dialect.newline), lineterminator="\r\n", **how)
            lines.writerows(csv.reader(rows, **how))
    except UnicodeEncodeError:
        warnings.warn(
            f"labels hold signs that {name} lacks, so {path.name} is written in UTF-8.",
            TableWarning,
            stacklevel=2,
        )
        return _rewrite(plain, path, replace(dialect, encoding="utf-8", bom=False))
    pack(again, path)
    again.unlink()
    plain.unlink()
    return dialect


def write_frame(frame: Frame, path: Path) -> TextDialect | None:
    """Write a dataframe, by its own library where it can; says how if it is text."""
    suffix = path.suffix.lower()
    if suffix in (".parquet", *ARROW_SUFFIXES):
        frame.write(path)
        return None
    is_arrow = type(frame.eager).__module__.startswith("pyarrow")  # it quotes every text
    if suffix == ".csv" and not is_arrow:
        require_safe_names(frame.names)
        frame.write(path, formula=FORMULA, number=PLAIN_NUMBER)
        return TextDialect(names=frame.names, escaped=True)
    refuse_same_letters(frame.names, suffix)
    with connect() as connection:
        connection.register("made", frame.eager if is_arrow else frame.arrow())
        return copy_query(connection.sql, "SELECT * FROM made", path)
