import math

import pytest

from shoal import Schema
from shoal.anonymize import Mondrian
from tests import engines

SCHEMA = Schema(
    {"a": {"role": "quasi-identifier"}, "x": {"role": "insensitive", "kind": "numeric"}}
)


@pytest.mark.parametrize("engine", engines.FRAMES)
def test_no_zero_of_a_release_is_negative(engine, tmp_path):
    table = engines.make(engine, {"a": ["b"] * 4, "x": [-0.0, 0.0, -1.5, None]}, tmp_path)
    released = engines.rows(Mondrian(SCHEMA, 2).fit(table).release_.table)
    zeros = [float(x) for _, x in released if x == 0]
    assert [math.copysign(1, zero) for zero in zeros] == [1.0, 1.0]
