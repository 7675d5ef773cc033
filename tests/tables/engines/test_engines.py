"""What every engine in the registry must do; that they agree is in tests/contracts."""

import datetime as dt

import numpy as np
import pytest

from shoal.tables import open_table
from shoal.tables._open import is_table, open_relation
from shoal.tables.engines._engines import ENGINES, find_engine
from tests import engines
from tests.extras import need

ROWS = {
    "age": [30, None, 41],
    "pay": [1.5, 2.0, None],
    "city": ["Ulm", None, "Kiel"],
    "born": [dt.date(1980, 1, 2), None, dt.date(1990, 3, 4)],
    "smokes": [True, False, None],
}


@pytest.mark.parametrize("engine", [*engines.ENGINES, "mapping"])
def test_columns_are_arrays_of_their_own_type_and_masked_where_missing(engine, tmp_path):
    table = ROWS if engine == "mapping" else engines.make(engine, ROWS, tmp_path)
    columns = open_table(table).columns()
    assert {name: [_plain(v) for v in column.tolist()] for name, column in columns.items()} == ROWS


@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_nan_in_a_parquet_file_is_missing(kind, tmp_path):
    # Its statistics leave NaN out, which misleads DuckDB's isnan().
    pyarrow = need("pyarrow")
    path = tmp_path / "table.parquet"
    values = pyarrow.array([39.5, -16.5, float("nan"), None, float("inf")], kind)
    need("pyarrow.parquet").write_table(pyarrow.table({"pay": values}), path)
    (pay,) = open_table(path).columns().values()
    assert pay.tolist() == [39.5, -16.5, None, None, float("inf")]


@pytest.mark.parametrize("engine", [*engines.ENGINES, "mapping"])
def test_every_engine_makes_a_frame_and_writes_columns(engine, tmp_path):
    need("pandas")  # makes a table of columns
    table = ROWS if engine == "mapping" else engines.make(engine, ROWS, tmp_path)
    opened = open_table(table)
    frame = opened.frame()
    assert frame.names == tuple(ROWS)
    assert frame.distinct("city") in (["Ulm", "Kiel"], ["Kiel", "Ulm"])
    out = tmp_path / "written.parquet"
    opened.write(["city", "age"], out)
    written = open_table(out)
    assert (written.names, written.n_rows) == (("city", "age"), 3)


def test_a_frame_can_be_asked_in_sql(tmp_path):
    table = engines.make("pyarrow", ROWS, tmp_path)
    assert open_relation(table).fetch("SELECT count(age) AS n FROM source")["n"][0] == 2


def test_every_engine_is_found_by_its_own_table_only(tmp_path):
    found = {
        find_engine(engines.make(engine, {"a": [1]}, tmp_path)) for engine in ("pandas", "duckdb")
    } | {find_engine({"a": [1]})}
    assert found <= set(ENGINES)
    assert len(found) == 3
    assert not is_table([1, 2])
    assert not is_table(np.zeros((2, 2)))


def test_a_table_that_is_open_is_not_opened_again():
    engine = open_table({"a": [1]})
    assert open_table(engine) is engine


def _plain(value):
    if isinstance(value, dt.datetime):
        return value.date()
    return None if value != value else value
