"""The same table for every engine, and released rows read back as plain Python."""

import datetime as dt
import functools
import os
import sys

import duckdb
import pytest

from tests.extras import has_spark, need
from tests.order import SPARK, unit_of

FRAMES = ("pandas", "polars", "polars-lazy", "pyarrow")
ENGINES = (*FRAMES, "duckdb", "csv", "parquet", "spark")


def make(engine, columns, tmp_path):
    """A table in an engine's own form; `columns` maps names to lists (None is missing)."""
    if engine == "pandas":
        pd = need("pandas")
        return pd.DataFrame({name: _pandas(pd, values) for name, values in columns.items()})
    if engine == "polars":
        return need("polars").DataFrame(columns, strict=False)
    if engine == "polars-lazy":
        return need("polars").DataFrame(columns, strict=False).lazy()
    if engine == "pyarrow":
        return need("pyarrow").table(columns)
    if engine == "spark":
        return _spark_frame(columns)
    relation = _relation(columns)
    if engine == "duckdb":
        return relation
    path = tmp_path / f"table.{engine}"
    (relation.write_csv if engine == "csv" else relation.write_parquet)(str(path))
    return str(path)


def rows(table):
    """Rows of a released table as tuples."""
    if isinstance(table, duckdb.DuckDBPyRelation):
        return table.fetchall()
    kind = type(table).__module__.split(".")[0]
    if kind == "pandas":
        pd = need("pandas")
        found = table.astype(object).where(table.notna(), None)
        assert isinstance(found, pd.DataFrame)
        return [tuple(_plain(v) for v in row) for row in found.itertuples(index=False)]
    if kind == "pyspark":
        return [tuple(row) for row in table.collect()]
    if kind == "polars":
        return (table.collect() if hasattr(table, "collect") else table).rows()
    return [tuple(row.values()) for row in table.to_pylist()]


def names(table):
    """Column names of a released table."""
    if type(table).__name__ == "LazyFrame":
        return table.collect_schema().names()
    return list(getattr(table, "column_names", None) or table.columns)


@functools.cache
def spark_session():
    """One local session for all tests."""
    if not has_spark():
        pytest.skip("needs PySpark and Java, which are not both installed")
    test = os.environ.get("PYTEST_CURRENT_TEST", SPARK)  # none in a fuzz run
    assert unit_of(test) == SPARK, f"{test} asks Spark: its file belongs to ASK_SPARK in order.py"
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # whose workers have Shoal, too
    return (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.driver.memory", "1g")
        .getOrCreate()
    )


def count_fetches(monkeypatch):
    """Rows that each fetch from Spark brings to the driver from now on, in a list that grows."""
    from pyspark.sql.classic.dataframe import DataFrame

    counts = []

    def spy(name, count):
        plain = getattr(DataFrame, name)

        def fetch(self, *args, **kwargs):
            found = plain(self, *args, **kwargs)
            counts.append(count(found))
            return found

        monkeypatch.setattr(DataFrame, name, fetch)

    spy("collect", len)
    spy("toArrow", lambda table: table.num_rows)
    spy("toPandas", len)
    for name in ("toLocalIterator", "take", "head", "tail"):
        monkeypatch.setattr(DataFrame, name, None)
    return counts


def _spark_frame(columns):
    kinds = {str: "string", int: "bigint", float: "double", bool: "boolean", dt.date: "date"}
    types = []
    for name, values in columns.items():
        kind = next((type(v) for v in values if v is not None), str)
        types.append(f"`{name}` {kinds[kind]}")
    data = list(zip(*columns.values(), strict=True))
    return spark_session().createDataFrame(data, ", ".join(types)).coalesce(1)


def _relation(columns):
    kinds = {str: "VARCHAR", int: "BIGINT", float: "DOUBLE", bool: "BOOLEAN", dt.date: "DATE"}
    connection = duckdb.connect()
    types = []
    for name, values in columns.items():
        kind = next((type(v) for v in values if v is not None), str)
        types.append(f'"{name}" {kinds[kind]}')
    connection.execute(f"CREATE TABLE t ({', '.join(types)})")
    data = list(zip(*columns.values(), strict=True))
    if data:
        connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(columns))})", data)
    return connection.sql("FROM t")


def _pandas(pd, values):
    kind = next((type(v) for v in values if v is not None), str)
    if kind is dt.date:
        return pd.Series([None if v is None else pd.Timestamp(v) for v in values])
    if kind is int and None in values:
        return pd.Series(values, dtype="Int64")
    return pd.Series(values, dtype=object if kind is str else None)


def _plain(value):
    return value.item() if hasattr(value, "item") else value
