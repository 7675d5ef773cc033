import datetime as dt
from zipfile import ZipFile

import pytest

from shoal.errors import TableError, TableWarning
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
    with pytest.warns(TableWarning) as said:
        engine = open_table(tmp_path / "a.xlsx")
    assert engine.names == ("age", "sex")
    assert engine.n_rows == 2
    assert [str(one.message) for one in said] == [
        "a.xlsx: 1 row above the names of the columns was left out.",
        "a.xlsx: 1 row of empty cells between others was left out.",
    ]


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


def write_old(path, sheets):
    book = need("xlwt").Workbook()
    days = need("xlwt").easyxf(num_format_str="YYYY-MM-DD")
    for name, rows in sheets.items():
        sheet = book.add_sheet(name)
        for at, row in enumerate(rows):
            for column, value in enumerate(row):
                style = [days] if isinstance(value, dt.date) else []
                sheet.write(at, column, value, *style)
    book.save(str(path))


def test_workbooks_of_older_excel_are_read_alike(tmp_path):
    need("python_calamine")
    write_old(tmp_path / "a.xls", {"s": ROWS})
    write_book(tmp_path / "a.xlsx", {"s": ROWS})
    old, new = open_table(tmp_path / "a.xls"), open_table(tmp_path / "a.xlsx")
    assert old.types == new.types
    assert old.names == new.names
    for name in old.names:  # an engine gives values in any order
        (values, missing), (others, lacking) = old.distinct(name), new.distinct(name)
        assert (sorted(values), missing) == (sorted(others), lacking)
    write_old(tmp_path / "b.xls", {"people": ROWS, "notes": [["see", "also"], ["x", 1]]})
    with pytest.raises(TableError, match=r"2 sheets: 'people', 'notes'.*--sheet"):
        open_table(tmp_path / "b.xls")
    assert open_table(tmp_path / "b.xls", sheet="2").names == ("see", "also")


ODS = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:spreadsheet>'
    '<table:table table:name="s">{}</table:table></office:spreadsheet></office:body>'
    "</office:document-content>"
)


MANIFEST = (
    '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
    '<manifest:file-entry manifest:full-path="/" '
    'manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/></manifest:manifest>'
)


def test_workbooks_of_libreoffice_are_read(tmp_path):
    need("python_calamine")
    text = '<table:table-cell office:value-type="string"><text:p>{0}</text:p></table:table-cell>'
    number = '<table:table-cell office:value-type="float" office:value="{0}"/>'
    rows = [(text, "age", "city"), (number, 31), (number, 44.5)]
    cells = ["".join(cell.format(value) for value in values) for cell, *values in rows]
    filled = [cells[0], cells[1] + text.format("Ulm"), cells[2] + text.format("Kiel")]
    content = ODS.format("".join(f"<table:table-row>{row}</table:table-row>" for row in filled))
    with ZipFile(tmp_path / "a.ods", "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", MANIFEST)
        archive.writestr("content.xml", content)
    engine = open_table(tmp_path / "a.ods")
    assert engine.types == {"age": "number", "city": "text"}
    assert engine.distinct("age")[0] == [31, 44.5]


@pytest.mark.parametrize("suffix", [".xls", ".ods", ".xlsb"])
def test_a_damaged_older_workbook_is_refused_in_plain_words(tmp_path, suffix):
    need("python_calamine")
    path = tmp_path / f"a{suffix}"
    path.write_bytes(b"\xd0\xcf\x11\xe0" + b"CANARY" * 300)
    with pytest.raises(TableError, match="cannot be read: it is damaged") as caught:
        open_table(path)
    assert "CANARY" not in str(caught.value)


def test_a_title_and_names_of_groups_are_counted_together(tmp_path):
    names = ["age", "born", "code", "town", "sex"]
    rows = [[n, f"b{n}", f"c{n}", f"d{n}", "f"] for n in range(5)]
    above = [["Report"], ["person", None, None, "place"]]
    write_book(tmp_path / "t.xlsx", {"table": [*above, names, *rows]})
    with pytest.warns(TableWarning, match="2 rows above the names of the columns were left out"):
        assert open_table(tmp_path / "t.xlsx").names == tuple(names)


def test_names_of_groups_above_every_second_column_are_no_names(tmp_path):
    names = ["age", "sex", "day", "illness"]
    rows = [[30 + n, "mf"[n % 2], dt.date(2024, 1, 1 + n), "flu"] for n in range(8)]
    for group in (["patient", None, "visit", None], ["patient", "of", "visit", None]):
        write_book(tmp_path / "t.xlsx", {"table": [group, names, *rows]})
        with pytest.warns(TableWarning, match="1 row above the names of the columns was left out"):
            engine = open_table(tmp_path / "t.xlsx")
        assert (engine.names, engine.n_rows, engine.types["age"]) == (tuple(names), 8, "number")
    # nobody said what is in the last column: the row below is one of people
    write_book(tmp_path / "t.xlsx", {"table": [["age", "sex", "day", None], *rows]})
    assert open_table(tmp_path / "t.xlsx").names[:3] == tuple(names[:3])
