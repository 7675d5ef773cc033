"""Released tables in databases: nothing else is touched, and nothing of what they replace stays."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from shoal.errors import TableError
from shoal.tables.engines._database_store import open_store
from tests.extras import need
from tests.postgres import postgres

__all__ = ["postgres"]


def put(address, texts, *, force=False):
    """Write a table of one column at an address, as a release does."""
    with open_store(address, force=force) as store:
        with duckdb.connect() as connection:
            rows = ", ".join(f"('{text}')" for text in texts)
            connection.execute(f"COPY (FROM (VALUES {rows}) t(x)) TO '{store.draft}'")
        store.fill()
        store.keep()


def run_sqlite(path, *commands):
    with closing(sqlite3.connect(path)) as connection, connection:
        return [connection.execute(command).fetchall() for command in commands][-1]


def run_duckdb(path, *commands):
    with duckdb.connect(str(path)) as connection:
        return [connection.execute(command).fetchall() for command in commands][-1]


FILES = [("sqlite", run_sqlite), ("duckdb", run_duckdb)]


@pytest.mark.parametrize(("kind", "run"), FILES)
@pytest.mark.parametrize("name", ["people", "PEOPLE", "main.people", "main.People"])
def test_a_table_is_not_replaced_by_another_spelling_of_its_name(tmp_path, kind, run, name):
    path = tmp_path / "house.db"
    run(path, "CREATE TABLE people (x TEXT)", "INSERT INTO people VALUES ('kept')")
    with pytest.raises(TableError, match="is there already"):
        put(f"{kind}:///{path}?table={name}", ["new"])
    assert run(path, "SELECT x FROM people") == [("kept",)]
    put(f"{kind}:///{path}?table={name}", ["new"], force=True)
    assert run(path, "SELECT x FROM people") == [("new",)]


@pytest.mark.parametrize(("kind", "run"), FILES)
def test_a_view_of_that_name_is_never_replaced(tmp_path, kind, run):
    path = tmp_path / "house.db"
    run(path, "CREATE TABLE rows_of (x TEXT)", "CREATE VIEW people AS SELECT * FROM rows_of")
    with pytest.raises(TableError, match="is no plain table but a view"):
        put(f"{kind}:///{path}?table=people", ["new"], force=True)
    assert run(path, "SELECT count(*) FROM people") == [(0,)]


@pytest.mark.parametrize(("kind", "run"), FILES)
def test_rows_of_a_replaced_table_leave_the_file(tmp_path, kind, run):
    path = tmp_path / "house.db"
    names = [f"REPLACED{i:05}" for i in range(3000)]
    address = f"{kind}:///{path}?table=people"
    put(address, names)
    run(path, "CREATE TABLE wards (id INTEGER PRIMARY KEY, name TEXT)",
        "INSERT INTO wards VALUES (1, 'A')", "CREATE VIEW ward_names AS SELECT name FROM wards",
        "CREATE INDEX by_name ON wards (name)")  # fmt: skip
    path.chmod(0o640)
    put(address, ["new"], force=True)
    assert b"REPLACED" not in path.read_bytes()
    assert [entry.name for entry in tmp_path.iterdir()] == ["house.db"]
    assert run(path, "SELECT name FROM ward_names") == [("A",)]
    assert path.stat().st_mode & 0o777 == 0o640
    with pytest.raises((sqlite3.IntegrityError, duckdb.ConstraintException)):
        run(path, "INSERT INTO wards VALUES (1, 'B')")


@pytest.mark.parametrize(("kind", "run"), FILES)
def test_rows_of_a_table_that_was_withheld_leave_the_file(tmp_path, kind, run):
    path = tmp_path / "house.db"
    run(path, "CREATE TABLE wards (name TEXT)", "INSERT INTO wards VALUES ('A')")
    before = path.read_bytes()
    with open_store(f"{kind}:///{path}?table=people", force=False) as store:
        with duckdb.connect() as connection:  # enough rows for pages to be written before the end
            many = "SELECT 'WITHHELD' || i AS x FROM range(250_000) t(i)"
            connection.execute(f"COPY ({many}) TO '{store.draft}'")
        store.fill()
    assert b"WITHHELD" not in path.read_bytes()
    assert [entry.name for entry in tmp_path.iterdir()] == ["house.db"]
    assert run(path, "SELECT name FROM wards") == [("A",)]
    if kind == "sqlite":
        assert path.read_bytes() == before


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_a_database_that_was_made_for_nothing_goes(tmp_path, kind):
    with open_store(f"{kind}:///{tmp_path}/house.db?table=people", force=False):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_a_folder_that_is_not_there_is_said_with_the_way_paths_are_written(tmp_path, kind):
    with pytest.raises(TableError, match="its folder is not there"):
        put(f"{kind}:///{tmp_path}/absent/data.db?table=people", ["x"])


@pytest.fixture
def server(postgres):
    dbapi = need("adbc_driver_postgresql.dbapi")

    def run(*commands):
        with closing(dbapi.connect(postgres)) as connection, closing(connection.cursor()) as cursor:
            for command in commands:
                cursor.execute(command)
            rows = cursor.fetchall() if command.startswith("SELECT") else None
            connection.commit()
            return rows

    return run


def test_postgresql_writes_where_the_name_says_whatever_the_path_of_schemas(postgres, server):
    # the user's own schema comes first by PostgreSQL's default: "people" alone would be this one
    server("CREATE SCHEMA postgres", "CREATE TABLE postgres.people (x text)",
           "INSERT INTO postgres.people VALUES ('another')")  # fmt: skip
    address = f"{postgres}&table=people"
    put(address, ["new"])
    assert server("SELECT x FROM postgres.people") == [("another",)]
    assert server("SELECT x FROM public.people") == [("new",)]
    for name in ("people", "public.people", "postgres.people"):
        with pytest.raises(TableError, match="is there already"):
            put(f"{postgres}&table={name}", ["newer"])
    put(address, ["newer"], force=True)
    assert server("SELECT x FROM postgres.people") == [("another",)]
    assert server("SELECT x FROM public.people") == [("newer",)]


def test_postgresql_refuses_views_needed_tables_and_long_names(postgres, server):
    server("CREATE TABLE base (x text)", "CREATE VIEW seen AS SELECT * FROM base",
           f'CREATE TABLE "{"n" * 63}" (x text)')  # fmt: skip
    with pytest.raises(TableError, match="is no plain table but a view"):
        put(f"{postgres}&table=seen", ["new"], force=True)
    with pytest.raises(TableError, match="needs the older table"):
        put(f"{postgres}&table=base", ["new"], force=True)
    with pytest.raises(TableError, match="cuts names off"):
        put(f"{postgres}&table={'n' * 64}", ["new"])
    assert server(
        "SELECT count(*) FROM information_schema.tables WHERE table_name LIKE 'shoal%'"
    ) == [(0,)]


@pytest.mark.parametrize("name", ["whole", "whole_rest", "elder", "younger"])
def test_postgresql_takes_no_parts_and_no_rows_of_other_tables_away(postgres, server, name):
    server(
        "DROP TABLE IF EXISTS whole",
        "DROP TABLE IF EXISTS elder CASCADE",
        "CREATE TABLE whole (x text) PARTITION BY LIST (x)",
        "CREATE TABLE whole_rest PARTITION OF whole DEFAULT",
        "INSERT INTO whole VALUES ('kept')",
        "CREATE TABLE elder (x text)",
        "CREATE TABLE younger (y text) INHERITS (elder)",
        "INSERT INTO younger VALUES ('kept', 'too')",
    )
    with pytest.raises(TableError, match="a table in parts"):
        put(f"{postgres}&table={name}", ["new"], force=True)
    assert server("SELECT x FROM whole") == server("SELECT x FROM elder") == [("kept",)]


def test_postgresql_takes_names_as_they_are(postgres, server):
    for name in ('a"; DROP TABLE x; --', "Select", "Ä b"):
        put(f"{postgres}&table={name.replace(';', '%3B').replace(' ', '%20')}", ["new"])
        quoted = name.replace('"', '""')
        assert server(f'SELECT x FROM public."{quoted}"') == [("new",)]
    put(f"{postgres}&table=select", ["other"])  # differs in case, and is another table here
    assert server('SELECT x FROM public."Select"') == [("new",)]


def test_postgresql_keeps_no_file_of_a_replaced_table(postgres, server):
    address = f"{postgres}&table=replaced"
    put(address, [f"REPLACED{i:05}" for i in range(500)])
    server("CHECKPOINT")
    folder = Path(server("SELECT current_setting('data_directory')")[0][0]) / "base"
    if not os.access(folder, os.R_OK):
        pytest.skip("the files of the server cannot be read by this user")
    assert count_files(folder, b"REPLACED") == 1
    put(address, ["new"], force=True)
    server("CHECKPOINT")
    assert count_files(folder, b"REPLACED") == 0


def count_files(folder, text):
    return sum(text in path.read_bytes() for path in folder.rglob("*") if path.is_file())
