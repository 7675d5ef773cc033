import numpy as np
import pytest

from shoal.metrics.kept._counts_kept import FLOOR, _meant, compare_counts
from shoal.metrics.kept._table_pair import read_pair
from tests.metrics.kept.people import random_tables


def slowly(pair, n_queries, seed):
    """The same draws, each row for itself."""
    rng = np.random.default_rng(seed)
    errors = []
    for _ in range(n_queries):
        columns = [
            pair.columns[i] for i in rng.permutation(len(pair.columns))[: rng.integers(1, 4)]
        ]
        wanted = [_meant(column, rng) for column in columns]
        shares = []
        for side in ("raw", "released"):
            weights = getattr(pair, f"{side}_weights")
            total = 0.0
            for row, weight in enumerate(weights):
                part = weight
                for column, values in zip(columns, wanted, strict=True):
                    cells = getattr(column, side)[row]
                    part *= sum(c for c, yes in zip(cells, values, strict=True) if yes)
                total += part
            shares.append(total / sum(weights))
        errors.append(abs(shares[1] - shares[0]) / max(shares[0], FLOOR))
    return np.mean(errors), np.median(errors)


@pytest.mark.parametrize("seed", range(5))
def test_counts_are_those_of_loops(seed):
    pair = read_pair(*random_tables(seed))
    found = compare_counts(pair, n_queries=20, random_state=seed)
    assert (found.mean_error, found.median_error) == pytest.approx(slowly(pair, 20, seed))


def test_half_of_the_rows_answer_as_well_as_all():
    raw = {"x": [1, 2, 3, 4] * 10, "t": ["A", "B"] * 20}
    half = {name: column[:20] for name, column in raw.items()}
    assert compare_counts(read_pair(raw, half)).mean_error == pytest.approx(0)
