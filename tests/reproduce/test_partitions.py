import numpy as np
import pytest

from reproduce import Setup
from reproduce._partitions import pair_chart, release_pairs
from shoal.datasets._dataset import Dataset
from shoal.schema import Column, Schema


@pytest.fixture(scope="module")
def pairs():
    random = np.random.default_rng(0)
    columns = {"age": random.integers(20, 60, 200), "zip": random.integers(0, 90, 200)}
    schema = Schema({name: Column("quasi-identifier", "numeric") for name in columns})
    setup = Setup(True, 0, lambda done, total, what: None)
    return release_pairs(
        setup, Dataset("pairs", columns), schema, {"old": {"age": 1}, "far": {"zip": 1}}, (2, 20)
    )


def test_every_set_of_weights_is_released_beside_plain_at_every_k(pairs):
    assert list(pairs) == ["old", "far"]
    for found in pairs.values():
        for k, pair in zip((2, 20), found, strict=True):
            assert min(pair.plain.groups.sizes.min(), pair.chosen.groups.sizes.min()) >= k
            assert pair.plain.groups.n_rows == pair.chosen.groups.n_rows == 200


def test_measures_speak_of_plain_first(pairs):
    pair = pairs["old"][1]
    general = tuple(float((side.groups.sizes**2).sum()) for side in pair)
    assert pair.general() == general
    plain, chosen = pair.weighted({"age": 1}, overlapping=True)
    assert chosen < plain
    assert not pair.is_raw("age")


def test_values_covered_are_counted_for_every_row(pairs):
    pair = pairs["old"][1]
    for side, covered in zip(pair, pair.covered("age"), strict=True):
        column = side.cells.names.index("age")
        labels, codes = side.labels[column], side.cells.codings[column]
        expected = sum(
            size
            * sum(labels.low[code] <= value <= labels.high[code] for value in range(codes.n_codes))
            for code, size in zip(side.codes[:, column], side.groups.sizes, strict=True)
        )
        assert covered == expected
    plain, chosen = pair.covered("age")
    assert 200 <= chosen < plain


def test_a_chart_has_a_line_for_each_side():
    chart = pair_chart("Figure 1", "Title", "rows", (2, 5), [(10, 8), (30, 20)])
    assert [(line.name, list(line.y)) for line in chart.lines] == [
        ("Mondrian", [10, 30]),
        ("prioritized", [8, 20]),
    ]
