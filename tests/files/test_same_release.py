"""One table gives one release, cell for cell, whatever it came in and wherever it goes."""

import csv
import datetime as dt
import json
import os
import random
import sqlite3
import subprocess
import sys

import duckdb
import pytest
from typer.testing import CliRunner

from shoal.cli import app
from shoal.judge._values import same_value
from shoal.tables import open_table
from tests.extras import need
from tests.files.sas import library, write_sas
from tests.postgres import postgres

__all__ = ["postgres"]

pl = need("polars")
pyarrow = need("pyarrow")

ROWS = 120
SCHEMA = """
columns.name = {role = "identifier"}
columns.age = {role = "quasi-identifier", kind = "numeric"}
columns.sex = {role = "quasi-identifier", hierarchy = "flat"}
columns.admitted.role = "quasi-identifier"
columns.admitted.kind = "date"
columns.admitted.hierarchy = {dates = ["month", "year"]}
columns.cost = {role = "insensitive", kind = "numeric"}
columns.note = {role = "insensitive"}
columns.illness = {role = "sensitive"}
"""


def make_rows():
    draw = random.Random(7)
    return [
        {
            "name": f"P{i:03}",
            "age": draw.choice([None, *range(20, 60)]) if i % 20 else None,
            "sex": draw.choice(["f", "m"]),
            "admitted": dt.date(2024, draw.randint(1, 12), draw.randint(1, 28)),
            "cost": draw.randint(1, 900) / 4 + 0.1,
            "note": draw.choice(["stable", "=1+1", 'said "yes"', "Köln; Ulm", None]),
            "illness": draw.choice(["flu", "cold", "asthma"]),
        }
        for i in range(ROWS)
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("same")
    rows = make_rows()
    (path / "schema.toml").write_text(SCHEMA)
    with (path / "people.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    with (path / "german.csv").open("w", newline="", encoding="cp1252") as file:
        writer = csv.writer(file, delimiter=";", lineterminator="\r\n")
        writer.writerow(rows[0])
        for row in rows:
            told = row | {
                "cost": str(row["cost"]).replace(".", ","),
                "admitted": f"{row['admitted']:%d.%m.%Y}",
                "age": "NA" if row["age"] is None else row["age"],
            }
            writer.writerow(told.values())
    write_others(path, rows)
    release(path, "people.csv", "expected.csv")
    return path


def write_others(path, rows):
    table = pl.DataFrame(rows)
    table.write_parquet(path / "people.parquet")
    table.write_ipc(path / "people.feather")
    told = [row | {"admitted": str(row["admitted"])} for row in rows]
    (path / "people.jsonl").write_text("".join(json.dumps(row) + "\n" for row in told), "utf-8")
    with sqlite3.connect(path / "house.db") as connection:
        connection.execute(f"CREATE TABLE people ({', '.join(rows[0])})")
        connection.execute("CREATE TABLE other (x)")
        places = ", ".join("?" * len(rows[0]))
        connection.executemany(
            f"INSERT INTO people VALUES ({places})", [tuple(row.values()) for row in told]
        )
    connection.close()
    with duckdb.connect(str(path / "people.duckdb")) as base:
        base.register("given", table.to_arrow())
        base.execute("CREATE TABLE people AS FROM given")
    (path / "people.csv.gz").write_bytes(packed((path / "people.csv").read_bytes()))


def packed(content):
    import gzip

    return gzip.compress(content)


def release(folder, source, out, *more):
    before = os.getcwd()
    os.chdir(folder)
    try:
        line = ["anonymize", source, "-s", "schema.toml", "-k", "4", "--method", "mondrian",
                "--order-seed", "3", "-o", out, "-q", *more]  # fmt: skip
        done = CliRunner().invoke(app, line)
    finally:
        os.chdir(before)
    assert done.exit_code == 0, done.output
    return folder / out


def cells(source, **options):
    engine = open_table(source, guess="none", **options)
    return engine.names, engine.query("SELECT * FROM source").fetchall()


def assert_same(folder, found, expected=None):
    names, rows = cells(folder / "expected.csv") if expected is None else expected
    assert found[0] == names
    assert len(found[1]) == len(rows) == ROWS
    for mine, theirs in zip(found[1], rows, strict=True):
        pairs = zip(map(text, mine), map(text, theirs), strict=True)
        assert all(same_value(a, b) for a, b in pairs), (mine, theirs)


def text(value):
    return None if value is None else str(value)


SOURCES = {
    "german.csv": [],
    "people.csv.gz": [],
    "people.parquet": [],
    "people.feather": [],
    "people.jsonl": [],
    "house.db": ["--table", "people"],
    "sqlite:///house.db?table=people": [],
    "people.duckdb": [],
    "duckdb:///people.duckdb?table=main.people": [],
}


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_gives_the_release_of_the_csv_file(folder, source):
    out = release(folder, source, f"from-{abs(hash(source))}.csv", *SOURCES[source])
    options = {"delimiter": ";", "encoding": "cp1252"} if source == "german.csv" else {}
    found = cells(out, **options)
    if source == "german.csv":
        assert out.read_bytes().startswith(b"age;sex;admitted;cost;note;illness\r\n")
        at = found[0].index("cost")
        rows = [(*row[:at], row[at].replace(",", "."), *row[at + 1 :]) for row in found[1]]
        found = (found[0], rows)
    assert_same(folder, found)


@pytest.mark.parametrize("suffix", [".xlsx", ".sav", ".dta", ".xpt", ".sas7bdat"])
def test_workbooks_and_files_of_statistics_give_it_too(folder, suffix):
    rows = make_rows()
    if suffix == ".xlsx":
        openpyxl = need("openpyxl")
        book = openpyxl.Workbook()
        book.active.append(list(rows[0]))
        for row in rows:
            book.active.append(list(row.values()))
        for cell in book.active["F"]:
            cell.data_type = "s"  # `=1+1` is what somebody wrote, not a formula
        book.save(folder / "people.xlsx")
    elif suffix == ".sas7bdat":
        need("pyreadstat")
        write_sas(library(), folder / "people.sas7bdat", rows)
    else:
        pyreadstat, pd = need("pyreadstat"), need("pandas")
        table = pd.DataFrame(rows)
        table["note"] = table["note"].fillna("")
        write = {".sav": "write_sav", ".dta": "write_dta", ".xpt": "write_xport"}[suffix]
        getattr(pyreadstat, write)(table, str(folder / f"people{suffix}"))
    out = release(folder, f"people{suffix}", f"from{suffix[1:]}.csv")
    assert_same(folder, cells(out))


@pytest.mark.parametrize(
    "out",
    ["out.tsv", "out.csv.gz", "out.csv.zst", "out.jsonl", "out.jsonl.gz", "out.xlsx", "out.sqlite",
     "out.duckdb", "out.feather", "out.parquet", "sqlite:///made.db?table=released",
     "duckdb:///made.duckdb?table=released"],
)  # fmt: skip
def test_every_target_holds_the_same_cells(folder, out):
    if out.endswith(".xlsx"):
        need("openpyxl")
    sub = folder / f"to-{abs(hash(out))}"
    sub.mkdir()
    for name in ("people.csv", "schema.toml"):
        (sub / name).write_bytes((folder / name).read_bytes())
    release(sub, "people.csv", out)
    found = read_out(sub, out)
    assert_same(
        folder, (found[0], [tuple(map(unescaped, row)) for row in found[1]]), expected(folder)
    )


def expected(folder):
    names, rows = cells(folder / "expected.csv")
    return names, [tuple(map(unescaped, row)) for row in rows]


def unescaped(value):
    return value[1:] if isinstance(value, str) and value.startswith("'=") else value


def read_out(folder, out):
    before = os.getcwd()
    os.chdir(folder)
    try:
        engine = open_table(out)
        return engine.names, engine_rows(engine)
    finally:
        os.chdir(before)


def engine_rows(engine):
    columns = engine.columns()
    listed = [columns[name].tolist() for name in engine.names]
    return [tuple(map(plain, row)) for row in zip(*listed, strict=True)]


def plain(value):
    if value is None or value != value:
        return None
    return str(value).removesuffix(" 00:00:00")


def test_standard_input_gives_it_too(folder):
    line = [sys.executable, "-c", "from shoal.cli import main; main()", "anonymize", "-",
            "-s", "schema.toml", "-k", "4", "--method", "mondrian", "--order-seed", "3",
            "-o", "-"]  # fmt: skip
    done = subprocess.run(
        line, input=(folder / "people.csv").read_bytes(), capture_output=True, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == (folder / "expected.csv").read_bytes()


def test_a_table_in_postgresql_is_read_and_written(folder, postgres):
    from adbc_driver_postgresql import dbapi

    arrow = pl.DataFrame(make_rows()).to_arrow()
    with dbapi.connect(postgres) as connection, connection.cursor() as cursor:
        cursor.adbc_ingest("people", arrow, mode="create")
        connection.commit()
    target = f"{postgres}&table=released"
    release(folder, f"{postgres}&table=people", target)
    found = read_out(folder, target)
    assert_same(
        folder, (found[0], [tuple(map(unescaped, row)) for row in found[1]]), expected(folder)
    )
    done = CliRunner().invoke(
        app, ["check", target, "-s", str(folder / "schema.toml"), "-k", "4", "--json"]
    )
    assert json.loads(done.stdout)["holds"]
    again = CliRunner().invoke(
        app,
        [
            "anonymize",
            f"{postgres}&table=people",
            "-s",
            str(folder / "schema.toml"),
            "-k",
            "4",
            "-o",
            target,
        ],
    )
    assert again.exit_code == 2
    assert "is there already" in again.output
