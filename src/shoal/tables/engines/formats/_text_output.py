"""Rows written as text in the way the input was written, safe to open in a spreadsheet.

A spreadsheet computes cells that begin with `=`, `+`, `-` or `@`, with the wide forms of these
signs, or with a tab or a line's end before one, and somebody may have put such a cell into the
source.  So cells of text that begin so, and are no plain numbers, get an apostrophe in front, and
so do those that have one already: taking one off gives the source's cell back.
"""

from __future__ import annotations

import codecs
import csv
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.errors import TableError, TableWarning
from shoal.tables._dialect import TextDialect
from shoal.tables.engines._sql import name_sql, value_sql
from shoal.tables.engines.formats._text_bytes import pack

TEXT_SUFFIXES = (".csv", ".tsv", ".txt", ".data", ".tab")
PACKED = (".gz", ".zst")
COMPUTED = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"
"""Signs at which a spreadsheet begins to compute: the last four are wide forms of the first."""

FORMULA = "^'*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]"
_BEGINS = f"ascii({{}}) IN ({', '.join(str(ord(sign)) for sign in COMPUTED + chr(39))})"
"""Whether a text begins with a sign at which a spreadsheet computes, or with an apostrophe."""

PLAIN_NUMBER = r"[+-]?[0-9]+(?:[.,][0-9]+)*(?:[eE][+-]?[0-9]+)?"
_FRACTIONS = ("DOUBLE", "FLOAT")
MOST_LOOKED_AT = 100
"""Columns whose cells are looked at in one query: DuckDB holds every step of every column."""


def unpacked_suffix(path: Path) -> str:
    """How a file's name ends, without the word that says how it is packed."""
    return Path(path.stem).suffix.lower() if path.suffix.lower() in PACKED else path.suffix.lower()


def require_safe_names(names: Sequence[str]) -> None:
    """Refuse names of columns that a spreadsheet would compute."""
    unsafe = [name for name in names if name[:1] in COMPUTED and len(name) > 1]
    if unsafe:
        raise TableError(
            f"a spreadsheet would compute the name of column {unsafe[0]!r}. Rename it, or write "
            "the table as Parquet."
        )


def write_text(
    query: Callable[[str], Any],
    select: str,
    path: Path,
    source: TextDialect | None = None,
    numeric: Sequence[str] = (),
    *,
    escape: bool = True,
    order: str | None = None,
) -> TextDialect:
    """Write the rows of a query, and say how.

    Parameters
    ----------
    query : callable
        Runs SQL.
    select : str
        The query.
    path : Path
        Where to; packed where the name says so.
    source : TextDialect, optional
        How the input was written.
    numeric : sequence of str
        Columns of labels made of numbers, which are written with the input's decimal sign.
    escape : bool
        Whether a spreadsheet may open it; without, cells are read back as they were.
    order : str, optional
        A column of the query that rows are put in order by, and that is not written.
    """
    relation = query(select)
    types = dict(zip(relation.columns, map(str, relation.types), strict=True))
    types.pop(order or "", None)
    if escape:
        require_safe_names(list(types))
    dialect = replace(output_dialect(source, path, list(types)), escaped=escape)
    swapped = _swapped(query, select, types, numeric) if dialect.decimal == "," else ()
    texts = [name for name, kind in types.items() if kind == "VARCHAR"] if escape else []
    few = len(texts) <= MOST_LOOKED_AT
    escaped = set(texts) if few else _computed(query, select, texts)
    listed = ", ".join(f"{_cell_sql(n, swapped, n in escaped)} AS {name_sql(n)}" for n in types)
    as_duckdb_writes = dialect.encoding == "utf-8" and not dialect.bom and dialect.newline == "\n"
    is_rewritten = not as_duckdb_writes or path.suffix.lower() in PACKED
    plain = path.with_name(f"{path.name}.plain") if is_rewritten else path
    in_order = "" if order is None else f" ORDER BY {name_sql(order)}"
    query(
        f"COPY (SELECT {listed} FROM ({select}){in_order}) TO {value_sql(str(plain))} "
        "(FORMAT csv, "
        f"HEADER true, COMPRESSION 'none', DELIMITER {value_sql(dialect.delimiter)}, "
        f"QUOTE {value_sql(dialect.quote)}, ESCAPE {value_sql(dialect.quote)})"
    )
    if plain != path:
        dialect = _rewrite(plain, path, dialect)
    return replace(dialect, grouped=dict.fromkeys(swapped, (",", "")))


def output_dialect(source: TextDialect | None, path: Path, names: Sequence[str]) -> TextDialect:
    """The input's way of writing, as far as the name of the output leaves it open."""
    dialect = source or TextDialect()
    suffix, delimiter = unpacked_suffix(path), dialect.delimiter
    if suffix in (".tsv", ".tab"):
        delimiter = "\t"
    elif suffix == ".csv" and delimiter not in ",;|":
        delimiter = ","
    decimal = "." if delimiter == "," else dialect.decimal
    return replace(
        dialect, delimiter=delimiter, decimal=decimal, names=tuple(names), start=1, bad_lines=(),
        escape="", spaced=False, missing={}, grouped={}, units={}, escaped=True,
        blanks=False,
    )  # fmt: skip


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
    """Columns of text in which a cell has to be escaped, some columns at a time."""
    found = set()
    for start in range(0, len(names), MOST_LOOKED_AT):
        some = names[start : start + MOST_LOOKED_AT]
        tests = ", ".join(f"bool_or({_BEGINS.format(name_sql(name))})" for name in some)
        row = query(f"SELECT {tests} FROM ({select})").fetchall()[0]
        found |= {name for name, begins in zip(some, row, strict=True) if begins}
    return found


def _cell_sql(name: str, swapped: Sequence[str], escape: bool) -> str:
    column = name_sql(name)
    if name in swapped:
        text = f"CAST({column} AS VARCHAR)"
        column = f"regexp_replace({text}, '([0-9])\\.([0-9])', '\\1,\\2', 'g')"
    if not escape:
        return column
    return (
        f"CASE WHEN {_BEGINS.format(column)} AND length({column}) > 1 "
        f"AND regexp_matches({column}, {value_sql(FORMULA)}) "
        f"AND NOT regexp_full_match({column}, {value_sql(PLAIN_NUMBER)}) "
        f"THEN '''' || {column} ELSE {column} END"
    )


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
            writer = csv.writer(out, lineterminator=dialect.newline, **how)
            writer.writerows(csv.reader(rows, **how))
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
