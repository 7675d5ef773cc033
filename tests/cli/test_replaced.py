"""A result never takes the place of the table that it is made of, whatever that is called."""

import sqlite3

import duckdb
import pytest
from typer.testing import CliRunner

from shoal.cli import app
from shoal.cli._replaced import replaces

SCHEMA = 'columns.age = {role = "quasi-identifier", kind = "numeric"}\n'
ROWS = [(20 + i % 4,) for i in range(12)]
SAME = [
    ("sqlite:///house.db?table=people", "sqlite:///house.db?table=people"),
    ("sqlite:///house.db?table=people", "sqlite:///./house.db?table=PEOPLE"),
    ("sqlite:///house.db", "sqlite:///house.db?table=people"),
    ("house.db", "sqlite:///house.db?table=people"),
    ("house.duckdb", "duckdb:///house.duckdb?table=main.people"),
    ("duckdb:///house.duckdb?table=people", "duckdb:///house.duckdb?table=People"),
    ("duckdb:///house.duckdb?table=people", "house.duckdb"),
    ("house.duckdb", "./house.duckdb"),
]


@pytest.fixture
def house(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with sqlite3.connect("house.db") as one, duckdb.connect("house.duckdb") as other:
        for connection in (one, other):
            connection.execute("CREATE TABLE people (age INTEGER)")
            connection.executemany("INSERT INTO people VALUES (?)", ROWS)
    one.close()
    (tmp_path / "s.toml").write_text(SCHEMA)
    (tmp_path / "people.csv").write_text("age\n" + "".join(f"{age}\n" for (age,) in ROWS))


def rows_left():
    with sqlite3.connect("house.db") as one, duckdb.connect("house.duckdb") as other:
        left = [c.execute("SELECT age FROM people").fetchall() for c in (one, other)]
    one.close()
    return left


def run(*line):
    return CliRunner().invoke(app, [*line])


@pytest.mark.parametrize(("table", "out"), SAME)
def test_the_raw_table_stays(house, table, out):
    done = run("anonymize", table, "-s", "s.toml", "-k", "3", "-o", out, "--force")
    assert done.exit_code == 2
    assert "what this is made of" in done.stderr
    assert rows_left() == [ROWS, ROWS]


def test_another_table_of_the_same_database_is_written(house):
    for out in ("sqlite:///house.db?table=released", "sqlite:///house.db?table=released"):
        made = run("anonymize", "sqlite:///house.db?table=people", "-s", "s.toml", "-k", "3",
                   "-o", out, "--force")  # fmt: skip
        assert made.exit_code == 0, made.output
    assert "released (in the database)" in made.stdout
    assert rows_left() == [ROWS, ROWS]


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ("postgresql://bob@localhost:5432/house?table=public.people", True),
        ("postgres:///house?host=/run/postgresql&table=people", True),
        ("postgresql://localhost/house?port=5433&table=people", False),
        ("postgresql://127.0.0.1/house?table=ward.people", False),
        ("postgresql://127.0.0.1/house?table=People", False),
        ("postgresql://far.example.org/house?table=people", False),
        ("postgresql://localhost/homes?table=people", False),
    ],
)
def test_a_server_has_several_names(other, same):
    assert replaces(other, "postgresql://ann:secret@127.0.0.1/house?table=people") == same


@pytest.mark.parametrize(
    "line",
    [
        ("apply", "r.private/recoding.json", "people.csv"),
        ("perturb", "people.csv", "-s", "s.toml", "--noise", "age=0.5"),
        ("sets", "people.csv", "-s", "s.toml", "--km", "2,2"),
    ],
)
def test_commands_that_write_files_say_so(house, line):
    made = run("anonymize", "people.csv", "-s", "s.toml", "-k", "3", "-o", "r.csv")
    assert made.exit_code == 0, made.output
    done = run(*line, "-o", "sqlite:///house.db?table=released")
    assert done.exit_code == 2
    assert "this command writes files" in done.stderr


def test_a_table_in_a_database_is_not_copied_to_a_folder(house, tmp_path):
    line = ["-s", "s.toml", "-k", "3", "-o", "sqlite:///house.db?table=released"]
    done = run("anonymize", "people.csv", *line, "--publish", "out")
    assert done.exit_code == 2
    assert "publishing copies files" in done.stderr
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == ["house.db", "house.duckdb", "people.csv", "s.toml"]


def test_a_port_that_is_none_is_the_servers_to_refuse():
    there = "postgresql://localhost:abc/house?table=people"
    assert replaces(there, there)
    assert not replaces(there, "postgresql://localhost/house?table=people")
    assert replaces("postgresql://localhost:5432/h?table=a", "postgresql://127.0.0.1/h?table=a")
