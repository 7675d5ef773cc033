import sqlite3

import duckdb
import pytest

from shoal import Schema, check_table
from tests.postgres import postgres  # noqa: F401

SCHEMA = Schema({"age": {"role": "quasi-identifier"}})
TOLD_APART = [
    ("NUMERIC", "(7.0), (7.00), (7)"),
    ("FLOAT8", "('NaN'), (NULL), ('NaN')"),
    ("FLOAT8", "('-0'), (0), (0)"),
]
NOTED = [
    "COMMENT ON COLUMN noted.age IS 'Ann Smith'",
    "ALTER TABLE noted ALTER age SET DEFAULT 'Ann Smith'",
    "ALTER TABLE noted ADD CHECK (age <> 'Ann Smith')",
]


def change(postgres, *statements):  # noqa: F811
    from adbc_driver_postgresql import dbapi

    with dbapi.connect(postgres, autocommit=True) as connection, connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


@pytest.mark.parametrize(("kind", "rows"), TOLD_APART)
def test_values_that_postgresql_writes_in_several_ways_are_told(kind, rows, postgres):  # noqa: F811
    table = f"t{abs(hash((kind, rows)))}"
    change(postgres, f"CREATE TABLE {table} (age {kind})", f"INSERT INTO {table} VALUES {rows}")
    assert check_table(f"{postgres}&table={table}", SCHEMA, 3).is_undecided
    change(postgres, f"UPDATE {table} SET age = 7.0")
    assert check_table(f"{postgres}&table={table}", SCHEMA, 3).holds


def test_comments_lists_and_defaults_of_a_table_in_postgresql_are_told(postgres):  # noqa: F811
    address = f"{postgres}&table=noted"
    for note in NOTED:
        change(
            postgres,
            "DROP TABLE IF EXISTS noted",
            "CREATE TABLE noted (age TEXT)",
            "INSERT INTO noted VALUES ('7'), ('7'), ('7')",
        )
        assert check_table(address, SCHEMA, 3).holds
        change(postgres, note)
        verdict = check_table(address, SCHEMA, 3)
        assert verdict.is_undecided
        assert "Ann" not in verdict.undecided
    change(
        postgres,
        "DROP TABLE noted",
        "CREATE TYPE listed AS ENUM ('7', 'Ann Smith')",
        "CREATE TABLE noted (age listed)",
        "INSERT INTO noted VALUES ('7'), ('7'), ('7')",
    )
    assert check_table(address, SCHEMA, 3).is_undecided


def test_values_that_files_of_databases_write_in_several_ways_are_told(tmp_path):
    with sqlite3.connect(tmp_path / "house.sqlite") as house:
        house.execute("CREATE TABLE same (age)")
        house.execute("CREATE TABLE apart (age)")
        house.executemany("INSERT INTO same VALUES (?)", [[7]] * 3)
        house.executemany("INSERT INTO apart VALUES (?)", [[7], [7.0], ["7"]])
    with duckdb.connect(str(tmp_path / "house.duckdb")) as house:
        house.execute("CREATE TABLE same AS SELECT 7.5::DOUBLE AS age FROM range(3)")
        house.execute("CREATE TABLE apart (age DOUBLE)")
        house.execute("INSERT INTO apart VALUES ('NaN'), (NULL), ('NaN')")
    for kind in ("sqlite", "duckdb"):
        address = f"{kind}:///{tmp_path}/house.{kind}?table="
        assert check_table(address + "same", SCHEMA, 3).holds
        assert not check_table(address + "apart", SCHEMA, 3).holds
