import json
from dataclasses import dataclass

import numpy as np

from shoal._plain import to_json, to_plain


@dataclass(frozen=True)
class Point:
    x: float


def test_results_become_plain_values():
    data = {"a": Point(1.5), "b": np.array([1, 2]), "c": {"d": float("nan")}, 4: {7}}
    assert to_plain(data) == {"a": {"x": 1.5}, "b": [1, 2], "c": {"d": None}, "4": [7]}


def test_json_is_strict():
    assert json.loads(to_json([float("inf"), None, True, "ä"])) == [None, None, True, "ä"]
    assert "ä" in to_json("ä")
