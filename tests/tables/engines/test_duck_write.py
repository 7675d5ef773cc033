"""Cells that a spreadsheet would compute, in tables of few and of very many columns."""

import csv
import gzip

import duckdb
import pytest

from shoal.tables.engines._duck_connection import name_sql, value_sql
from shoal.tables.engines._duck_write import MOST_LOOKED_AT, copy_query

CELLS = ["=1+1", "-5", "'quoted", "plain", "@here", "-"]
WRITTEN = ["'=1+1", "-5", "'quoted", "plain", "'@here", "-"]


@pytest.mark.parametrize("n_columns", [len(CELLS), 3 * MOST_LOOKED_AT + len(CELLS)])
def test_cells_that_would_be_computed_are_escaped_in_any_number_of_columns(tmp_path, n_columns):
    names = [f"c {i}" for i in range(n_columns)]
    rows = [
        ["plain"] * (n_columns - len(CELLS)) + CELLS,
        ["word"] * n_columns,
    ]

    def selected(row):
        cells = zip(names, row, strict=True)
        return "SELECT " + ", ".join(f"{value_sql(cell)} AS {name_sql(n)}" for n, cell in cells)

    with duckdb.connect() as connection:
        copy_query(connection.sql, " UNION ALL ".join(map(selected, rows)), tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as file:
        header, *read = csv.reader(file)
    assert header == names
    assert read[0][-len(CELLS) :] == WRITTEN
    assert set(read[0][: -len(CELLS)]) <= {"plain"}
    assert set(read[1]) == {"word"}


def test_releases_of_hundreds_of_columns_need_no_gigabytes(tmp_path):
    """Every step of every column is held at once: 500 columns took more than 1.8 GB."""
    columns = ", ".join(f"'x' || (i + {n}) % 7 AS c{n}" for n in range(500))
    with duckdb.connect(config={"memory_limit": "500MB", "threads": 2}) as connection:
        select = f"SELECT {columns} FROM range(1000) AS r(i)"
        copy_query(connection.sql, select, tmp_path / "out.csv")
    assert len((tmp_path / "out.csv").read_text("utf-8").splitlines()) == 1001


@pytest.mark.parametrize("text", ["a\rb", "a\r\nb", "a\nb", 'a"b', "a,b", "\r"])
def test_packed_files_keep_ends_of_lines_in_cells(text, tmp_path):
    path = tmp_path / "out.csv.gz"
    with duckdb.connect() as connection:
        copy_query(connection.sql, f"SELECT {value_sql(text)} AS note, 1 AS age", path)
    with gzip.open(path, "rt", newline="", encoding="utf-8") as file:
        assert list(csv.reader(file)) == [["note", "age"], [text, "1"]]
