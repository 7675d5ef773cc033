from collections import Counter
from itertools import product
from math import log2, prod

import numpy as np
import pytest

from shoal.errors import ParameterError
from shoal.metrics._marginals import marginal_divergence, marginal_divergences
from shoal.metrics._measure import released_raw
from tests.metrics.tables import RAW, random_release


def divergence(rows, columns):
    """Spread every row over what its labels may stand for, value by value."""
    domain = [RAW[j] for j in columns]
    read = Counter()
    for _, sets in rows:
        sets = [set(values) for values in domain] if sets is None else [sets[j] for j in columns]
        for values in product(*sets):
            read[values] += 1 / prod(map(len, sets))
    true = Counter(tuple(raw[j] for j in columns) for raw, _ in rows)
    return sum(n / len(rows) * log2(n / read[values]) for values, n in true.items())


@pytest.mark.parametrize("seed", range(20))
def test_agrees_with_spreading_rows_one_by_one(seed):
    recoded, rows, _ = random_release(np.random.default_rng(seed))
    names = recoded.cells.names
    for order in (1, 2, 3):
        found = marginal_divergences(recoded, order)
        for columns, value in found.items():
            expected = divergence(rows, [names.index(name) for name in columns])
            assert value == pytest.approx(expected, abs=1e-9)


def test_a_raw_table_diverges_from_nothing():
    recoded, _, _ = random_release(np.random.default_rng(3))
    raw = released_raw(recoded.cells)
    assert marginal_divergence(raw, ["city", "grade"]) == pytest.approx(0)


@pytest.mark.parametrize("columns", [[], ["nobody"]])
def test_unknown_columns_are_refused(columns):
    recoded, _, _ = random_release(np.random.default_rng(0))
    with pytest.raises(ParameterError, match="quasi-identifiers"):
        marginal_divergence(recoded, columns)
    with pytest.raises(ParameterError, match="at least 1"):
        marginal_divergences(recoded, 0)
