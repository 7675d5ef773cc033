import numpy as np
import pytest

from shoal.anonymize.mondrian._split_kernels import median_code, median_of_few, median_of_some


def nearest_to_median(keys, sizes, wanted, least):
    """Code after which to cut: wanted cuts first, then balance, then the least code."""
    found = []
    for code in range(min(keys), max(keys)):
        left = sum(size for key, size in zip(keys, sizes, strict=True) if key <= code)
        balance = min(left, sum(sizes) - left)
        if balance >= least:
            found.append((wanted[code], balance, -code))
    return -max(found)[2] if found else -1


def case(seed, n, n_codes):
    rng = np.random.default_rng(seed)
    keys = rng.integers(0, n_codes, n).astype(np.int32) // (1 + seed % 3) + seed % 5
    sizes = rng.integers(0, 4, n) if seed % 2 else np.ones(n, np.int64)  # some without rows
    return keys, sizes.astype(np.int64), 1 + seed % 4


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize(("n", "n_codes"), [(2, 50), (7, 90), (60, 700), (90, 2000)])
def test_three_ways_to_the_median_agree_with_the_plain_one(seed, n, n_codes):
    keys, sizes, least = case(seed, n, n_codes)
    low, high = int(keys.min()), int(keys.max())
    if low == high:
        return
    plain = np.zeros(high + 2, np.int64)
    expected = nearest_to_median(keys.tolist(), sizes.tolist(), [False] * (high + 1), least)
    rows, packed = np.zeros((2, max(high + 2, len(keys))), np.int64)
    ends = (low, high, least)
    assert median_code(keys, sizes, plain, *ends, rows) == expected
    assert median_of_few(keys, sizes, plain, *ends, packed) == expected
    assert median_of_some(keys, sizes, *ends, rows, packed) == expected
    assert not rows.any()  # left as they were found


@pytest.mark.parametrize("seed", range(20))
def test_wanted_cuts_go_before_the_median(seed):
    keys, sizes, least = case(seed, 40, 60)
    low, high = int(keys.min()), int(keys.max())
    wanted = np.random.default_rng(seed).random(high + 1) < 0.1
    until = np.append(0, np.cumsum(wanted))
    rows, packed = np.zeros((2, max(high + 2, len(keys))), np.int64)
    expected = nearest_to_median(keys.tolist(), sizes.tolist(), wanted.tolist(), least)
    found = median_code(keys, sizes, until, low, high, least, rows)
    assert found == expected
    # sorted cells name the code that is there, counted ones the wanted code: the sides are equal
    few = median_of_few(keys, sizes, until, low, high, least, packed)
    assert (keys <= few).tolist() == (keys <= found).tolist()
