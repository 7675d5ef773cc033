"""Adult's eight categorical attributes, in two halves: the tree is that of the pooled table."""

import csv

import numpy as np
import pytest

from shoal.secure import SecureID3, TablePart
from tests.extras import DATA
from tests.reference.id3 import id3, nested

NAMES = [
    "workclass", "education", "marital-status", "occupation", "relationship", "race", "sex",
    "native-country", "class",
]  # fmt: skip
COLUMNS = [1, 3, 5, 6, 7, 8, 9, 13, 14]


@pytest.fixture(scope="module")
def adult():
    path = DATA / "adult" / "adult.data"
    if not path.exists():
        pytest.skip("needs the Adult data in SHOAL_DATA")
    with path.open(newline="") as file:
        rows = [row for row in csv.reader(file, skipinitialspace=True) if len(row) == 15]
    raw = np.array(rows)[:, COLUMNS]
    pairs = [np.unique(column, return_inverse=True) for column in raw.T]
    codes = np.stack([codes for _, codes in pairs], axis=1).astype(np.int32)
    return [values.tolist() for values, _ in pairs], codes


def test_rows_in_two_halves_to_depth_3(both, adult):
    values, codes = adult
    assert codes.shape == (32_561, 9)
    options = {"max_depth": 3, "min_rows": 1000, "terms": 4}

    def half(party, rows):
        return SecureID3("class", **options).fit(TablePart(NAMES, values, rows), party)

    one, two = both(half, (codes[::2],), (codes[1::2],))
    expected, margin = id3(codes, 8, [len(v) for v in values], max_depth=3, min_rows=1000)
    assert nested(one.tree_) == nested(two.tree_) == expected
    assert margin > 4 * 7.2e-5  # so the equality is guaranteed, not luck
    assert one.n_logarithms_ == 3693
