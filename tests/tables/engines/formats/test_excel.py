import datetime as dt

import pytest

from shoal.errors import TableError
from shoal.tables import open_table
from tests.extras import need

openpyxl = need("openpyxl")


def write_example(table, path):
    write_book(path, {"table": [list(table.columns), *map(list, table.iter_rows())]})


def write_book(path, sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)


ROWS = [["age", "born", "code"], [31, dt.date(1990, 5, 1), "01"], [None, dt.date(1991, 6, 2), "2"]]


def test_values_keep_their_kinds(tmp_path):
    write_book(tmp_path / "a.xlsx", {"s": ROWS})
    engine = open_table(tmp_path / "a.xlsx")
    assert engine.types == {"age": "number", "born": "date", "code": "text"}
    assert engine.distinct("age") == ([31], True)


def test_one_of_several_sheets_is_asked_for(tmp_path):
    path = tmp_path / "a.xlsx"
    write_book(path, {"people": ROWS, "empty": [], "notes": [["see", "also"], ["x", 1]]})
    with pytest.raises(TableError, match=r"2 sheets: 'people', 'notes'.*--sheet"):
        open_table(path)
    assert open_table(path, sheet="people").names == ("age", "born", "code")
    assert open_table(path, sheet="3").names == ("see", "also")
    with pytest.raises(TableError, match="no sheet 'staff'"):
        open_table(path, sheet="staff")


def test_titles_empty_rows_and_empty_columns_are_no_part_of_the_table(tmp_path):
    rows = [["Patients of 2024", None, None], [None] * 3, ["age", None, "sex"], [31, None, "f"],
            [None] * 3, [44, None, "m"]]  # fmt: skip
    write_book(tmp_path / "a.xlsx", {"s": rows})
    engine = open_table(tmp_path / "a.xlsx")
    assert engine.names == ("age", "sex")
    assert engine.n_rows == 2


def test_a_first_row_of_data_is_asked_about_and_not_shown(tmp_path):
    write_book(tmp_path / "a.xlsx", {"s": [[31, "Meyer"], [44, "Meyer"], [50, "Kunz"]]})
    with pytest.raises(TableError, match="--no-header") as caught:
        open_table(tmp_path / "a.xlsx")
    assert "Meyer" not in str(caught.value)
    assert open_table(tmp_path / "a.xlsx", header=False).names == ("column1", "column2")


def test_words_for_nothing_count_as_in_a_text_file(tmp_path):
    write_book(tmp_path / "a.xlsx", {"s": [["age"], [31], ["NA"], [44]]})
    assert sorted(open_table(tmp_path / "a.xlsx").distinct("age")[0]) == [31, 44]


@pytest.mark.parametrize("content", [b"PK\x03\x04 cut", b"age,sex\n1,f\n"])
def test_a_damaged_workbook_is_refused_in_plain_words(tmp_path, content):
    (tmp_path / "a.xlsx").write_bytes(content)
    with pytest.raises(TableError, match=r"damaged, cut short.*Save it anew"):
        open_table(tmp_path / "a.xlsx")
