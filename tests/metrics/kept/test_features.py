import numpy as np

from shoal.metrics.kept._features import make_features
from shoal.metrics.kept._table_pair import read_pair


def test_numbers_are_in_raw_spreads_and_values_beside_the_usual_one():
    raw = {"x": [0.0, 2.0, 4.0, np.nan], "town": ["A", "A", "B", "C"]}
    features = make_features(read_pair(raw, {"x": ["[0-4]", "*"], "town": ["{B, C}", "A"]}).columns)
    assert features.column_of == ("x", "x", "town", "town")
    spread = np.std([0, 2, 4])
    np.testing.assert_allclose(features.raw[:, 0], np.array([-2, 0, 2, 0]) / spread)
    assert features.raw[:, 1].tolist() == [0, 0, 0, 1]
    assert features.released.tolist() == [[0, 0, 0.5, 0.5], [0, 0, 0, 0]]
