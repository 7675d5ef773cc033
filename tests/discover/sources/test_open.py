"""Every engine gives the searches the same table."""

import csv
import datetime as dt

import duckdb
import numpy as np
import pytest

from shoal.discover import (
    distinct_ratio,
    find_key,
    mask,
    minimal_keys,
    separation_ratio,
    uniqueness,
)
from shoal.discover._sizes import pairs_for_key
from shoal.errors import ParameterError, TableError
from shoal.tables import open_table
from shoal.tables.engines import _duck_rows
from shoal.tables.engines._spark_engine import is_spark
from tests.engines import spark_session
from tests.extras import need

N = 300


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    texts = np.array(["", "CA", "NY", "TX's", "a,b", None], object)
    start = dt.date(1980, 1, 1)
    return {
        "age": [int(x) for x in rng.integers(18, 60, N)],
        "zip": [f"{x:05d}" for x in rng.integers(1, 40, N)],
        "state": texts[rng.integers(1, 6, N)].tolist(),
        "born": [start + dt.timedelta(int(x)) for x in rng.integers(0, 90, N)],
        "pay": [None if x == 0 else int(x) / 4 for x in rng.integers(0, 200, N)],
        "smokes": [bool(x) for x in rng.integers(0, 2, N)],
    }


def _pandas(rows, folder):
    frame = need("pandas").DataFrame(rows)
    frame.index = [7] * len(frame)
    return frame


def _polars(rows, folder):
    return need("polars").DataFrame(rows)


def _lazy(rows, folder):
    return need("polars").LazyFrame(rows)


def _arrow(rows, folder):
    return need("pyarrow").table(rows)


def _relation(rows, folder, connection=None):
    connection = connection or duckdb.connect()
    connection.execute(
        "CREATE TABLE people (age INT, zip TEXT, state TEXT, born DATE, pay DOUBLE, smokes BOOL)"
    )
    connection.executemany(
        "INSERT INTO people VALUES (?,?,?,?,?,?)", list(zip(*rows.values(), strict=True))
    )
    return connection.table("people")


def _parquet(rows, folder):
    path = folder / "people.parquet"
    if not path.exists():
        _relation(rows, folder).write_parquet(str(path))
    return path


def _csv(rows, folder):
    path = folder / "people.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(rows)
        writer.writerows(zip(*rows.values(), strict=True))
    return str(path)


def _spark(rows, folder):
    schema = "age int, zip string, state string, born date, pay double, smokes boolean"
    return spark_session().createDataFrame(list(zip(*rows.values(), strict=True)), schema)


ENGINES = {
    "pandas": _pandas,
    "polars": _polars,
    "polars lazy": _lazy,
    "pyarrow": _arrow,
    "duckdb": _relation,
    "parquet": _parquet,
    "csv": _csv,
    "spark": pytest.param(_spark, marks=pytest.mark.spark),
}


@pytest.fixture(scope="module", params=list(ENGINES.values()), ids=list(ENGINES))
def table(request, rows, tmp_path_factory):
    return request.param(rows, tmp_path_factory.mktemp("people"))


def test_ratios_are_the_same_everywhere(table, rows):
    for columns in (["zip", "state", "smokes"], ["pay", "born"]):
        assert distinct_ratio(table, columns) == distinct_ratio(rows, columns)
    assert separation_ratio(table, ["state", "age"]) == separation_ratio(rows, ["state", "age"])
    pay = [np.nan if x is None else x for x in rows["pay"]]
    bins, columns = {"pay": 20.0, "age": 10}, ["pay", "age", "smokes"]
    expected = separation_ratio({**rows, "pay": pay}, columns, bins=bins)
    assert separation_ratio(table, columns, bins=bins) == expected < 1


def test_exact_searches_are_the_same_everywhere(table, rows):
    expected, found = find_key(rows, duplicates="drop"), find_key(table, duplicates="drop")
    assert (found.attributes, found.ratios) == (expected.attributes, expected.ratios)
    assert found.n_rows == expected.n_rows
    assert any("'pay' holds fractions" in note for note in found.notes)
    assert minimal_keys(table, 3).keys == minimal_keys(rows, 3).keys
    assert mask(table, 0.5).published == mask(rows, 0.5).published
    assert uniqueness(table, 2).sets == uniqueness(rows, 2).sets


def test_sampled_searches_run_everywhere_and_repeat_with_their_seed(table, rows):
    columns = ["age", "zip", "state", "born"]

    def run(table):
        key = find_key(table, "separation", eps=0.05, columns=columns, random_state=5)
        drawn = find_key(table, "distinct", eps=0.6, columns=columns, random_state=5)
        hidden = mask(table, 0.99, "separation", sample=2_000, columns=columns, random_state=5)
        return [
            (key.attributes, key.ratios, key.sample_size, key.sample_unit),
            (drawn.attributes, drawn.ratios, drawn.sample_size),
            (hidden.published, hidden.ratios),
        ]

    first = run(table)
    assert first == run(table)
    assert first[0][2:] == (pairs_for_key(4, 0.05, 0.01), "pairs")
    assert first[1][2] < N
    if not is_spark(table):  # which draws rows where they are, with its own generator
        assert first == run(rows)


def test_a_sample_of_a_file_is_the_rows_whose_places_were_drawn(tmp_path):
    path = tmp_path / "n.parquet"
    duckdb.sql("SELECT range AS i FROM range(1000)").write_parquet(str(path))
    engine = open_table(path)
    for seed in range(5):
        codes = engine.sample_rows(100, np.random.default_rng(seed))[0]
        places = np.random.default_rng(seed).choice(1_000, 100, replace=False, shuffle=False)
        # the codes of a sample count from its least number
        assert (codes == np.sort(places) - places.min()).all()
    assert (engine.sample_rows(9_999, np.random.default_rng(0))[0] == np.arange(1_000)).all()


def test_many_distinct_texts_are_read_without_an_enum(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    duckdb.sql("SELECT 'person ' || range // 2 AS t FROM range(50)").write_parquet(str(path))
    assert distinct_ratio(path) == 0.5
    expected = find_key(path, beta=0.5).ratios
    monkeypatch.setattr(_duck_rows, "_MOST_TEXTS", 3)
    assert find_key(path, beta=0.5).ratios == expected
    monkeypatch.setattr(_duck_rows, "_ABOUT_AS_MANY", 3)
    assert find_key(path, beta=0.5).ratios == expected


def test_what_cannot_be_compared_is_an_error(tmp_path):
    path = tmp_path / "lists.parquet"
    duckdb.sql("SELECT [range] AS l FROM range(3)").write_parquet(str(path))
    with pytest.raises(TableError, match="cannot read a table"):
        distinct_ratio(3)
    assert distinct_ratio(path) == 1.0
    with pytest.raises(TableError, match="'l' holds lists"):
        find_key({"l": np.array([[1], [2, 3], None], object)})


def test_empty_tables_are_an_error(tmp_path):
    path = tmp_path / "none.csv"
    path.write_text("a,b\n")
    with pytest.raises(TableError, match="no rows"):
        find_key(path)
    with pytest.raises(ParameterError, match="no column 'c'"):
        find_key(path, columns=["c"])
