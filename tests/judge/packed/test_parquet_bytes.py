import duckdb
import pytest

from shoal import Schema, check_table
from shoal.judge.packed._parquet_bytes import parquet_doors
from tests.extras import need

ROLES = {"age": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}}
ROWS = {"age": [30, 30, 40, 40] * 5, "ill": ["flu", "gout", "flu", None] * 5}


def _footer(data):
    return len(data) - 8 - int.from_bytes(data[-8:-4], "little")


def _pyarrow(path, **how):
    pa = need("pyarrow")
    need("pyarrow.parquet").write_table(pa.table(ROWS), path, **how)


def _polars(path):
    need("polars").DataFrame(ROWS).write_parquet(path)


def _duckdb(path):
    """With filters of the values of each column."""
    pa = need("pyarrow")
    with duckdb.connect() as connection:
        connection.register("made", pa.table(ROWS))
        connection.execute(f"COPY (SELECT * FROM made) TO '{path}' (FORMAT parquet)")


def _in_parts(path):
    _pyarrow(path, row_group_size=6, compression="zstd", write_page_index=True)


def _pages_of_another_kind(path):
    _pyarrow(path, data_page_version="2.0", data_page_size=16, use_dictionary=False)


WRITERS = [_pyarrow, _polars, _duckdb, _in_parts, _pages_of_another_kind]


@pytest.mark.parametrize("write", WRITERS)
def test_bytes_between_pages_and_the_end_are_seen(write, tmp_path):
    path = tmp_path / "t.parquet"
    write(path)
    assert list(parquet_doors(path)) == []
    assert check_table(path, Schema(ROLES), 10).holds
    data = path.read_bytes()
    end = _footer(data)
    path.write_bytes(data[:end] + b"Ann has gout" + data[end:])
    assert list(parquet_doors(path)) == ["bytes that belong to no cell"]
    assert check_table(path, Schema(ROLES), 10).is_undecided


@pytest.mark.parametrize(
    "kind",
    ["i % 50", "(i % 50)::UTINYINT", "(i % 40)::DOUBLE", "(i % 9)::FLOAT",
     "(i % 30)::DECIMAL(9, 2)", "DATE '2024-01-01' + (i % 90)::INT",
     "TIMESTAMP '2024-01-01' + INTERVAL (i % 20) HOUR",
     "'Zürich, a town with a long name' || (i % 30)"],
)  # fmt: skip
def test_filters_are_those_of_values_of_any_kind(kind, tmp_path):
    path = tmp_path / "t.parquet"
    rows = f"SELECT CASE WHEN i % 7 > 0 THEN {kind} END AS age FROM range(3000) r(i)"
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({rows}) TO '{path}' (FORMAT parquet)")
    assert list(parquet_doors(path)) == []


def test_a_filter_that_knows_a_value_that_no_row_has_is_seen(tmp_path):
    path = tmp_path / "t.parquet"
    _duckdb(path)
    data = bytearray(path.read_bytes())
    end = _footer(data)
    at = data.rindex(b"\x00" * 4, 0, end)  # of a filter, the last thing before the end
    data[at] |= 1
    path.write_bytes(data)
    assert list(parquet_doors(path)) == ["a filter that says which values there are"]
    assert check_table(path, Schema(ROLES), 10).is_undecided


def test_pages_behind_those_of_a_column_are_seen(tmp_path):
    """A column that says it has fewer rows than its pages hold."""
    path = tmp_path / "t.parquet"
    _pyarrow(path, use_dictionary=False, compression="none", write_statistics=False)
    data = path.read_bytes()
    wrong = data.replace(b"\x16\x28", b"\x16\x26")  # 20 rows, as the end has them
    assert wrong != data
    path.write_bytes(wrong)
    assert list(parquet_doors(path))
