import numpy as np
import pytest

from shoal.anonymize.numbers._space import make_space
from shoal.schema import Schema
from shoal.tables import open_table

SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "town": {
            "role": "quasi-identifier",
            "hierarchy": {"tree": {"n": ["a", "b"], "s": ["c", "d"]}},
        },
        "mark": {"role": "quasi-identifier", "kind": "ordinal", "order": ["low", "mid", "high"]},
    }
)
PEOPLE = {
    "age": [20, 30, None, 50, 60, 21],
    "town": ["a", "b", "c", "d", "a", "b"],
    "mark": ["low", "mid", "high", "low", "mid", "high"],
}


def test_every_column_spreads_as_its_weight_says():
    cells = open_table(PEOPLE).compress(SCHEMA).cells
    for weights in ([1.0, 0, 0], [0, 1.0, 0], [0, 0, 2.0], [1.0, 2.0, 3.0]):
        points = make_space(cells, cells.codings, np.array(weights))
        assert (cells.sizes @ points) == pytest.approx(0, abs=1e-9)
        assert float((cells.sizes @ points**2).sum()) / 6 == pytest.approx(sum(weights))


def test_values_under_one_node_are_nearer():
    cells = open_table(PEOPLE).compress(SCHEMA).cells
    points = make_space(cells, cells.codings, np.array([0, 1.0, 0]))
    town = cells.codings[1]
    at = {town.texts[key]: point for key, point in zip(cells.keys[:, 1], points, strict=True)}
    near, far = np.linalg.norm(at["a"] - at["b"]), np.linalg.norm(at["a"] - at["c"])
    assert 0 < near < far


def test_a_column_with_one_value_is_no_side():
    cells = open_table({"age": [30, 30]}).compress(Schema({"age": SCHEMA["age"]})).cells
    assert not make_space(cells, cells.codings, np.ones(1)).any()


def test_numbers_that_are_too_far_apart_are_placed_by_their_order():
    schema = Schema({"age": SCHEMA["age"]})
    cells = open_table({"age": [-1.5e308, 0.0, 1.5e308]}).compress(schema).cells
    points = make_space(cells, cells.codings, np.ones(1)).ravel()
    assert np.diff(points) == pytest.approx(np.sqrt(1.5))
