from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from shoal.anonymize.sets import _transactions
from shoal.anonymize.sets._transactions import (
    code_sets,
    count_combinations,
    fewest_rows,
    generalize,
)
from shoal.errors import ParameterError


def random_sets(rng, n_rows=25, n_items=6):
    rows = [
        ";".join(rng.choice(list("abcdef")[:n_items], rng.integers(0, 5)).tolist())
        for _ in range(n_rows)
    ]
    return rows, code_sets(rows, np.arange(n_rows), ";")


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_combinations_are_counted_as_by_hand(seed, size):
    rows, (names, sets) = random_sets(np.random.default_rng(seed))
    slow = Counter(c for row in rows for c in combinations(sorted({*row.split(";")} - {""}), size))
    found, counts = count_combinations(sets, size)
    fast = {
        tuple(names[item] for item in one): int(n)
        for one, n in zip(found.tolist(), counts, strict=True)
    }
    assert fast == dict(slow)
    assert fewest_rows(sets, size)[-1] == (min(slow.values(), default=0), len(slow))


def test_nodes_are_counted_once_in_a_row():
    _, sets = code_sets(["a;b", "b;c", None], np.arange(3), ";")
    coarse = generalize(sets, np.array([0, 0, 1]))
    assert coarse.items.tolist() == [0, 0, 1]
    assert coarse.start.tolist() == [0, 1, 3, 3]


def test_too_many_combinations_are_refused(monkeypatch):
    monkeypatch.setattr(_transactions, "MOST_COMBINATIONS", 3)
    _, sets = code_sets(["a;b;c;d"], np.arange(1), ";")
    with pytest.raises(ParameterError, match="too many"):
        count_combinations(sets, 3)
