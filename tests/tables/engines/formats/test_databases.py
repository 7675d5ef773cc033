import sqlite3

import duckdb
import pytest

from shoal._addresses import read_address
from shoal.errors import ParameterError, TableError
from shoal.tables import open_table


def write_example(table, path):
    if path.suffix == ".duckdb":
        with duckdb.connect(str(path)) as connection:
            connection.register("given", table.to_arrow())
            connection.execute("CREATE TABLE people AS FROM given")
        return
    places = ", ".join("?" * table.width)
    with sqlite3.connect(path) as connection:
        connection.execute(f"CREATE TABLE people ({', '.join(table.columns)})")
        connection.executemany(f"INSERT INTO people VALUES ({places})", table.iter_rows())
    connection.close()


@pytest.fixture
def house(tmp_path):
    path = tmp_path / "house.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE people (age, city)")
        connection.execute("INSERT INTO people VALUES (31, 'Ulm'), (NULL, 'Kiel'), ('NA', 'x')")
        connection.execute("CREATE TABLE wards (name)")
    connection.close()
    return path


def test_a_table_is_named_by_option_or_address(house):
    assert open_table(house, table="people").distinct("age") == ([31], True)
    assert open_table(f"sqlite:///{house}?table=wards").names == ("name",)
    with pytest.raises(TableError, match=r"2 tables: 'people', 'wards'.*--table"):
        open_table(house)
    with pytest.raises(TableError, match="no table 'staff'"):
        open_table(house, table="staff")


def test_a_name_that_fits_two_tables_is_asked_about(tmp_path):
    path = tmp_path / "house.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE people AS SELECT 1 AS own")
        for schema in ("archive", "zoo"):
            connection.execute(f"CREATE SCHEMA {schema}")
            connection.execute(f"CREATE TABLE {schema}.people AS SELECT 2 AS other")
            connection.execute(f"CREATE TABLE {schema}.wards AS SELECT 3 AS other")
    assert open_table(path, table="people").names == ("own",)  # not the first that ends so
    assert open_table(path, table="zoo.people").names == ("other",)
    with pytest.raises(TableError, match=r"2 tables that 'wards' may mean.*SCHEMA\.NAME"):
        open_table(path, table="wards")


def test_a_table_of_sqlite_is_not_found_by_the_end_of_its_name(tmp_path):
    path = tmp_path / "house.db"
    with sqlite3.connect(path) as connection:
        connection.execute('CREATE TABLE "a.people" (x)')
    connection.close()
    with pytest.raises(TableError, match="no table 'people'"):
        open_table(path, table="people")


def test_a_damaged_database_and_a_strange_address_are_refused(tmp_path):
    for suffix in (".sqlite", ".duckdb"):
        (tmp_path / f"a{suffix}").write_bytes(b"nothing of the kind" * 100)
        with pytest.raises(TableError, match="cannot be read: it is damaged"):
            open_table(tmp_path / f"a{suffix}")
    with pytest.raises(ParameterError, match="mysql:// are not known"):
        open_table("mysql://localhost/house?table=people")
    with pytest.raises(TableError, match=r"no file 'gone\.db'"):
        open_table("sqlite:///gone.db?table=people")


def test_a_database_is_named_without_what_its_address_holds():
    address = read_address("postgresql://ann:secret@localhost:5432/house?table=x&sslmode=require")
    assert address.name == "database 'house'"
    assert address.table == "x"
    assert address.place.endswith("/house?sslmode=require")


def test_a_server_that_does_not_answer_is_said_without_the_password():
    pytest.importorskip("adbc_driver_postgresql")
    with pytest.raises(TableError, match="cannot connect to database 'house'") as caught:
        open_table("postgresql://ann:secret@127.0.0.1:1/house?table=people")
    assert "secret" not in str(caught.value)
