import pytest

from shoal import Schema, check_table
from shoal.judge.packed._arrow_messages import message_doors
from tests.extras import need

ROLES = {"age": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}}
ROWS = {"age": [30, 30, 40, 40] * 5, "ill": ["flu", "gout", "flu", None] * 5}


def _pyarrow(path):
    need("pyarrow.feather").write_feather(
        need("pyarrow").table(ROWS), path, compression="uncompressed"
    )


def _packed(path):
    need("pyarrow.feather").write_feather(need("pyarrow").table(ROWS), path, compression="lz4")


def _categories(path):
    pa = need("pyarrow")
    table = pa.table({"age": ROWS["age"], "ill": pa.array(ROWS["ill"]).dictionary_encode()})
    need("pyarrow.feather").write_feather(table, path, compression="uncompressed")


def _polars(path):
    need("polars").DataFrame(ROWS).write_ipc(path)


@pytest.mark.parametrize("write", [_pyarrow, _packed, _categories, _polars])
def test_bytes_that_belong_to_no_row_are_seen(write, tmp_path):
    path = tmp_path / "t.arrow"
    write(path)
    assert list(message_doors(path)) == []
    assert check_table(path, Schema(ROLES), 10).holds
    data = path.read_bytes()
    end = len(data) - 10 - int.from_bytes(data[-10:-6], "little")
    path.write_bytes(data[:end] + b"Ann has gout" + data[end:])
    assert list(message_doors(path)) == ["bytes that belong to no row"]
    assert check_table(path, Schema(ROLES), 10).is_undecided


def test_rows_that_the_end_does_not_list_are_seen(tmp_path):
    pa = need("pyarrow")
    path = tmp_path / "t.arrow"
    table = pa.table(ROWS)
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
        writer.write_table(table.slice(0, 1))
    data = bytearray(path.read_bytes())
    end = len(data) - 10 - int.from_bytes(data[-10:-6], "little")
    count = data.index(b"\x02\x00\x00\x00", end)  # of two parts one is listed
    data[count] = 1
    path.write_bytes(data)
    assert pa.ipc.open_file(path).num_record_batches == 1
    assert list(message_doors(path)) == ["bytes that belong to no row"]
