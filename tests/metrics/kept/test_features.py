import numpy as np

from shoal.metrics.kept._features import make_features
from shoal.metrics.kept._table_pair import read_pair


def test_numbers_are_in_raw_spreads_and_values_beside_the_usual_one():
    raw = {"x": [0.0, 2.0, 4.0, np.nan], "town": ["A", "A", "B", "C"]}
    features = make_features(read_pair(raw, {"x": ["[0-4]", "*"], "town": ["{B, C}", "A"]}).columns)
    assert features.column_of == ("x", "x", "town", "town")
    spread = np.std([0, 2, 4])
    raw_rows = sorted(features.raw.tolist())  # rows are in an order of their own
    expected = [[-2 / spread, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 1], [2 / spread, 0, 1, 0]]
    np.testing.assert_allclose(raw_rows, expected)
    assert sorted(features.released.tolist()) == [[0, 0, 0, 0], [0, 0, 0.5, 0.5]]


def test_rows_to_test_on_get_the_same_features():
    raw = {"x": [0.0, 2.0, 4.0, 6.0], "town": ["A", "A", "B", "C"]}
    test = {"x": [2.0, np.nan], "town": ["D", "B"]}
    made = make_features(read_pair(raw, raw, test=test).columns)
    spread = np.std(raw["x"])
    assert made.test.shape[1] == made.raw.shape[1] == made.released.shape[1]
    rows = sorted(made.test.tolist())
    np.testing.assert_allclose(rows, [[-1 / spread, 0, 0, 0, 1], [-1 / spread, 1, 1, 0, 0]])
