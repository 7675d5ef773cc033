import random
import warnings

import duckdb
import pytest

from shoal.anonymize import Mondrian
from shoal.errors import TableWarning
from shoal.schema import Schema
from shoal.schema._days import MONTH_NAMES, read_day
from shoal.tables import open_table
from shoal.tables._engine import OpenOptions
from shoal.tables.engines._duck_connection import value_sql
from shoal.tables.engines.formats.text._types import cell_sql, read_column

SIGNS = "0123456789.,-eE/: T'"
NAMES = [name for names in MONTH_NAMES for name in names] + ["ward", "Monat"]


def random_texts(draw, count):
    shapes = [
        lambda: str(draw.randint(-500, 5000)),
        lambda: f"{draw.randint(-9, 99)}.{draw.randint(0, 999)}",
        lambda: f"{draw.randint(1, 99)},{draw.randint(0, 99)}",
        lambda: f"{draw.randint(1, 99)}.{draw.randint(100, 999)},{draw.randint(0, 9)}",
        lambda: f"{draw.randint(1990, 2030)}-{draw.randint(1, 13)}-{draw.randint(1, 31)}",
        lambda: f"{draw.randint(1, 31)}.{draw.randint(1, 12)}.{draw.randint(1990, 2030)}",
        lambda: f"{draw.randint(1, 31)}/{draw.randint(1, 12)}/2024 {draw.randint(0, 23)}:05",
        lambda: f"{draw.randint(1, 31):02}-{draw.randint(1, 13)}-{draw.randint(0, 99):02}",
        lambda: f"{draw.randint(1, 31)}.{draw.randint(1, 12)}.{draw.choice([4, 29, 30, 2024]):02}",
        lambda: f"{draw.randint(1, 31)}/{draw.randint(1, 12)}/24 {draw.randint(0, 13)}:05 pm",
        lambda: f"2024-02-{draw.randint(1, 30)} {draw.randint(1, 12)}:05:09{draw.choice('aP')}.M.",
        lambda: f"{draw.choice(['', '-'])}${draw.randint(0, 9)},{draw.randint(100, 999)}.5",
        lambda: f"{draw.randint(-9, 99)},{draw.randint(0, 99)}{draw.choice([' ', ''])}%",
        lambda: f"{draw.randint(1, 31)} {draw.choice(NAMES)} {draw.randint(1990, 2030)}",
        lambda: f"{draw.choice(NAMES)} {draw.randint(1, 31)}, 2024 {draw.randint(0, 23)}:05",
        lambda: f"{draw.randint(1, 31)}-{draw.choice(NAMES).upper()}-{draw.randint(0, 99):02}",
        lambda: f"2024-{draw.choice(NAMES)}-{draw.randint(1, 31)} {draw.randint(0, 13)}:05 PM",
        lambda: draw.choice(["true", "FALSE", "0", "-0", "007", "1e5", ".5", "5.", "9" * 19, "+5"]),
        lambda: "".join(draw.choices(SIGNS, k=draw.randint(1, 8))).strip(),
    ]
    shape = draw.choice(shapes)
    return {text for text in (shape() for _ in range(count)) if text}


def test_sql_and_python_agree_on_what_fits_a_reading():
    """What Python tells of a few values, DuckDB says of each of them, and reads the value."""
    draw = random.Random(5)
    with duckdb.connect() as connection:
        for _ in range(150):
            texts = random_texts(draw, draw.randint(1, 4))
            reading = read_column(texts)
            for text in texts - set(reading.missing):
                asked = cell_sql(reading, 0)
                fits, value = connection.sql(
                    f"SELECT {asked.fits}, {asked.value} FROM (SELECT {value_sql(text)} AS p0)"
                ).fetchall()[0]
                assert fits, (text, reading)
                assert value is not None, (text, reading)


def test_what_does_not_fit_alone_is_not_let_in_by_sql():
    draw = random.Random(6)
    refused = 0
    with duckdb.connect() as connection:
        for _ in range(150):
            reading = read_column(random_texts(draw, 3))
            text = next(iter(random_texts(draw, 1)), "x")
            fits = connection.sql(
                f"SELECT coalesce({cell_sql(reading, 0).fits}, FALSE) "
                f"FROM (SELECT {value_sql(text)} AS p0)"
            ).fetchall()[0][0]
            is_value = text.lower() not in reading.missing
            if fits and is_value and reading.sort not in ("text", "empty"):
                grouped = reading.sort.startswith("grouped")
                told = OpenOptions(
                    decimal=reading.decimal if grouped or reading.sort == "number" else None,
                    thousands=reading.thousands if grouped else None,
                    dates=reading.order if reading.order in ("dmy", "mdy") else None,
                )
                alone = read_column({text}, told)
                assert alone.unit == reading.unit, (text, reading)
                assert alone.sort != "text", (text, reading)
            refused += not fits
    assert refused > 20


@pytest.mark.parametrize("late", ["x", "1.5", "NA", "2024-01-01", "1,5"])
def test_a_late_value_changes_what_a_column_is(tmp_path, late):
    path = tmp_path / "late.csv"
    path.write_text("a;b\n" + "1;x\n" * 6000 + f"{late};y\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        engine = open_table(path)
    expected = "text" if late in ("x", "2024-01-01") else "number"
    assert engine.types["a"] == expected
    assert engine.distinct("a")[1] == (late == "NA")
    assert engine.n_rows == 6001


def test_a_late_date_settles_what_comes_first(tmp_path):
    path = tmp_path / "late.csv"
    path.write_text("day\n" + "01/02/2024\n" * 6000 + "25/12/2024\n")
    engine = open_table(path)
    assert engine.types == {"day": "date"}
    assert {str(day) for day in engine.distinct("day")[0]} == {"2024-02-01", "2024-12-25"}


def test_one_column_settles_the_decimals_of_another(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x;y\n1,234;1,5\n2,345;2,25\n")
    assert sorted(open_table(path).distinct("x")[0]) == [1.234, 2.345]
    path.write_text("x;y\n1.234;1,5\n2.345;2,25\n")
    assert sorted(open_table(path).distinct("x")[0]) == [1234, 2345]


def test_na_among_codes_of_countries_is_namibia(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("age,land\nNA,NA\n31,DE\n32,FR\n33,IT\n34,ES\n35,GB\n")
    engine = open_table(path)
    assert engine.distinct("age")[1]
    assert "NA" in engine.distinct("land")[0]


@pytest.mark.parametrize("late", ["11-1-01", "1-11-1", "-044-1-1", "+044-1-1"])
def test_a_late_day_without_a_full_year_is_no_day_of_antiquity(tmp_path, late):
    path = tmp_path / "late.csv"
    path.write_text("day,b\n" + "2024-02-03,x\n" * 6000 + f"{late},y\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert open_table(path).types["day"] == "text"


WITH_UNITS = 'share;pay;rent\n12,5 %;"$1,234.50";1.234,50 €\n7%;-$5;9 €\nNA;;10 €\n'


def test_numbers_beside_their_unit_are_numbers(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(WITH_UNITS)
    with pytest.warns(TableWarning, match="the numbers beside the unit") as said:
        engine = open_table(path)
    assert [str(each.message)[:50] for each in said][1].startswith("column 'pay': ")
    assert len(said) == 3
    assert set(engine.types.values()) == {"number"}
    assert sorted(engine.distinct("share")[0]) == [7, 12.5]
    assert sorted(engine.distinct("pay")[0]) == [-5, 1234.5]
    assert sorted(engine.distinct("rent")[0]) == [9, 10, 1234.5]
    assert engine.titles["share"] == "in %"


def test_ages_with_their_unit_are_numbers_also_where_one_is_a_year(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("age;stay\n" + "34 years;3 days\n9 yrs;1 day\n" * 3000 + "1 year;2d\n")
    with pytest.warns(TableWarning, match="beside the unit (years|days)"):
        engine = open_table(path)
    assert set(engine.types.values()) == {"number"}
    assert sorted(engine.distinct("age")[0]) == [1, 9, 34]
    assert sorted(engine.distinct("stay")[0]) == [1, 2, 3]


@pytest.mark.parametrize("late", ["12", "12 €", "% 12", "12 % or so"])
def test_a_late_cell_without_the_unit_leaves_all_of_them_texts(tmp_path, late):
    path = tmp_path / "a.csv"
    path.write_text("share;b\n" + "11 %;x\n12 %;y\n" * 3000 + f"{late};z\n")
    engine = open_table(path)
    assert engine.types["share"] == "text"
    assert late in engine.distinct("share")[0]


def test_a_release_has_the_numbers_alone_and_is_judged_by_the_source(tmp_path):
    raw, out = tmp_path / "a.csv", tmp_path / "out.csv"
    rows = [f"{30 + i % 3};{i % 3},5 %;{i}.000,25 €\n" for i in range(1, 10)]
    raw.write_text("age;share;rent\n" + "".join(rows))
    schema = Schema(
        {
            "age": {"role": "quasi-identifier", "kind": "numeric"},
            "share": {"role": "quasi-identifier", "kind": "numeric"},
            "rent": {"role": "sensitive", "kind": "numeric"},
        }
    )
    with pytest.warns(TableWarning, match="beside the unit"):
        Mondrian(schema, 3).fit(raw).release_.write(out)
    found = out.read_text("utf-8")
    assert "%" not in found
    assert "€" not in found
    assert "9000,25" in found


def test_days_with_names_of_months_are_the_same_in_sql_and_python():
    days = [f"{at}. {name} 20{at}" for at, name in enumerate(NAMES[:-2], 10) if at < 29]
    days += [f"{name.capitalize()}. 7th, 1999" for name in NAMES[:-2]]
    days += [f"{at}{name[:3]}{at}" for at, name in ((11, "jan"), (30, "oct"), (29, "dez"))]
    reading = read_column(days)
    assert (reading.sort, reading.named, reading.short) == ("date", True, True)
    value = cell_sql(reading, 0).value
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t (p0 VARCHAR)")
        connection.executemany("INSERT INTO t VALUES (?)", [(day,) for day in days])
        read = [day for (day,) in connection.sql(f"SELECT {value} FROM t").fetchall()]
    assert read == [read_day(day) for day in days]
    assert None not in read
