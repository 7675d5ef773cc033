import sqlite3
import zipfile

import pytest

from shoal import Schema, check_table
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


def test_deleted_rows_of_a_database_are_told(tmp_path):
    with sqlite3.connect(tmp_path / "t.sqlite") as database:
        database.execute("PRAGMA secure_delete = off")
        database.execute("CREATE TABLE t (age TEXT)")
        database.executemany("INSERT INTO t VALUES (?)", [["7"]] * 3)
    assert check_table(tmp_path / "t.sqlite", SCHEMA, 3).holds
    with sqlite3.connect(tmp_path / "t.sqlite") as database:
        database.execute("PRAGMA secure_delete = off")
        database.execute("INSERT INTO t VALUES ('Ann Smith')")
        database.commit()
        database.execute("DELETE FROM t WHERE age <> '7'")
    assert check_table(tmp_path / "t.sqlite", SCHEMA, 3).is_undecided


def test_an_archive_with_another_file_is_undecided(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("t.csv", "age,n\n7,1\n7,1\n")
    schema = SCHEMA.replace(n={"role": "insensitive"})
    assert check_table(tmp_path / "t.zip", schema, 2).holds
    with zipfile.ZipFile(tmp_path / "t.zip", "a") as archive:
        archive.writestr("names.pdf", "Ann Smith")
    assert check_table(tmp_path / "t.zip", schema, 2).is_undecided


def test_of_formats_that_are_not_looked_into_a_note_says_so(tmp_path):
    for name in ("t.xls", "t.ods", "t.sav", "t.dta"):
        (tmp_path / name).write_bytes(b"")
        with pytest.warns(TableWarning, match="not looked into: the verdict is on the cells"):
            assert beside_cells(tmp_path / name) == ()


def test_tables_that_are_no_files_have_cells_only():
    assert beside_cells({"age": [7]}) == ()
    assert check_table({"age": [7, 7]}, SCHEMA, 2).side_doors == ()
