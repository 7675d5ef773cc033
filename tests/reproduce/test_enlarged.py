import numpy as np
import pytest

from reproduce._enlarged import Original, count_combinations, expected_combinations


def plain_count(table, varied, sigma, rng):
    """Row by row: the original, then variations of it."""
    rows = set()
    for row in table.codes.tolist():
        rows.add(tuple(row))
        for _ in range(sigma - 1):
            other = list(row)
            for column in varied:
                other[column] = int(rng.integers(table.sizes[column]))
            rows.add(tuple(other))
    return len(rows)


@pytest.mark.parametrize("varied", [(0,), (1, 2), (0, 1, 2)])
def test_the_expected_number_is_the_mean_of_many_draws(varied):
    sizes = [2, 3, 4]
    codes = np.column_stack(
        [np.random.default_rng(c).integers(0, n, 9) for c, n in enumerate(sizes)]
    )
    table = Original(codes, sizes)
    expected = expected_combinations(table, varied, sigma=3)
    for count in (plain_count, count_combinations):
        draws = [count(table, varied, 3, np.random.default_rng(seed)) for seed in range(400)]
        error = np.std(draws) / np.sqrt(len(draws))
        assert abs(np.mean(draws) - expected.mean) < 4 * error + 1e-9
        assert np.std(draws) <= 1.1 * expected.deviation + 1e-9


def test_without_variations_the_rows_are_those_that_are_there():
    table = Original(np.array([[0, 1], [0, 1], [1, 0]]), [2, 3])
    assert expected_combinations(table, (1,), sigma=1) == (2, 0)
    assert count_combinations(table, (1,), 1, np.random.default_rng(0)) == 2
