import datetime as dt
from decimal import Decimal

import duckdb
import pytest

from shoal.judge.packed._ends import are_of_cells
from shoal.judge.packed._parquet_bytes import parquet_doors
from tests.extras import need

pa, parquet = need("pyarrow"), need("pyarrow.parquet")
TOLD = "the least or largest value of a column that no row has"
TOWNS = ["Kiel", "Kiel", "Marl", "Marl"]


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_an_end_that_no_row_has_is_seen_wherever_it_stands(version, tmp_path):
    path = tmp_path / "people.parquet"
    how = {"use_dictionary": False, "write_page_index": True, "compression": "none"}
    parquet.write_table(pa.table({"town": TOWNS}), path, data_page_version=version, **how)
    assert list(parquet_doors(path)) == []
    cells, *ends = path.read_bytes().split(b"Marl\x04\0\0\0Marl")  # those of both rows
    parts = ends[0].split(b"Marl")
    assert len(parts) > 2  # of the column, and of an index
    for place in range(1, len(parts)):
        told = b"Marl".join(parts[:place]) + b"Anna" + b"Marl".join(parts[place:])
        path.write_bytes(cells + b"Marl\x04\0\0\0Marl" + told)
        assert list(parquet_doors(path)) == [TOLD]


VALUES = {
    "truth": [True, False, None],
    "whole": [-5, 2**62, 0],
    "fraction": [-0.0, 0.5, float("nan"), None],
    "text": ["", "é", "Kiel", None, "a text that is longer than what most writers keep " * 9],
    "bytes": [b"", b"\xff\x80"],
    "day": [dt.date(1899, 1, 1), dt.date(2024, 2, 29)],
    "moment": [dt.datetime(1899, 1, 1, 5), dt.datetime(2024, 2, 29, 13, 5, 7, 123456)],
    "time": [dt.time(5), dt.time(13, 5, 7, 123456)],
    "decimal": [Decimal("-1.25"), Decimal("99999.99")],
    "nothing": [None, None],
}
KINDS = {
    "small": pa.array([0, 200], pa.uint8()),
    "unsigned": pa.array([2**64 - 1, 5], pa.uint64()),
    "seconds": pa.array([10**9, -7], pa.timestamp("s")),
    "nanoseconds": pa.array([10**9 + 1000, -7000], pa.timestamp("ns")),
    "days in ms": pa.array([dt.date(2024, 1, 2)] * 2, pa.date64()),
    "long decimal": pa.array([Decimal("-1.5"), Decimal(10) ** 30], pa.decimal128(38, 2)),
    "of 16 bytes": pa.array([b"a" * 16, b"\xff" * 16], pa.binary(16)),
    "half": pa.array([1.5, -2.0], pa.float64()).cast(pa.float16()),
}


@pytest.mark.parametrize(
    ("writer", "name"),
    [
        (writer, name)
        for writer in ("pyarrow", "old", "paged", "polars", "duckdb")
        for name in (*VALUES, *KINDS)
        if (writer, name) != ("duckdb", "half")  # DuckDB has no such numbers
    ],
)
def test_ends_of_values_of_any_kind_are_known(name, writer, tmp_path):
    column = KINDS[name] if name in KINDS else pa.array(VALUES[name])
    table, path = pa.table({"c": column}), tmp_path / "t.parquet"
    if writer == "polars":
        need("polars").from_arrow(table).write_parquet(path, statistics="full")
    elif writer == "duckdb":
        with duckdb.connect() as connection:
            connection.register("made", table)
            connection.execute(f"COPY (SELECT * FROM made) TO '{path}' (FORMAT parquet)")
    else:
        paged = {"write_page_index": True, "data_page_version": "2.0", "row_group_size": 1}
        how = {"pyarrow": {}, "old": {"version": "1.0"}, "paged": paged}[writer]
        parquet.write_table(table, path, **how)
    assert list(parquet_doors(path)) == []


def test_long_texts_may_be_cut_and_nothing_else_may(tmp_path):
    path = tmp_path / "t.parquet"
    long = "a street and a number that are long, 17"
    parquet.write_table(pa.table({"street": [long]}), path)
    for end, fine in {
        long: True,
        long[:35]: True,
        long[:34] + "m": True,
        long[:-1] + "8": False,
        long[:5]: False,
        "somebody else": False,
    }.items():
        assert are_of_cells({end.encode()}, path, (0, 0), 6) is fine
