import sqlite3
from contextlib import closing

import duckdb
import pytest

from shoal._addresses import read_address
from shoal.errors import ParameterError, TableError, TableWarning
from shoal.tables import open_table
from tests.extras import need
from tests.postgres import postgres

__all__ = ["postgres"]


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


def test_a_file_that_was_refused_is_not_held_open(tmp_path):
    path = tmp_path / "house.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE people AS SELECT 1 AS own")
    with pytest.raises(TableError) as refused:
        open_table(path, table="staff")
    duckdb.connect(str(path)).close()  # for writing, while what was raised is still looked at
    assert refused.traceback


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
    need("adbc_driver_postgresql")
    with pytest.raises(TableError, match="cannot connect to database 'house'") as caught:
        open_table("postgresql://ann:secret@127.0.0.1:1/house?table=people")
    assert "secret" not in str(caught.value)


@pytest.fixture
def server(postgres):
    dbapi = need("adbc_driver_postgresql.dbapi")
    with closing(dbapi.connect(postgres)) as connection, closing(connection.cursor()) as cursor:
        for command in (
            "DROP SCHEMA IF EXISTS ward CASCADE",
            "CREATE SCHEMA ward",
            "CREATE DOMAIN ward.years AS integer",
            "CREATE TABLE ward.people (age ward.years, born date, seen timestamp, city text)",
            "INSERT INTO ward.people VALUES (31, '1990-02-03', '2020-01-01', 'Ulm'), "
            "(40, '0044-03-15 BC', 'infinity', 'Kiel'), (42, NULL, NULL, 'Kiel')",
            "CREATE MATERIALIZED VIEW ward.kept AS SELECT age, city FROM ward.people",
            "CREATE VIEW ward.shown AS SELECT age, city FROM ward.people",
            "DROP ROLE IF EXISTS ann",
            "CREATE ROLE ann LOGIN",
            "GRANT USAGE ON SCHEMA ward TO ann",
            "GRANT SELECT (age, city) ON ward.kept TO ann",
            "GRANT SELECT ON ward.people TO ann",
            "ALTER TABLE ward.people ENABLE ROW LEVEL SECURITY",
            "CREATE POLICY hers ON ward.people USING (city = 'Ulm')",
        ):
            cursor.execute(command)
        connection.commit()
    yield postgres
    with closing(dbapi.connect(postgres)) as connection, closing(connection.cursor()) as cursor:
        cursor.execute("DROP SCHEMA ward CASCADE")
        cursor.execute("DROP ROLE ann")
        connection.commit()


@pytest.mark.parametrize("table", ["ward.kept", "ward.shown", "ward.people"])
@pytest.mark.filterwarnings("ignore:column")
def test_postgresql_reads_views_of_both_kinds(server, table):
    engine = open_table(f"{server}&table={table}")
    assert sorted(engine.distinct("age")[0]) == [31, 40, 42]
    assert engine.n_rows == 3


def test_postgresql_reads_days_beyond_calendars_as_texts(server):
    with pytest.warns(TableWarning, match=r"'(born|seen)' has days beyond calendars") as said:
        engine = open_table(f"{server}&table=ward.people")
    assert sorted(engine.distinct("born")[0]) == ["0044-03-15 BC", "1990-02-03"]
    assert not any("0044" in str(one.message) for one in said)


def test_postgresql_says_when_rows_are_hidden_from_the_user(server):
    hers = f"{server.replace('user=postgres', 'user=ann')}&table=ward.people"
    with pytest.warns(TableWarning, match="row security"):
        assert open_table(hers).distinct("city") == (["Ulm"], False)


@pytest.mark.parametrize("sign", ["/", "#", "?", "["])
@pytest.mark.parametrize("table", ["?table=people", ""])
def test_a_password_with_signs_of_addresses_is_asked_for_in_another_writing(sign, table):
    with pytest.raises(ParameterError, match="in a password, @ is written %40") as caught:
        read_address(f"postgresql://ann:se{sign}cret@localhost:5432/house{table}")
    assert "cret" not in str(caught.value)
    kept = read_address(f"postgresql://ann:se%2Fcret@localhost/house{table}")
    assert kept.name == "database 'house'"
    at = read_address("postgresql://localhost/house?user=ann@corp&table=people")
    assert at.table == "people"
