import gzip
import io
import json
import re
import sqlite3
import zipfile
from itertools import zip_longest

import duckdb
import pytest

from shoal import Schema, check_table
from shoal.anonymize import Mondrian
from shoal.anonymize._beside_cells import beside_cells
from shoal.errors import TableWarning
from tests.extras import need

SCHEMA = Schema({"age": {"role": "quasi-identifier"}})


def comment(openpyxl, sheet):
    sheet["A2"].comment = openpyxl.comments.Comment("Ann Smith", "x")


def hidden_row(openpyxl, sheet):
    sheet.row_dimensions[3].hidden = True


def number_format(openpyxl, sheet):
    sheet["A2"].number_format = "0.00"


def author(openpyxl, sheet):
    sheet.parent.properties = type(sheet.parent.properties)(lastModifiedBy="Ann Smith")


@pytest.mark.parametrize("change", [comment, hidden_row, number_format, author])
def test_a_workbook_with_more_than_cells_does_not_hold(change, tmp_path):
    openpyxl = need("openpyxl")
    book = openpyxl.Workbook()
    for value in ("age", 7, 7, 7):
        book.active.append([value])
    book.save(tmp_path / "t.xlsx")
    assert beside_cells(tmp_path / "t.xlsx") == ()
    assert check_table(tmp_path / "t.xlsx", SCHEMA, 3).holds
    change(openpyxl, book.active)
    book.save(tmp_path / "t.xlsx")
    verdict = check_table(tmp_path / "t.xlsx", SCHEMA, 3)
    assert not verdict.holds
    assert verdict.is_undecided
    assert verdict.smallest_group == 3
    assert not any("Ann" in door for door in verdict.side_doors)


PLAIN = '<row r="2"><c r="A2" t="s"><v>1</v></c><c r="B2" /></row>'


@pytest.mark.parametrize(
    "second",
    [
        PLAIN,
        PLAIN.replace(' t="s"><v>1</v>', ' t="str"><v>x</v>'),
        PLAIN.replace(' t="s"><v>1</v>', ' t="inlineStr"><is><t>x</t></is>'),
        PLAIN.replace("<v>1</v>", "<v>2</v>"),  # the same text, kept twice
        PLAIN.replace(' t="s"', ' t="s" ph="1"'),
        PLAIN.replace('<c r="B2" />', ""),
        PLAIN.replace('<c r="B2" />', '<c r="B2" s="1" />'),
        PLAIN.replace('<c r="B2" />', '<c r="B2"><v></v></c>'),
        PLAIN.replace("</c>", "</c>Ann Smith"),
        PLAIN.replace("</row>", "</row>Ann Smith"),
        PLAIN.replace("<v>", "<!-- Ann Smith --><v>"),
        PLAIN.replace('<row r="2">', "<row>"),
    ],
)
def test_rows_of_a_workbook_that_are_kept_in_different_ways_are_undecided(second, tmp_path):
    need("openpyxl")
    rows = [PLAIN.replace('2"', f'{row}"') for row in (3, 4)]
    write_book(tmp_path / "t.xlsx", [second, *rows], twice="<v>2</v>" in second)
    verdict = check_table(tmp_path / "t.xlsx", SCHEMA.replace(n={"role": "insensitive"}), 3)
    assert verdict.smallest_group == 3
    assert (verdict.holds, verdict.is_undecided) == (second == PLAIN, second != PLAIN)
    assert not any("Ann" in door for door in verdict.side_doors)


def write_book(path, rows, *, twice):
    """A workbook whose texts are kept apart from its cells, as spreadsheets write them."""
    book = need("openpyxl").Workbook()
    for _ in range(4):
        book.active.append(["x", "n"])
    book.save(path)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    head = '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="str"><v>n</v></c></row>'
    sheet, body = "xl/worksheets/sheet1.xml", "".join(["<sheetData>", head, *rows, "</sheetData>"])
    parts[sheet] = re.sub("<sheetData>.*</sheetData>", lambda _: body, parts[sheet])
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    texts = "".join(f"<si><t>{text}</t></si>" for text in ("age", "x", *["x"] * twice))
    parts["xl/sharedStrings.xml"] = f'<sst xmlns="{space}">{texts}</sst>'
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings"
    of_book = "xl/_rels/workbook.xml.rels"
    if kind not in parts[of_book]:
        link = f'<Relationship Id="rId9" Type="{kind}" Target="/xl/sharedStrings.xml"/>'
        parts[of_book] = parts[of_book].replace("</Relationships>", f"{link}</Relationships>")
        mime = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
        listed = f'<Override PartName="/xl/sharedStrings.xml" ContentType="{mime}"/>'
        types = "[Content_Types].xml"
        parts[types] = parts[types].replace("</Types>", f"{listed}</Types>")
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)


@pytest.mark.parametrize("is_packed", [True, False])
@pytest.mark.parametrize("where", ["before", "behind", "between", "nowhere"])
def test_bytes_of_no_part_of_an_archive_are_told(where, is_packed, tmp_path):
    path, inside = tmp_path / "t.zip", io.BytesIO()
    with zipfile.ZipFile(inside, "w", 8 if is_packed else 0) as archive:
        archive.writestr("t.csv", "age\n7\n7\n7\n")
    written = inside.getvalue()
    if where == "between":
        listed = written.index(b"PK\x01\x02")
        end = bytearray(written[listed:])
        end[-6:-2] = (listed + 9).to_bytes(4, "little")
        written = written[:listed] + b"Ann Smith" + end
    extra = {"before": (b"Ann Smith", b""), "behind": (b"", b"Ann Smith")}
    before, behind = extra.get(where, (b"", b""))
    path.write_bytes(before + written + behind)
    verdict = check_table(path, SCHEMA, 3)
    assert (verdict.holds, verdict.is_undecided) == (where == "nowhere", where != "nowhere")


ROWS = "age,note\n[20-29],a\n[20-29],b\n[20-29],a\n[20-29],b\n"


@pytest.mark.parametrize(
    ("old", "new", "door"),
    [
        ("", "", ""),
        ("[20-29],a\n", '"[20-29]",a\n', "quotes in some rows"),
        (",a\n", ',"a"\n', "quotes in some rows"),
        (",a\n", ",a\r\n", "end in different ways"),
        (",a\n", ",a\n\n", "empty lines between rows"),
        ("age,note", '"age","note"', ""),  # names of columns are no rows
        (",a\n", ',"a\nb"\n', ""),  # quotes that are needed
        (",a\n[20-29],b\n", ',""\n[20-29],\n', ""),  # an empty text, and none
    ],
)
def test_rows_that_a_text_file_tells_apart_are_undecided(old, new, door, tmp_path):
    schema = SCHEMA.replace(note={"role": "insensitive"})
    (tmp_path / "t.csv").write_bytes(ROWS.replace(old, new, 1).encode())
    verdict = check_table(tmp_path / "t.csv", schema, 4)
    assert verdict.smallest_group == 4
    assert door in "".join(verdict.side_doors)
    assert (verdict.holds, verdict.is_undecided) == (not door, bool(door))


@pytest.mark.parametrize(("quote", "ending"), [("", "\n"), ('"', "\n"), ("", "\r\n")])
def test_files_that_are_written_in_one_way_throughout_hold(quote, ending, tmp_path):
    schema = SCHEMA.replace(note={"role": "insensitive"})
    rows = ROWS.replace(",", f"{quote},{quote}").split()
    written = ending.join([*(f"{quote}{row}{quote}" for row in rows), "", ""])
    (tmp_path / "t.csv").write_bytes(written.encode())
    assert check_table(tmp_path / "t.csv", schema, 4).holds


@pytest.mark.parametrize("first", ['""', ""])
def test_empty_texts_in_quotes_are_told_from_none_where_they_are_grouped(first, tmp_path):
    (tmp_path / "t.csv").write_text(f"age,n\n{first},1\n,1\n,1\n" + '"a,b",1\n' * 3)
    verdict = check_table(tmp_path / "t.csv", SCHEMA.replace(n={"role": "insensitive"}), 3)
    assert verdict.smallest_group == 3
    assert (verdict.holds, verdict.is_undecided) == (not first, bool(first))


@pytest.mark.parametrize(
    ("notes", "door"),
    [
        (" a, b, a, b", ""),
        (" a, b,  a, b", "more blanks"),
        ("  1, 22,  1, 22", ""),  # numbers in line
        (' "a", b, "a", b', ""),
        (' "a", b, a, b', "quotes in some rows"),
        (' "a,b", b, "a,b", b', ""),
        (' "a,b", b,  "a,b", b', "more blanks"),
    ],
)
def test_blanks_that_are_passed_over_are_told_where_they_differ(notes, door, tmp_path):
    rows = [f"[20-29],{note}" for note in notes.replace("a,b", "a;b").split(",")]
    text = "\n".join(["age, note", *rows, ""]).replace("a;b", "a,b")
    (tmp_path / "t.csv").write_text(text)
    verdict = check_table(tmp_path / "t.csv", SCHEMA.replace(note={"role": "insensitive"}), 4)
    assert verdict.smallest_group == 4
    assert door in "".join(verdict.side_doors)
    assert (verdict.holds, verdict.is_undecided) == (not door, bool(door))


@pytest.mark.parametrize(("second", "holds"), [('a\\"b', True), ('a\\"\\b', False)])
def test_escapes_that_say_one_thing_in_two_ways_are_undecided(second, holds, tmp_path):
    rows = [f'[20-29],"{note}"\n' for note in ('a\\"b', second) * 2]
    (tmp_path / "t.csv").write_text("".join(["age,note\n", *rows, *['[20-29],"c,d"\n'] * 20]))
    verdict = check_table(tmp_path / "t.csv", SCHEMA.replace(note={"role": "insensitive"}), 4)
    assert (verdict.holds, verdict.is_undecided) == (holds, not holds)


@pytest.mark.parametrize(
    ("old", "new", "holds"),
    [
        ('"x"', '"x"', True),
        ('"x"', '"\\u0078"', False),
        ('"x"', '"é"', True),
        ('": ', '":', False),
        ('{"age"', '{ "age"', False),
    ],
)
def test_lines_of_json_that_are_written_differently_are_undecided(old, new, holds, tmp_path):
    rows = [json.dumps({"age": "x", "note": None}) for _ in range(4)]
    if "é" in new:
        rows = [row.replace(old, new) for row in rows]
    else:
        rows[1] = rows[1].replace(old, new, 1)
    (tmp_path / "t.jsonl").write_text("\n".join(rows) + "\n", "utf-8")
    schema = SCHEMA.replace(note={"role": "insensitive"})
    verdict = check_table(tmp_path / "t.jsonl", schema, 4)
    assert (verdict.holds, verdict.is_undecided) == (holds, not holds)
    listed = json.dumps([json.loads(row) for row in rows], indent=1)
    (tmp_path / "t.json").write_text(listed, "utf-8")
    assert check_table(tmp_path / "t.json", schema, 4).holds
    (tmp_path / "t.json").write_text("[" + ",\n ".join(rows) + "]\n", "utf-8")
    assert check_table(tmp_path / "t.json", schema, 4).holds == holds


@pytest.mark.parametrize(
    ("start", "between", "holds"),
    [
        ("", ["\n"] * 4, True),
        ("", ["\r\n"] * 3, True),
        ("\ufeff", ["\n"] * 4, True),
        ("", ["\n", "\r\n", "\n", "\n"], False),
        ("", ["\n", "\n\n", "\n", "\n"], False),
        ("[", [", ", ", ", ", ", "]"], True),
        ("[\n", [",\n", ",\n", ",\n", "\n]\n"], True),
        ("[", [",\n", ",\n\n", ",\n", "]"], False),
        ("[", [",\n", ", ", ",\n", "]"], False),
    ],
)
def test_what_stands_between_objects_of_json_is_looked_at(start, between, holds, tmp_path):
    rows = zip_longest([json.dumps({"age": "x, y"})] * 4, between, fillvalue="")
    path = tmp_path / ("t.json" if "[" in start else "t.jsonl")
    path.write_bytes((start + "".join(map("".join, rows))).encode())
    verdict = check_table(path, SCHEMA, 4)
    assert (verdict.holds, verdict.is_undecided) == (holds, not holds)


@pytest.mark.parametrize(
    ("column", "holds"),
    [
        ("age TEXT", True),
        ('"age" VARCHAR(20) NOT NULL', True),
        ("[age] text", True),
        ("age TEXT DEFAULT 'Ann Smith'", False),
        ("age TEXT /* Ann Smith */", False),
        ("age TEXT -- Ann Smith\n", False),
        ("age TEXT CHECK (age <> 'Ann Smith')", False),
        ("age Ann_Smith", False),
        ("age TEXT DEFAULT 4711001", False),
    ],
)
def test_definitions_of_sqlite_that_say_more_than_types_are_undecided(column, holds, tmp_path):
    database = sqlite3.connect(tmp_path / "t.sqlite")
    database.execute(f"CREATE TABLE t ({column})")
    database.execute("INSERT INTO t VALUES ('x'), ('x')")
    database.commit()
    database.close()
    verdict = check_table(tmp_path / "t.sqlite", SCHEMA, 2)
    assert (verdict.holds, verdict.is_undecided) == (holds, not holds)


def test_an_archive_with_another_file_is_undecided(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("t.csv", "age,n\n7,1\n7,1\n")
    schema = SCHEMA.replace(n={"role": "insensitive"})
    assert check_table(tmp_path / "t.zip", schema, 2).holds
    with zipfile.ZipFile(tmp_path / "t.zip", "a") as archive:
        archive.writestr("names.pdf", "Ann Smith")
    assert check_table(tmp_path / "t.zip", schema, 2).is_undecided


def test_formats_that_are_not_looked_into_are_undecided(tmp_path):
    for name in ("t.xls", "t.ods", "t.sav", "t.dta"):
        (tmp_path / name).write_bytes(b"")
        assert beside_cells(tmp_path / name)


@pytest.mark.parametrize("ending", ["sqlite", "db"])
def test_deleted_rows_of_a_database_are_told(ending, tmp_path):
    path = tmp_path / f"t.{ending}"
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA secure_delete = off")
        database.execute("CREATE TABLE t (age TEXT)")
        database.executemany("INSERT INTO t VALUES (?)", [["7"]] * 3)
    assert check_table(path, SCHEMA, 3).holds
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA secure_delete = off")
        database.execute("INSERT INTO t VALUES ('Ann Smith')")
        database.commit()
        database.execute("DELETE FROM t WHERE age <> '7'")
    assert check_table(path, SCHEMA, 3).is_undecided


def test_space_that_a_database_gave_up_is_told_unless_a_release_was_written_so(tmp_path):
    path = tmp_path / "t.duckdb"
    with duckdb.connect(str(path)) as database:
        database.execute("CREATE TABLE t AS SELECT 'Ann Smith of nowhere' AS age FROM range(3)")
        database.execute("CHECKPOINT")
        database.execute("UPDATE t SET age = '7'")
        database.execute("CHECKPOINT")
    assert b"Ann Smith" in path.read_bytes()
    assert check_table(path, SCHEMA, 3).is_undecided
    released = tmp_path / "released.duckdb"
    schema = Schema({"age": {"role": "quasi-identifier", "kind": "numeric"}})
    (tmp_path / "sevens.csv").write_text("age\n7\n7\n7\n")
    Mondrian(schema, 3).fit(tmp_path / "sevens.csv").release_.write(released)
    assert check_table(released, schema, 3).holds


def json_lines(path, cells):
    path = path.with_suffix(".jsonl")
    path.write_text("".join(f'{{"age": {cell}}}\n' for cell in cells))
    return path


def json_list(path, cells):
    path = path.with_suffix(".json")
    path.write_text("[" + ", ".join(f'{{"age": {cell}}}' for cell in cells) + "]")
    return path


def sqlite_file(path, cells):
    path = path.with_suffix(".sqlite")
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE t (age)")
        for cell in cells:
            database.execute("INSERT INTO t VALUES (?)", [json.loads(cell)])
    return path


def workbook(path, cells):
    openpyxl = need("openpyxl")
    path = path.with_suffix(".xlsx")
    book = openpyxl.Workbook()
    for cell in ("age", *map(json.loads, cells)):
        book.active.append([cell])
    book.save(path)
    return path


@pytest.mark.parametrize("write", [json_lines, json_list, sqlite_file, workbook])
@pytest.mark.parametrize("cells", [("7", "7", '"7"'), ("7", "7", "7.5"), ("7.5", "7.5", '"7.50"')])
def test_cells_that_only_their_file_tells_apart_do_not_hold(write, cells, tmp_path):
    assert check_table(write(tmp_path / "t", ["7"] * 3), SCHEMA, 3).holds
    assert check_table(write(tmp_path / "t", ['"x"'] * 3), SCHEMA, 3).holds
    assert not check_table(write(tmp_path / "t", cells), SCHEMA, 3).holds


@pytest.mark.parametrize("cells", [("7", "7.0", "7.00"), ("null", '""', "null")])
def test_numbers_of_json_are_told_apart_by_how_they_are_written(cells, tmp_path):
    assert not check_table(json_lines(tmp_path / "t", cells), SCHEMA, 3).holds


@pytest.mark.parametrize("ending", ["csv", "dat", "psv", "dat.gz"])
def test_text_files_are_counted_by_what_is_written_whatever_they_are_called(ending, tmp_path):
    path, rows = tmp_path / f"t.{ending}", b"age|n\n7|1\n7|1\n7.0|1\n"
    path.write_bytes(gzip.compress(rows, mtime=0) if ending.endswith("gz") else rows)
    schema = SCHEMA.replace(n={"role": "insensitive"})
    assert check_table(path, schema, 3).smallest_group == 1


@pytest.mark.parametrize("above", ["Ann Smith was here\n", "# Ann Smith\n", "Ann Smith\n\n"])
def test_lines_above_a_table_are_undecided(above, tmp_path):
    path, rows = tmp_path / "t.csv", "age,n\n7,1\n7,2\n"
    schema = SCHEMA.replace(n={"role": "insensitive"})
    for fine in ("", "sep=,\n"):
        path.write_text(fine + rows)
        assert check_table(path, schema, 2).holds
    path.write_text(above + rows)
    with pytest.warns(TableWarning, match="before the names of the columns"):
        verdict = check_table(path, schema, 2)
    assert verdict.is_undecided


def test_files_that_lie_in_the_folder_of_a_table_are_told(tmp_path):
    for part in (0, 1):
        (tmp_path / f"part-{part}.csv").write_text("age,n\n7,1\n7,2\n")
        (tmp_path / f".part-{part}.csv.crc").write_bytes(b"crc")
    (tmp_path / "_SUCCESS").write_bytes(b"")
    schema = SCHEMA.replace(n={"role": "insensitive"})
    assert check_table(tmp_path, schema, 4).holds
    (tmp_path / "_part-2.csv").write_text("age,n\nAnn Smith,1\n")
    assert check_table(tmp_path, schema, 4).is_undecided


@pytest.mark.parametrize(
    ("names", "holds"),
    [
        (["part-0.csv", "part-1.csv"], True),
        (["part-00003-4f1f0c9e-8a55-4d3c-9b7f-0123456789ab-c000.csv",
          "part-00012-4f1f0c9e-8a55-4d3c-9b7f-0123456789ab-c000.csv"], True),
        (["t.csv"], True),
        (["Ann Smith.csv"], True),  # everybody's
        (["rest.csv", "Ann Smith.csv"], False),
        (["8001.csv", "8002.csv"], False),
        (["a/part-0.csv", "b/part-0.csv"], False),
        (["part-0.csv", "notes.pdf"], False),
    ],
)  # fmt: skip
@pytest.mark.parametrize("pattern", ["", "**/*.*"])
def test_names_of_files_are_no_part_of_a_table(names, holds, pattern, tmp_path):
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("age\n7\n7\n")
    verdict = check_table(str(tmp_path / pattern), SCHEMA, 2)
    if pattern and "notes.pdf" in names:
        return  # who names files by a pattern gives out those alone
    assert (verdict.holds, verdict.is_undecided) == (holds, not holds)
    assert not any("Ann" in door for door in verdict.side_doors)


@pytest.mark.parametrize("pattern", ["", "*.jsonl"])
def test_files_of_a_folder_are_looked_into_as_one_is(pattern, tmp_path):
    for part in (0, 1):
        (tmp_path / f"part-{part}.jsonl").write_text('{"age": 7}\n{"age": 7}\n')
    assert check_table(str(tmp_path / pattern), SCHEMA, 4).holds
    (tmp_path / "part-1.jsonl").write_text('{"age": 7}\n{"age": 7.0}\n')
    assert not check_table(str(tmp_path / pattern), SCHEMA, 4).holds
    (tmp_path / "part-1.jsonl").write_text('{"age": 7}\n{"age":  7}\n')
    assert check_table(str(tmp_path / pattern), SCHEMA, 4).is_undecided


def test_tables_that_are_no_files_have_cells_only():
    assert beside_cells({"age": [7]}) == ()
    assert check_table({"age": [7, 7]}, SCHEMA, 2).side_doors == ()
