import gc
import zipfile

import duckdb
import pytest

from shoal._resources import scratch
from shoal.errors import TableError
from shoal.tables.engines.formats import _writers
from shoal.tables.engines.formats._writers import _write_excel, _write_sqlite
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


def test_rows_of_a_workbook_that_is_being_written_lie_where_they_are_removed(tmp_path, monkeypatch):
    rows = duckdb.sql("SELECT i AS age FROM range(3) t(i)")
    monkeypatch.setattr(_writers.tempfile, "tempdir", str(tmp_path))
    seen = []
    monkeypatch.setattr(_writers, "_rows", lambda relation: look(relation.fetchall()))

    def look(fetched):
        seen.extend(path for path in tmp_path.rglob("openpyxl*"))
        yield from fetched

    _write_excel(rows, tmp_path / "out.xlsx")
    assert [path.parent for path in seen] == [scratch()]
    assert _writers.tempfile.tempdir == str(tmp_path)


def test_a_database_on_a_full_disk_is_an_error_in_words(tmp_path):
    resource = need("resource")
    rows = duckdb.sql(
        "SELECT 'a long text that takes its room ' || i AS note FROM range(9999) t(i)"
    )
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, before[1]))
    try:
        with pytest.raises(TableError, match="the database cannot be written"):
            _write_sqlite(rows, tmp_path / "out.sqlite")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_moments_of_a_time_zone_and_empty_texts_are_written_to_workbooks(tmp_path):
    noon = "TIMESTAMPTZ '2024-03-01 12:00:00+00'"
    rows = duckdb.sql(f"SELECT {noon} AS seen, '' AS note, DATE '2024-03-01' AS day, TRUE AS vip")
    _write_excel(rows, tmp_path / "out.xlsx")
    _, (seen, note, day, vip) = openpyxl.load_workbook(tmp_path / "out.xlsx").active.values
    assert seen.startswith("2024-03-01 ")
    assert (note, day.isoformat()[:10], vip) == (None, "2024-03-01", True)


@pytest.mark.parametrize("sign", ["\r", "\x01"])
def test_cells_that_a_sheet_would_change_are_refused_in_words_alone(sign, tmp_path, capfd):
    rows = duckdb.sql(f"SELECT 'a' AS note UNION ALL SELECT 'a{sign}b' ORDER BY 1")
    with pytest.raises(TableError, match="control characters"):
        _write_excel(rows, tmp_path / "out.xlsx")
    gc.collect()
    assert capfd.readouterr() == ("", "")
