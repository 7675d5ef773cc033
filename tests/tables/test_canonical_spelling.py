"""One number or moment that texts write in two ways is one value, on every engine."""

import csv

import duckdb
import pytest

from shoal import Schema
from shoal.anonymize import FullDomain, TopDownSpecialization
from shoal.errors import InfeasibleError
from shoal.privacy import DistinctDiversity, KAnonymity
from shoal.tables import open_table
from shoal.tables._canonical import spelt_twice
from tests.extras import need

pd, pl, pa, pq = map(need, ("pandas", "polars", "pyarrow", "pyarrow.parquet"))

LONG = "9007199254740992.0"  # more digits than are read as a number, so that the column is text
PAY = ["1", "1.0", "01", "+1", "1e3", "1000", "1000.00", "-0.0", "0.0", " 0", "2.50", LONG]
DAYS = ["2024-01-01", "20240101", "2024-01-01 00:00", "2024-01-02", "soon"]


def make(kind, columns, folder):
    match kind:
        case "pandas":
            return pd.DataFrame(columns)
        case "category":
            return pd.DataFrame(columns).astype({"pay": "category"})
        case "polars":
            return pl.DataFrame(columns)
        case "arrow":
            return pa.table(columns)
        case "mapping":
            return columns
        case "duckdb":
            return duckdb.connect().from_arrow(pa.table(columns))
        case "parquet":
            pq.write_table(pa.table(columns), folder / "t.parquet")
            return folder / "t.parquet"
    with open(folder / "t.csv", "w", newline="") as file:
        csv.writer(file).writerows([columns, *zip(*columns.values(), strict=True)])
    return folder / "t.csv"


ENGINES = ("pandas", "category", "polars", "arrow", "mapping", "duckdb", "parquet", "csv")


def schema(role="sensitive"):
    return Schema({
        "age": {"role": "quasi-identifier", "kind": "numeric", "hierarchy": "flat"},
        "pay": {"role": role, "kind": "numeric"},
    })  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
def test_two_texts_of_one_number_are_no_two_values(engine, tmp_path):
    table = make(engine, {"age": [1, 1, 2, 2], "pay": ["1", "1.0", "-0.0", LONG]}, tmp_path)
    counted = open_table(table).compress(schema()).cells.histograms["pay"]
    assert counted.coding.texts.count("1") == 1
    assert len(counted.coding.texts) == 3
    same = make(engine, {"age": [1, 1], "pay": ["1", "1.0"]}, tmp_path)
    with pytest.raises(InfeasibleError):
        FullDomain(schema(), KAnonymity(2) & DistinctDiversity(2)).fit(same)


@pytest.mark.parametrize("role", ["sensitive", "insensitive", "quasi-identifier"])
@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_one_value_is_written_in_one_way(engine, role, tmp_path):
    columns = {"age": [30] * 2 * len(PAY), "pay": PAY * 2}
    release = TopDownSpecialization(schema(role), KAnonymity(2)).fit(
        make(engine, columns, tmp_path)
    ).release_  # fmt: skip
    release.write(tmp_path / "out.csv")
    with open(tmp_path / "out.csv", newline="") as file:
        said = {row["pay"] for row in csv.DictReader(file)}
    numbers = [float(text) for text in said if text[0] not in "[*"]
    assert len(numbers) == len(set(numbers))
    assert role == "quasi-identifier" or len(numbers) == 5


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        ("numeric", PAY[:4], dict.fromkeys(PAY[:4], "1")),
        ("numeric", ["0.10", ".1", "0.1000000000000000055"], {"0.10": "0.1", ".1": "0.1"}),
        ("numeric", ["9007199254740993", "9007199254740992"], {}),
        ("numeric", ["9007199254740993", "9007199254740993.0"],
         dict.fromkeys(["9007199254740993", "9007199254740993.0"], "9007199254740993")),
        ("numeric", ["1", "x", None, "", "NaN"], {}),
        ("numeric", [f"1e-{9**20}", "1e9999999", "1E9999999", "0", "0.0"], {"0": "0", "0.0": "0"}),
        ("numeric", [1, 1.0, "1.0"], {"1": "1", "1.0": "1"}),
        ("date", DAYS, dict.fromkeys(DAYS[:3], "2024-01-01")),
        ("date", ["2024-01-01T00:00+01:00", "2024-01-01T00:00+02:00"], {}),
        ("categorical", PAY, {}),
        ("ordinal", PAY, {}),
    ],
)  # fmt: skip
def test_texts_that_say_the_same(kind, values, expected):
    assert spelt_twice(kind, values) == expected
