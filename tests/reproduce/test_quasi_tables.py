from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest

from reproduce._quasi_tables import ADULT, adult_table, count_distinct, planted_table
from shoal.discover.sources._partition import CodeTable
from shoal.errors import DataNotFoundError


def brute(codes: np.ndarray, columns: Sequence[int]) -> int:
    return len({tuple(row) for row in codes[list(columns)].T.tolist()})


@pytest.mark.parametrize("seed", range(5))
def test_distinct_combinations_are_those_of_a_set(seed):
    codes = np.random.default_rng(seed).integers(0, 3, (4, 30)).astype(np.int32)
    table = CodeTable(("a", "b", "c", "d"), codes)
    for columns in ([0], [1, 3], [0, 1, 2], [3, 2, 1, 0]):
        assert count_distinct(table, columns) == brute(codes, columns)


def test_rows_of_adult_are_all_different():
    try:
        table = adult_table()
    except DataNotFoundError as error:
        pytest.skip(str(error))
    assert table.names == ADULT
    assert count_distinct(table, range(14)) == table.n_rows == 29_096


@pytest.mark.parametrize(("key_size", "n_values"), [(1, 5), (2, 4), (3, 3)])
def test_a_planted_key_is_the_smallest(key_size, n_values):
    table = planted_table(key_size, n_values, 4, seed=key_size)
    n_rows = n_values**key_size
    assert table.codes.shape == (key_size + 4, n_rows)

    def is_key(columns):
        return brute(table.codes, columns) == n_rows

    every = range(table.n_columns)
    assert any(is_key(columns) for columns in combinations(every, key_size))
    for fewer in range(1, key_size):
        assert not any(is_key(columns) for columns in combinations(every, fewer))
