"""The shape of a text file, told from its first rows: what separates cells, where rows begin."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from shoal.errors import ParameterError, TableError
from shoal.tables._engine import OpenOptions
from shoal.tables.engines.formats.text._values import is_missing_word, is_typed

_DELIMITERS = ",;\t|"
_RARE = "^~\x1f¦"
_NAMED = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "space": " ", "pipe": "|"}
_MOST_ROWS = 500
_LEAST_BELOW = 5
"""Lines from which a second line of names can be told."""

_CONTACT = re.compile(r".+@.+\..+|[+(]?\d[\d\s()/.-]{5,}")
"""What stands in rows about people and is never a column's name."""

_OWN_NAME = re.compile(r"column[1-9][0-9]*(_[a-z]+)?")
"""What columns without a name are called, and what is made of them."""


@dataclass(frozen=True)
class Shape:
    """Where the rows of a text file are.

    Parameters
    ----------
    delimiter, quote, escape, newline : str
        See :class:`TextDialect`.
    names : tuple of str
        Names of the columns.
    start : int
        Lines before the first row.
    titles : int
        How many of those lines stand before the header.
    has_header : bool
        Whether the names stand in the file.
    spaced : bool
        Whether blanks behind a delimiter are no part of the cell.
    whole_lines : bool
        Whether no cell before the first row goes over the end of a line, and all these lines end
        alike.
    """

    delimiter: str
    quote: str
    escape: str
    newline: str
    names: tuple[str, ...]
    start: int
    titles: int = 0
    has_header: bool = True
    spaced: bool = False
    whole_lines: bool = True


def find_shape(lines: Sequence[str], file: str, options: OpenOptions) -> Shape:
    """The shape of a file that begins with some lines, ends of lines included."""
    if options.guess == "none":  # two files that say the same are read the same
        options = replace(options, delimiter=options.delimiter or ",")
    separator = re.fullmatch(r"\ufeff?sep=(.)\s*", lines[0]) if lines else None
    skipped = 1 if separator else 0
    given = read_delimiter(options.delimiter) or (separator[1] if separator else None)
    delimiter, quote, escape, rows = _choose(lines[skipped:], given)
    spaced = options.guess != "none" and _is_spaced(lines[skipped:], delimiter, quote, rows)
    if spaced:
        rows = _sample(lines[skipped:], delimiter, quote, escape, spaced=True)
    wide = _usual_width(rows)
    if wide == 1 and given is None:
        _refuse_spaces(lines, file)
    titles, rows = _without_titles(rows, wide)
    first = rows[0][1] if rows else []
    header = options.header or (options.header is False and are_own_names(first))
    if options.header is None:
        header = options.guess == "none" or not looks_like_a_row(first, [r for _, r in rows[1:]])
        if not header:
            refuse_a_row(file)
        if options.guess != "none" and has_names_below([r for _, r in rows]):
            raise TableError(
                f"the first line of {file!r} looks like names of groups of columns, and the second "
                "like the names of the columns. Take the first out of the file; if it is right as "
                "it is, say --header."
            )
    names = _names(first if header else [""] * wide, wide, rows)
    start = skipped + (rows[0][0] if header and rows else titles)
    ends = [line[len(line.rstrip("\r\n")) :] for line in lines[: start + 1]]
    newline = ends[0] if ends and ends[0] else "\n"
    whole = all(line.count(quote) % 2 == 0 for line in lines[:start])
    # DuckDB loses rows where lines that it skips end in another way than the first row
    whole = whole and len({*ends} - {""}) <= 1
    return Shape(delimiter, quote, escape, newline, names, start, titles, header, spaced, whole)


def _is_spaced(
    lines: Sequence[str], delimiter: str, quote: str, rows: Sequence[tuple[int, list[str]]]
) -> bool:
    """Whether a blank stands behind every delimiter, as in `name, age`."""
    if delimiter == " ":
        return False
    cells = [cell for _, row in rows for cell in row[1:] if cell]
    blank = sum(cell.startswith(" ") for cell in cells)
    return blank > 0 and (blank == len(cells) or f"{delimiter} {quote}" in "".join(lines))


def _refuse_spaces(lines: Sequence[str], file: str) -> None:
    """Ask about a sign that may as well be part of a text, where it cuts all rows alike."""
    for sign, word in ((" ", "space"), (":", ":")):
        widths = {len(row) for _, row in _sample(lines, sign, '"', "") if row}
        if len(widths) == 1 and widths.pop() > 2:
            raise TableError(
                f"it cannot be told what separates the cells of {file!r}. If it is a "
                f"{'space' if word == 'space' else 'colon'}, say --delimiter {word}; if every line "
                "is one cell, say --delimiter ,."
            )
    parts = Counter(len(re.split(r"\s{2,}", line.strip())) for line in lines if line.strip())
    wide, count = parts.most_common(1)[0] if parts else (1, 0)
    below_one_another = wide > 2 and count >= 0.9 * parts.total() and parts.total() > 1
    if below_one_another or _ends_alike(lines):
        raise TableError(
            f"the columns of {file!r} seem to stand below one another at fixed places, which is "
            "not read. Open it in a spreadsheet, which asks where columns begin, and save it as "
            ".csv or .xlsx; if every line is one cell, say --delimiter ,."
        )


def _ends_alike(lines: Sequence[str]) -> bool:
    """Whether all lines have equally many words and signs, and several words.

    The first may hold as many names of other lengths.
    """
    full = [line.rstrip("\r\n") for line in lines if line.strip()]
    full = full[:_MOST_ROWS]  # the last line of the sample may be cut
    shapes = {(len(line.split()), len(line)) for line in full[1:]}
    words = len(full[0].split()) if full else 0
    same = len(full) > 2 or shapes == {(words, len(full[0]))}
    return len(shapes) == 1 and shapes.pop()[0] == words > 2 and same


def read_delimiter(asked: str | None) -> str | None:
    """The sign that an option names."""
    if asked is None:
        return None
    sign = _NAMED.get(asked.lower(), asked)
    if len(sign) != 1 or sign in '"\r\n':
        raise ParameterError(
            f"delimiter {asked!r}: give one sign, such as ';' or '|', or the word tab."
        )
    return sign


def read_rows(
    lines: Iterable[str],
    delimiter: str,
    quote: str,
    escape: str,
    *,
    strict: bool = False,
    spaced: bool = False,
) -> Iterator[tuple[int, list[str]]]:
    """Rows with the number of lines read so far; lines without anything are rows without cells."""
    reader = csv.reader(
        lines,
        delimiter=delimiter,
        quotechar=quote,
        escapechar=escape or None,
        doublequote=not escape,
        strict=strict,
        skipinitialspace=spaced,
    )
    for row in reader:
        yield reader.line_num, row


def looks_like_a_row(first: Sequence[str], body: Sequence[Sequence[str]]) -> bool:
    """Whether the first line is a row of data rather than names of columns.

    A text above numbers or dates is a name.  Otherwise a number above numbers, a date above
    dates, an address or a telephone number, or a text that comes again below it, is a cell.
    """
    votes_row, votes_name = 0, 0
    body = [row for row in body if list(row) != list(first)]  # files put together repeat names
    for column, cell in enumerate(first):
        cell = cell.strip()
        below = [row[column].strip() for row in body if column < len(row)]
        below = [text for text in below if text and not is_missing_word(text)]
        if not cell or is_missing_word(cell):
            continue
        kind = is_typed(below)
        if kind is not None:
            same = is_typed([cell]) == kind
            votes_row, votes_name = votes_row + same, votes_name + (not same)
        elif cell in below or _CONTACT.fullmatch(cell) or is_typed([cell]) == "date":
            votes_row += 1
    return votes_row > 0 and votes_name == 0


def has_names_below(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the line under the first holds the names, and the first leaves some of them open.

    Cells are left open where a group goes over several columns.  The line below has texts of its
    own in all columns, and at least two of them stand above numbers or dates.
    """
    if len(rows) < _LEAST_BELOW:
        return False
    first, second = ([cell.strip() for cell in row] for row in rows[:2])
    full = len(first) == len(second) == len({*second} - {""})
    if not full or all(first) or any(is_typed([cell]) for cell in (*first, *second) if cell):
        return False
    above_typed = 0
    for column, cell in enumerate(second):
        below = [row[column].strip() for row in rows[2:] if column < len(row)]
        below = [text for text in below if text and not is_missing_word(text)]
        if cell in below or is_missing_word(cell) or _CONTACT.fullmatch(cell):
            return False
        above_typed += is_typed(below) is not None
    return above_typed >= 2  # one may be a word for nothing above numbers


def are_own_names(first: Sequence[str]) -> bool:
    """Whether a line holds names that Shoal gives: then it wrote them, and they are no row."""
    cells = [cell.strip() for cell in first]
    return len(set(cells)) == len(cells) > 0 and all(map(_OWN_NAME.fullmatch, cells))


def _choose(
    lines: Sequence[str], given: str | None
) -> tuple[str, str, str, list[tuple[int, list[str]]]]:
    """Delimiter, quote and escape under which most rows have the same number of cells."""
    text = "".join(lines)
    quotes = ['"']
    if re.search(r"(^|[,;\t|])'[^'\n]*[,;\t|]", text, re.MULTILINE):
        quotes.append("'")
    escapes = [""] + (["\\"] if '\\"' in text else [])
    best: tuple[float, int] = (-1.0, 0)
    chosen = None
    signs = (given,) if given else (*_DELIMITERS, *_RARE)
    for quote in quotes:
        for escape in escapes:
            for sign in signs:
                rows = _sample(lines, sign, quote, escape)
                share, wide = _regularity(rows, rare=sign in _RARE)
                if len(escapes) > 1 and not _reads_strictly(lines, sign, quote, escape):
                    share = 0.0
                if (share, wide) > best:
                    best, chosen = (share, wide), (sign, quote, escape, rows)
    assert chosen is not None
    return chosen


def _sample(
    lines: Sequence[str], delimiter: str, quote: str, escape: str, *, spaced: bool = False
) -> list[tuple[int, list[str]]]:
    rows = []
    try:
        for number, row in read_rows(lines, delimiter, quote, escape, spaced=spaced):
            rows.append((number, row))
            if len(rows) >= _MOST_ROWS:
                break
    except csv.Error:  # told again, with its line, when the file is read
        pass
    return rows


def _reads_strictly(lines: Sequence[str], delimiter: str, quote: str, escape: str) -> bool:
    try:
        for _ in read_rows(lines, delimiter, quote, escape, strict=True):
            pass
    except csv.Error as error:
        return "end of data" in str(error)  # the sample may end within a cell
    return True


def _regularity(rows: Sequence[tuple[int, list[str]]], *, rare: bool) -> tuple[float, int]:
    """Share of the rows that have the usual number of cells, and that number."""
    widths = Counter(len(row) for _, row in rows if row)
    if not widths:
        return 0.0, 0
    wide = _usual_width(rows)
    share = widths[wide] / widths.total()
    if wide == 1 or (rare and share < 1):
        return 0.0, 1
    return round(share, 3), wide


def _usual_width(rows: Sequence[tuple[int, list[str]]]) -> int:
    """Cells of most rows with several; one where none has more."""
    widths = Counter(len(row) for _, row in rows if row)
    several = {width: count for width, count in widths.items() if width > 1}
    if not several or max(several.values()) * 2 < widths.total() - 1:
        return 1
    return max(several, key=lambda width: (several[width], width))


def _without_titles(
    rows: list[tuple[int, list[str]]], wide: int
) -> tuple[int, list[tuple[int, list[str]]]]:
    """Lines before the table, and the rows from its header on."""
    lines, index = 0, 0
    for number, row in rows:
        alone = sum(bool(cell.strip()) for cell in row) <= 1
        comment = len(row) != wide and row[0].lstrip("\ufeff ").startswith("#") if row else False
        if row and not comment and not (wide > 1 and alone and len(row) in (1, wide)):
            break
        lines, index = number, index + 1
    return (lines, rows[index:]) if index < len(rows) else (0, rows)


def _names(
    first: Sequence[str], wide: int, rows: Sequence[tuple[int, list[str]]]
) -> tuple[str, ...]:
    """Names of the columns; those without one are numbered."""
    names = [cell.strip().strip("\ufeff").strip() for cell in first]
    full = [row for _, row in rows[1:] if len(row) == wide]
    if len(names) == wide - 1 and full:  # the numbers of the rows come first, without a name
        ends = all(not row[-1] for row in full)
        names = [*names, ""] if ends else ["", *names]
    return name_columns(names)


def name_columns(names: Sequence[str]) -> tuple[str, ...]:
    """The same names; columns without one are numbered."""
    named, taken = [name.strip() for name in names], {name.strip() for name in names}
    for index, name in enumerate(named):
        if not name:
            own = f"column{index + 1}"
            while own in taken:
                own += "_"
            named[index] = own
            taken.add(own)
    return tuple(named)


def refuse_a_row(file: str) -> NoReturn:
    """Ask whether the first line is a row, without showing it: it may be somebody's."""
    raise TableError(
        f"the first line of {file!r} looks like a row of the table, not like names of columns. If "
        "it is a row, say --no-header: columns are called column1, column2, ... then. If it "
        "holds names, say --header."
    )
