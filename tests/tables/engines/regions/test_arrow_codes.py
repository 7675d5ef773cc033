"""Values of Arrow columns exchanged for codes, whatever their type."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pytest

from shoal.errors import TableError
from shoal.tables.engines.regions._arrow_codes import ArrowCodes, spark_type
from tests.extras import need

pa = need("pyarrow")

DAY = dt.datetime(2024, 3, 31, 1, 30, tzinfo=dt.UTC)
CASES = [
    (pa.string(), ["", "a'b", "ä", "*"]),
    (pa.int8(), [-3, 0, 7]),
    (pa.int64(), [-(2**63), 2**63 - 1]),
    (pa.float32(), [0.5, -1.25]),
    (pa.float64(), [0.1, 1e300]),
    (pa.decimal128(9, 2), [Decimal("1.50"), Decimal("-2.00")]),
    (pa.bool_(), [True, False]),
    (pa.date32(), [dt.date(1900, 1, 1), dt.date(2024, 2, 29)]),
    (pa.timestamp("us"), [DAY.replace(tzinfo=None)]),
    (pa.timestamp("us", "Europe/Berlin"), [DAY, DAY + dt.timedelta(hours=1)]),
]


@pytest.mark.parametrize(("kind", "values"), CASES, ids=[str(kind) for kind, _ in CASES])
def test_every_value_has_its_own_code_and_missing_another(kind, values):
    rng = np.random.default_rng(0)
    codes = rng.permutation(len(values) + 1).astype(np.int32)
    known = ArrowCodes(pa.array(values, kind), codes)
    drawn = rng.integers(0, len(values) + 1, 50)
    column = pa.array([[*values, None][i] for i in drawn], kind)
    assert known.of(column).tolist() == codes[drawn].tolist()
    parts = pa.chunked_array([column[:20], column[20:]])
    assert known.of(parts).tolist() == codes[drawn].tolist()


def test_moments_are_the_same_in_another_zone():
    known = ArrowCodes(pa.array([DAY], pa.timestamp("us", "UTC")), np.array([4, -1], np.int32))
    column = pa.array([DAY], pa.timestamp("us", "Asia/Tokyo"))
    assert known.of(column).tolist() == [4]
    assert spark_type(column.type) == pa.timestamp("us", "UTC")
    assert spark_type(pa.string()) == pa.string()


def test_a_value_that_was_not_counted_is_never_taken_for_a_missing_one():
    known = ArrowCodes(pa.array(["a"]), np.array([0, 1], np.int32))
    with pytest.raises(TableError, match="other rows each time") as caught:
        known.of(pa.array(["a", None, "Ada Lovelace"]))
    assert "Lovelace" not in str(caught.value)


def test_a_column_without_values_is_missing_throughout():
    known = ArrowCodes(pa.nulls(0), np.array([3], np.int32))
    assert known.of(pa.array([None, None], pa.string())).tolist() == [3, 3]
