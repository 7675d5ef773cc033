import math

import pytest

from shoal import Schema
from shoal.anonymize import FullDomain, Mondrian
from tests import engines
from tests.extras import need

SCHEMA = Schema(
    {"a": {"role": "quasi-identifier"}, "x": {"role": "insensitive", "kind": "numeric"}}
)


@pytest.mark.parametrize("engine", engines.FRAMES)
def test_no_zero_of_a_release_is_negative(engine, tmp_path):
    table = engines.make(engine, {"a": ["b"] * 4, "x": [-0.0, 0.0, -1.5, None]}, tmp_path)
    released = engines.rows(Mondrian(SCHEMA, 2).fit(table).release_.table)
    zeros = [float(x) for _, x in released if x == 0]
    assert [math.copysign(1, zero) for zero in zeros] == [1.0, 1.0]


@pytest.mark.parametrize("role", ["quasi-identifier", "sensitive"])
def test_a_release_of_one_row_fills_no_byte_with_a_truth_value(role, tmp_path):
    pa, table = need("pyarrow"), need("polars").DataFrame({"a": ["b"], "t": [True]})
    schema = Schema({"a": {"role": "quasi-identifier"}, "t": {"role": role}})
    Mondrian(schema, 1).fit(table).release_.write(tmp_path / "r.arrow")
    with pa.memory_map(str(tmp_path / "r.arrow")) as source:
        assert pa.ipc.open_file(source).read_all()["t"].to_pylist() == [True]


def test_a_gap_in_a_row_left_out_decides_no_type_in_memory():
    pd = need("pandas")
    columns = {"a": ["b"] * 4 + ["c"], "x": [1, 2, 3, 4, 5]}
    kinds = set()
    for last in (5, None, 2.5):
        table = pd.DataFrame(columns | {"x": [1, 2, 3, 4, last]})
        made = FullDomain(SCHEMA, 2, max_suppression=0.2).fit(table).release_
        assert made.n_suppressed == 1
        kinds.add(str(made.table["x"].dtype))
    assert kinds == {"int64"}
