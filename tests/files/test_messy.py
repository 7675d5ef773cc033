"""Every file of `messy/` through schema, anonymize, check and report, as `EXPECTED` says.

Each file holds the same thirty people (see `make.py`), written in another way.  Their names begin
with `Quellmann`, and no message may hold one.
"""

import json
import os
import re
import warnings
from dataclasses import dataclass, field

import pytest
from typer.testing import CliRunner

from shoal.cli import app
from shoal.tables import open_table
from shoal.tables.engines._duck_connection import name_sql
from tests.extras import need
from tests.files.make import FOLDER, NAMES, files

need("charset_normalizer")
need("openpyxl")
need("zstandard")

ROLES = {
    "name": '{role = "identifier"}',
    "age": '{role = "quasi-identifier", kind = "numeric"}',
    "city": '{role = "quasi-identifier"}',
    "sex": '{role = "quasi-identifier"}',
    "illness": '{role = "sensitive"}',
}
NUMBERED = [f"column{i}" for i in range(1, 8)]
KINDS = dict(zip(NAMES, ["text", "number", "text", "text", "date", "number", "text"], strict=True))


@dataclass
class Expected:
    """What should become of a file: a table of these columns and kinds, or an error."""

    error: str = ""
    note: str = ""
    warning: str = ""
    more: str = ""
    rows: int = 30
    names: list = field(default_factory=lambda: list(NAMES))
    kinds: dict = field(default_factory=dict)
    missing: dict = field(default_factory=dict)


FOUND = "is not UTF-8; it was read as {}"
NOT_NUMERIC = "column 'age' is numeric, and some of its values are not"
WITHOUT_HEADER = "the first line of '{}' looks like a row of the table"
EXPECTED = {
    "plain.csv": Expected(),
    "semicolons.csv": Expected(),
    "tabs.tsv": Expected(),
    "tabs_in_csv.csv": Expected(),
    "bars.txt": Expected(),
    "carets.txt": Expected(),
    "spaces.txt": Expected(error="If it is a space, say --delimiter space"),
    "cp1252.csv": Expected(note=FOUND.format("cp1252")),
    "cp1250.csv": Expected(note=FOUND.format("cp1250")),
    "cp1251.csv": Expected(note=FOUND.format("cp1251")),
    "shift_jis.csv": Expected(note=FOUND.format("shift_jis")),
    "mac_roman.csv": Expected(note=FOUND.format("mac_roman")),
    "utf16.csv": Expected(),
    "utf16_unmarked.csv": Expected(),
    "utf8_marked.csv": Expected(),
    "crlf.csv": Expected(),
    "cr.csv": Expected(),
    "mixed_ends.csv": Expected(),
    "no_end.csv": Expected(),
    "blank_lines.csv": Expected(),
    "all_quoted.csv": Expected(),
    "breaks_in_quotes.csv": Expected(),
    "backslashes.csv": Expected(),
    "apostrophes.csv": Expected(),
    "decimal_commas.csv": Expected(),
    "german.csv": Expected(note=FOUND.format("cp1252")),
    "english_thousands.csv": Expected(),
    "swiss_thousands.csv": Expected(),
    "doubtful_commas.csv": Expected(
        note="'cost': it cannot be told whether a comma or a point", kinds={"cost": "text"}
    ),
    "turned_dates.csv": Expected(),
    "english_dates.csv": Expected(),
    "mixed_dates.csv": Expected(),
    "doubtful_dates.csv": Expected(
        note="'admitted': it cannot be told whether days or months", kinds={"admitted": "text"}
    ),
    "not_available.csv": Expected(missing={"age": 2}),
    "points_for_nothing.csv": Expected(missing={"cost": 4}),
    "questions_for_nothing.csv": Expected(missing={"age": 1, "city": 4}),
    "null_words.csv": Expected(missing={"age": 1, "city": 4}),
    "empty_cells.csv": Expected(missing={"age": 5}),
    "blanks_for_nothing.csv": Expected(missing={"age": 5}),
    "own_word.csv": Expected(error=NOT_NUMERIC),
    "short_rows.csv": Expected(error="line 8: 2 cells where the table has 7 columns"),
    "long_rows.csv": Expected(error="line 4: 9 cells where the table has 7 columns, and 1 more"),
    "unclosed_quote.csv": Expected(error="line 6: a quotation mark is opened and not closed"),
    "closed_within.csv": Expected(error="line 6: a quotation mark is opened and not closed"),
    "headerless.csv": Expected(error=WITHOUT_HEADER.format("headerless.csv")),
    "headerless_words.csv": Expected(error=WITHOUT_HEADER.format("headerless_words.csv")),
    "named_years.csv": Expected(error=WITHOUT_HEADER.format("named_years.csv")),
    "title_lines.csv": Expected(note="3 lines before the names of the columns were left out"),
    "sep_line.csv": Expected(),
    "row_numbers.csv": Expected(names=["column1", *NAMES]),
    "unnamed_column.csv": Expected(names=["column1", *NAMES]),
    "trailing_commas.csv": Expected(names=[*NAMES, "column8"]),
    "blanks_in_names.csv": Expected(),
    "twice_named.csv": Expected(error="columns given twice: 'age'"),
    "leading_zeros.csv": Expected(),
    "long_numbers.csv": Expected(),
    "formulas.csv": Expected(),
    "late_text.csv": Expected(error=NOT_NUMERIC),
    "one_column.csv": Expected(names=["age"]),
    "only_header.csv": Expected(error="no rows"),
    "one_row.csv": Expected(rows=1, error="1 rows?|k-anonymity|fewer"),
    "empty.csv": Expected(error="'empty.csv' is empty"),
    "blank.csv": Expected(error="'blank.csv' is empty"),
    "packed.csv.gz": Expected(),
    "cut.csv.gz": Expected(error="'cut.csv.gz' cannot be unpacked: it is damaged, cut short"),
    "cut.parquet": Expected(error="'cut.parquet' cannot be read: it is damaged, cut short"),
    "workbook.csv": Expected(error="begins like a .xlsx file. Rename it"),
    "old_excel.csv": Expected(error="begins like a .xls file. Rename it to end in .xls"),
    "zeros.csv": Expected(error="'city' holds texts with the character U.0000"),
    "iso8859_2.csv": Expected(note=FOUND.format("iso8859_2")),
    "koi8.csv": Expected(note=FOUND.format("koi8_r")),
    "bars.psv": Expected(),
    "end_mark.csv": Expected(),
    "month_names.csv": Expected(),
    "three_spellings.csv": Expected(kinds={"admitted": "text"}),
    "failed_formulas.csv": Expected(missing={"cost": 5}),
    "units.csv": Expected(note="'cost': the numbers beside the unit EUR are read"),
    "codes_for_nothing.csv": Expected(warning="'age': one number stands far from all others"),
    "total.csv": Expected(
        warning="'name': a value says total",
        rows=31,
        missing=dict.fromkeys(["age", "city", "sex", "admitted", "illness"], 1),
    ),
    "fixed_places.txt": Expected(error="stand below one another at fixed places"),
    "page.csv": Expected(error="'page.csv' is a web page"),
    "odd_names.csv": Expected(names=[*NAMES[:4], "a\nb", 'x"y', "illness"]),
    "nested.jsonl": Expected(names=["name", "age", "at.city", "at.day"]),
    "lists.jsonl": Expected(error="lists.jsonl, line 1: 'x' holds a list"),
    "titles.xlsx": Expected(note="2 rows above the names of the columns were left out"),
    "groups_of_names.xlsx": Expected(note="1 row above the names of the columns was left out"),
    "merged_cells.xlsx": Expected(),
    "failed_formulas.xlsx": Expected(missing={"cost": 5}),
    "two_sheets.xlsx": Expected(error="has 2 sheets: 'Read me', 'People'. Say which with --sheet"),
    "uncomputed.xlsx": Expected(note="5 cells hold formulas", missing={"cost": 5}),
    "windows_breaks.csv": Expected(note=FOUND.format("cp1252")),
    "old_breaks.csv": Expected(),
    "title_of_unix.csv": Expected(note="2 lines before the names of the columns were left out"),
    "comments.csv": Expected(note="2 lines before the names of the columns were left out"),
    "footer.csv": Expected(error="line 33: 1 cell where the table has 7 columns"),
    "objects.csv": Expected(error="is JSON by its content.*Rename it to end in .jsonl"),
    "only_called.csv.gz": Expected(error="not packed as its name says"),
    "short_years.csv": Expected(note="'admitted': years of two digits are taken for 1930 to 2029"),
    "halves.csv": Expected(),
    "zones.csv": Expected(kinds={"admitted": "text"}),
    "brackets.csv": Expected(kinds={"cost": "text"}),
    "utf16_big.csv": Expected(),
    "long_names.csv": Expected(names=["name", "age", "\U0001f3d9 city", "s" * 500, *NAMES[4:]]),
    "truths.csv": Expected(names=[*NAMES[:3], "raucher", *NAMES[4:]]),
    "nothing_known.csv": Expected(names=[*NAMES, "phone"], missing={"phone": 30}),
    "table.unknown": Expected(error="is no CSV, Parquet.* file by its name. Rename it"),
}
ASKED = {
    "footer.csv": Expected(more="--skip-bad-rows", note="1 line that is no row"),
    "spaces.txt": Expected(more="--delimiter space"),
    "doubtful_commas.csv": Expected(more="--decimal ,"),
    "doubtful_dates.csv": Expected(more="--dates mdy"),
    "own_word.csv": Expected(more="--missing refused", missing={"age": 5}),
    "short_rows.csv": Expected(more="--skip-bad-rows", rows=29, note="1 line that is no row"),
    "long_rows.csv": Expected(more="--skip-bad-rows", rows=28, note="2 lines.*at line 4"),
    "unclosed_quote.csv": Expected(more="--skip-bad-rows", rows=29, note="at line 6"),
    "closed_within.csv": Expected(more="--skip-bad-rows", rows=29, note="at line 6"),
    "headerless.csv": Expected(more="--no-header", names=NUMBERED),
    "named_years.csv": Expected(more="--header", names=["city", "sex", "2023", "2024"]),
    "cp1250.csv": Expected(more="--encoding cp1250"),
    "codes_for_nothing.csv": Expected(more="--missing=-99", missing={"age": 5}),
    "two_sheets.xlsx": Expected(more="--sheet People"),
}
"""The same files with what their messages advise."""

WITH_ORIGINAL = ("german.csv", "breaks_in_quotes.csv", "utf16.csv", "questions_for_nothing.csv",
                 "title_lines.csv", "iso8859_2.csv", "merged_cells.xlsx", "spaces.txt",
                 "headerless.csv", "own_word.csv", "two_sheets.xlsx",
                 "windows_breaks.csv")  # fmt: skip
"""Files whose report reads the raw table, too, without being told again how."""

CASES = [*((name, expected) for name, expected in EXPECTED.items()), *ASKED.items()]


def test_every_file_is_expected_and_as_it_is_made():
    made = dict(files())
    assert set(made) == set(EXPECTED) == {path.name for path in FOLDER.iterdir()}
    assert len(made) >= 40
    for name, content in made.items():
        kept = content if isinstance(content, bytes) else content.encode("utf-8")
        assert (FOLDER / name).read_bytes() == kept, name


def shoal(line, folder):
    before = os.getcwd()
    os.chdir(folder)
    try:
        done = CliRunner().invoke(app, line.split())
    finally:
        os.chdir(before)
    assert "Quellmann" not in re.sub(r"Quellmann(?=\.)", "", done.output + done.stderr)
    assert done.exit_code != 70, done.output
    return done


def write_schema(folder, names):
    known = dict(zip(NUMBERED, NAMES, strict=True)) if names == NUMBERED else {}
    lines = [
        f"columns.{json.dumps(name, ensure_ascii=False)} = "
        + ROLES.get(known.get(name, name), '{role = "insensitive"}')
        for name in names
    ]
    (folder / "schema.toml").write_text("\n".join(lines), "utf-8")


@pytest.mark.parametrize(("name", "expected"), CASES)
def test_a_file_becomes_what_is_expected(tmp_path, name, expected):
    (tmp_path / name).write_bytes((FOLDER / name).read_bytes())
    write_schema(tmp_path, expected.names)
    line = f"anonymize {name} -s schema.toml -k 3 --method mondrian -o out.csv {expected.more}"
    done = shoal(line, tmp_path)
    if expected.error:
        assert done.exit_code in (2, 3)
        assert re.search(expected.error, " ".join(done.stderr.split()))
        assert not (tmp_path / "out.csv").exists()
        return
    assert done.exit_code == 0, done.output
    if expected.note:
        assert re.search(expected.note, " ".join(done.stderr.split()))
    suggested = shoal(f"schema suggest {name} {expected.more} --json", tmp_path)
    assert suggested.exit_code == 0, suggested.output
    assert list(json.loads(suggested.stdout)["schema"]["columns"]) == expected.names
    assert expected.warning in " ".join(json.loads(suggested.stdout)["warnings"])
    assert_table(tmp_path / name, expected)
    checked = shoal("check out.csv --json", tmp_path)
    assert json.loads(checked.stdout)["holds"]
    assert "is not UTF-8" not in checked.stderr  # the manifest says how it is written
    original = f"--original {name}" if name in WITH_ORIGINAL else ""
    reported = shoal(f"report out.csv --people 20 {original}", tmp_path)
    assert reported.exit_code == 0, reported.output
    page = (tmp_path / "out.report.html").read_text("utf-8")
    assert "Quellmann" not in page.replace("Quellmann.", "")
    if original and expected.more:
        compared = shoal(f"compare {name} out.csv --json", tmp_path)
        assert compared.exit_code == 0, compared.output


def assert_table(path, expected):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        engine = open_table(path, **told(expected.more.split()))
    assert engine.n_rows == expected.rows
    if set(NAMES) <= set(engine.names):
        assert {name: engine.types[name] for name in NAMES} == KINDS | expected.kinds
    counts = ", ".join(f"count(*) - count({name_sql(name)})" for name in engine.names)
    nulls = engine.query(f"SELECT {counts} FROM source").fetchall()[0]
    missing = {n: c for n, c in zip(engine.names, nulls, strict=True) if c and n != "column8"}
    assert missing == expected.missing


def told(words):
    """Options of the command line as `open_table` takes them."""
    if not words:
        return {}
    words = words[0].split("=") if "=" in words[0] else words
    name, *value = (words[0].removeprefix("--").replace("-", "_"), *words[1:])
    if name in ("header", "no_header"):
        return {"header": name == "header"}
    if name == "skip_bad_rows":
        return {name: True}
    return {name: (value[0],) if name == "missing" else value[0]}
