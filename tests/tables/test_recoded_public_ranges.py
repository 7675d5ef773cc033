"""Labels of ranges, for columns with very many values."""

import numpy as np

from shoal.schema import Column
from shoal.schema._coding import make_coding
from shoal.tables._recoded import public_range_labels


def test_single_values_of_a_long_column_keep_their_own_labels():
    # two codes of such a column no longer fit into 32 bits together
    coding = make_coding("n", Column("quasi-identifier", "numeric"), list(range(50_000)))
    low = np.array([0, 49_999, 0, 49_998], np.int32)
    high = np.array([9, 49_999, 9, 49_998], np.int32)
    labels, label = public_range_labels(coding, low, high)
    assert labels.texts == ("[0-9]", "49999", "49998")
    assert label.tolist() == [0, 1, 0, 2]
