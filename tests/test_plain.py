import json
from dataclasses import dataclass

import numpy as np
import pytest

from shoal._plain import pack, to_json, to_plain, unpack_numbers


@dataclass(frozen=True)
class Point:
    x: float


def test_results_become_plain_values():
    data = {"a": Point(1.5), "b": np.array([1, 2]), "c": {"d": float("nan")}, 4: {7}}
    assert to_plain(data) == {"a": {"x": 1.5}, "b": [1, 2], "c": {"d": None}, "4": [7]}


def test_json_is_strict():
    assert json.loads(to_json([float("inf"), None, True, "ä"])) == [None, None, True, "ä"]
    assert "ä" in to_json("ä")


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.float64, np.bool_])
@pytest.mark.parametrize("shape", [(4,), (60_000,), (20_000, 3)])
def test_numbers_come_back_however_many_there_are(kind, shape):
    array = np.random.default_rng(0).integers(0, 2, shape).astype(kind)
    said = json.loads(json.dumps(pack(array)))
    assert isinstance(said, dict) == (array.size > 10_000)
    back = unpack_numbers(said, kind)
    assert back.dtype == kind
    assert (back == array).all()


def test_missing_numbers_come_back_and_damaged_ones_are_refused():
    many = np.where(np.arange(20_000) % 3, 0.5, np.nan)
    np.testing.assert_array_equal(unpack_numbers(pack(many), np.float64), many)
    np.testing.assert_array_equal(unpack_numbers(pack(many, False), np.float64), many)
    packed = pack(many)
    for damage in ({"type": "object"}, {"base64": "%"}, {"shape": [7]}):
        with pytest.raises(ValueError, match=r"."):
            unpack_numbers(packed | damage, np.float64)
