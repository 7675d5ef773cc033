import numpy as np
import pytest

from shoal.anonymize.cuts._growth_kernels import best_split, middle_split
from tests.reference import cuts as twin


@pytest.mark.parametrize("seed", range(40))
def test_codes_are_split_where_the_twin_splits_them(seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 4, (9, 2)) * (rng.random((9, 1)) < 0.8)
    low, high = sorted(rng.choice(9, 2, replace=False).tolist())
    for least in (1, 3, 8):
        rows = counts.sum(axis=1)
        assert middle_split(rows, low, high, least) == twin.middle_split(rows, low, high, least)
        gain, first = best_split(counts, low, high, least)
        expected = twin.best_split(counts, low, high, least)
        assert (gain, first) == (pytest.approx(expected[0]), expected[1])
