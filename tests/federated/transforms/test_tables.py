import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from polars.testing import assert_frame_equal

from shoal.errors import SchemaError, TableError
from shoal.federated import AliasTable, GradedRanges, KeyTransformer, TransformKey, decode, encode
from shoal.tables import open_table
from tests.engines import make, rows

TABLE = pl.DataFrame(
    {
        "age": [15, 30, 58, 90, 73],
        "dose": [0.25, None, 1.5, 2.0, 1.99],
        "disease": ["flu", "it's \\ odd", None, "flu", "cold"],
        "zip": [1234, 99, 1234, 5, 5],
        "smoker": [True, False, True, True, False],
        "ward": ["a", "b", "c", "d", "e"],
    }
)
LIBRARIES = {
    "polars": lambda t: t,
    "polars lazy": lambda t: t.lazy(),
    "pandas": lambda t: t.to_pandas(),
    "pandas arrow": lambda t: t.to_pandas(use_pyarrow_extension_array=True),
    "pandas category": lambda t: t.to_pandas().astype({"disease": "category"}),
    "pyarrow": lambda t: t.to_arrow(),
    "duckdb": lambda t: duckdb.from_arrow(t.to_arrow()),
}


def encode_all(table, key):
    """With all other columns passed on."""
    others = [name for name in open_table(table).names if name not in key.columns]
    return encode(table, key, clear=others)


@pytest.fixture
def key():
    return TransformKey.create(
        {
            "age": GradedRanges.uniform(15, 90, 5),
            "dose": GradedRanges.from_breaks([0, 0.5, 2], decimals=2),
            "disease": AliasTable.random(["flu", "cold", "it's \\ odd"], "Illness"),
            "zip": AliasTable.random([5, 99, 1234], "zip"),
            "smoker": AliasTable.random([True, False], "smoker"),
        }
    )


def as_polars(table):
    if isinstance(table, pl.LazyFrame):
        return table.collect()
    if isinstance(table, pd.DataFrame):
        return pl.from_pandas(table)
    if isinstance(table, duckdb.DuckDBPyRelation):
        table = table.to_arrow_table()
    return pl.from_arrow(table) if isinstance(table, pa.Table) else table


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_library_encodes_alike_and_decodes_exactly(key, library):
    native = LIBRARIES[library](TABLE)
    encoded = encode_all(native, key)
    assert isinstance(encoded, type(native))
    assert_frame_equal(as_polars(encoded), encode_all(TABLE, key), check_exact=True)
    decoded = decode(encoded, key)
    assert_frame_equal(as_polars(decoded), TABLE, check_exact=True)


def test_the_callers_table_is_not_changed(key):
    frame = TABLE.to_pandas()
    before = frame.copy()
    encode_all(frame, key)
    pd.testing.assert_frame_equal(frame, before)


def test_published_values_are_those_of_the_columns(key):
    encoded = encode_all(TABLE, key)
    np.testing.assert_array_equal(
        encoded["age"].to_numpy(), key.columns["age"].encode(TABLE["age"].to_numpy())
    )
    aliases = key.columns["disease"].to_alias
    assert encoded["disease"].to_list()[:2] == [aliases["flu"], aliases["it's \\ odd"]]
    assert encoded["ward"].to_list() == TABLE["ward"].to_list()


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"age": [14, 30, 58, 90, 73]}, "'age': 1 of 5 values lie outside"),
        ({"dose": [0.255, 1.0, 1.0, 1.0, 1.0]}, "'dose': 1 of 5 values have more than 2 decimals"),
        ({"disease": ["gout"] * 5}, "'disease': categories without an alias: 'gout'"),
        ({"age": ["x"] * 5}, "'age' is graded by the key but is not numeric"),
    ],
)
def test_what_the_key_does_not_know_is_refused(key, change, match):
    bad = TABLE.with_columns(**{n: pl.Series(v) for n, v in change.items()})
    with pytest.raises(SchemaError, match=match):
        encode_all(bad, key)


@pytest.mark.parametrize(
    "change", [{"age": [14, 30, 58, 90, 73]}, {"dose": [0.255] * 5}, {"disease": ["gout"] * 5}]
)
def test_a_lazy_table_stops_the_query_that_meets_a_foreign_value(key, change):
    bad = TABLE.with_columns(**{n: pl.Series(v) for n, v in change.items()})
    lazy = encode_all(duckdb.from_arrow(bad.to_arrow()), key)
    with pytest.raises(duckdb.Error, match="cannot be transformed"):
        lazy.fetchall()


def test_missing_columns_are_named(key):
    with pytest.raises(SchemaError, match="missing from the table: 'dose', 'zip'"):
        encode_all(TABLE.drop("dose", "zip"), key)
    partly = encode_all(TABLE, key).select("ward", "zip")
    assert decode(partly, key)["zip"].to_list() == TABLE["zip"].to_list()
    with pytest.raises(SchemaError, match="none of the key's columns"):
        decode(TABLE.select("ward"), key)
    with pytest.raises(TableError, match="cannot read a table from list"):
        encode_all([1, 2], key)


def test_another_key_cannot_decode(key):
    other = TransformKey.create({"disease": AliasTable.random(["flu"], "Other")})
    with pytest.raises(SchemaError, match="not aliases of this key"):
        decode(encode_all(TABLE, key), other)


def test_transformer_is_an_estimator(key):
    transformer = KeyTransformer(key)
    encoded = transformer.fit_transform(TABLE)
    assert transformer.fingerprint_ == key.fingerprint
    assert transformer.inverse_transform(encoded).equals(TABLE)


def test_an_empty_table_stays_empty(key):
    assert decode(encode_all(TABLE.head(0), key), key).height == 0


@pytest.mark.spark
def test_spark_encodes_alike_and_decodes_exactly(key, tmp_path):
    columns = {name: TABLE[name].to_list() for name in TABLE.columns}
    columns["disease"] = ["flu", "it's", None, "flu", "cold"]
    key = TransformKey.create(
        {**key.columns, "disease": AliasTable.random(["flu", "cold", "it's"], "Illness")}
    )
    spark = make("spark", columns, tmp_path)
    encoded = encode_all(spark, key)
    assert rows(encoded) == encode_all(pl.DataFrame(columns), key).rows()
    assert rows(decode(encoded, key)) == pl.DataFrame(columns).rows()
    bad = make("spark", {**columns, "age": [14, 30, 58, 90, 73]}, tmp_path)
    with pytest.raises(Exception, match="cannot be transformed"):
        encode_all(bad, key).collect()
