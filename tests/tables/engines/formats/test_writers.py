import zipfile

import duckdb

from shoal.tables.engines.formats._writers import _write_excel
from tests.extras import need

openpyxl = need("openpyxl")


def test_a_workbook_tells_no_time(tmp_path):
    rows = duckdb.sql("SELECT 31 AS age, '=1+1' AS note UNION ALL SELECT 32, 'b' ORDER BY 1")
    path = tmp_path / "out.xlsx"
    _write_excel(rows, path)
    assert [each.name for each in tmp_path.iterdir()] == ["out.xlsx"]
    with zipfile.ZipFile(path) as book:
        assert {part.date_time for part in book.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert book.read("docProps/core.xml").count(b">1980-01-01T00:00:00Z<") == 2
        assert not any(part.extra or part.comment for part in book.infolist())
    cells = [[cell.value for cell in row] for row in openpyxl.load_workbook(path).active.rows]
    assert cells == [["age", "note"], [31, "=1+1"], [32, "b"]]
