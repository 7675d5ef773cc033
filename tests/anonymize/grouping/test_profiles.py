import numpy as np

from shoal.anonymize.grouping._profiles import value_counts, value_profiles
from shoal.schema import Schema
from shoal.tables import open_table

TABLE = {
    "town": ["a"] * 30 + ["b"] * 30 + ["c"] * 30,
    "sex": ["f"] * 28 + ["m"] * 2 + ["f"] * 27 + ["m"] * 3 + ["m"] * 30,
    "ill": ["x"] * 30 + ["y"] * 60,
}
SCHEMA = Schema(
    {
        "town": {"role": "quasi-identifier"},
        "sex": {"role": "quasi-identifier"},
        "ill": {"role": "sensitive", "target": True},
    }
)


def test_profiles_are_near_where_company_is_alike():
    cells = open_table(TABLE).compress(SCHEMA).cells
    assert value_counts(cells, 0).tolist() == [30, 30, 30]
    a, b, c = value_profiles(cells, 0)
    assert np.linalg.norm(a - b) < 0.2 < np.linalg.norm(a - c)
    a, b, c = value_profiles(cells, 0, "ill")
    assert np.linalg.norm(b - c) < 1e-9 < np.linalg.norm(a - b)
