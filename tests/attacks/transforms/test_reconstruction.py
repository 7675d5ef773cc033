import numpy as np
import pytest
from scipy.optimize import linprog

from shoal.attacks.transforms._reconstruction import (
    estimate_basis,
    exact_attack,
    feature_bounds,
    linear_view,
    possible_people,
    reconstruction_attack,
)
from shoal.errors import ParameterError


def example_reconstruction():
    rows, _, basis = random_rows()
    return (rows, basis, rows @ basis.T, 2), {"repeats": 10}


def example_exact():
    rows, grids, basis = random_rows()
    return (rows, basis, rows @ basis.T, grids), {}


@pytest.fixture
def people():
    return random_rows()


def random_rows():
    """Rows, the values that each feature can take, and a random basis."""
    rng = np.random.default_rng(3)
    grids = [
        np.linspace(0, 1, 41),
        np.array([0.0, 1.0]),
        np.linspace(0, 1, 5),
        np.linspace(0, 1, 11),
    ]
    rows = np.column_stack([rng.choice(grid, 60) for grid in grids])
    return rows, grids, rng.normal(size=(3, 4))


def programme(matrix, right, j, sign):
    aim = np.zeros(matrix.shape[1])
    aim[j] = sign
    return sign * linprog(aim, A_eq=matrix, b_eq=right, bounds=(0, 1)).fun


def test_bounds_on_a_segment_are_those_of_the_linear_programme(people):
    rows, _, B = people
    low, high = feature_bounds(B, rows @ B.T)
    for i in range(10):
        for j in range(4):
            assert low[i, j] == pytest.approx(programme(B, B @ rows[i], j, 1), abs=1e-7)
            assert high[i, j] == pytest.approx(programme(B, B @ rows[i], j, -1), abs=1e-7)


@pytest.mark.parametrize("components", [2, 3])
def test_bounds_hold_the_truth(people, components):
    rows, _, B = people
    low, high = feature_bounds(B[:components], rows[:8] @ B[:components].T)
    assert (low <= rows[:8] + 1e-7).all()
    assert (rows[:8] <= high + 1e-7).all()


def test_possible_people_are_counted_like_by_trying_all(people):
    rows, grids, _ = people
    # Adding (0.5, 1, 0.5, 0.5) leaves the projection as it is: some people share theirs.
    B = np.array([[1.0, -1, 1, 0], [1, 0, -1, 0], [0, 0, 1, -1]])
    right = rows @ B.T
    counts, first = possible_people(B, right, grids)
    everyone = np.stack(np.meshgrid(*grids, indexing="ij"), -1).reshape(-1, 4)
    shown = everyone @ B.T
    for i in range(len(rows)):
        assert counts[i] == (np.abs(shown - right[i]) < 1e-6).all(axis=1).sum()
    assert set(counts) == {1, 2}
    np.testing.assert_allclose(first @ B.T, right, atol=1e-6)


def test_rows_of_whole_numbers_are_recovered_exactly_with_b(people):
    rows, grids, B = people
    result = exact_attack(rows, B, rows @ B.T, grids)
    assert result.risk == 1
    assert result.low > 0.9
    assert result.baseline < 0.1


def test_b_follows_from_as_many_known_rows_as_features(people):
    rows, _, B = people
    np.testing.assert_allclose(estimate_basis(rows[:6], rows[:6] @ B.T), B, atol=1e-9)
    assert estimate_basis(rows[:3], rows[:3] @ B.T) is None


def test_the_gaussian_kernel_gives_linear_equations_to_who_has_b(people):
    rows, _, B = people
    squared = ((rows[:, None] - B[None]) ** 2).sum(axis=2)
    matrix, right = linear_view(B, np.exp(-0.3 * squared), 0.3)
    assert matrix.shape == (2, 4)
    np.testing.assert_allclose(rows @ matrix.T, right, atol=1e-9)


def test_knowing_b_or_enough_rows_beats_guessing(people):
    rows, _, B = people
    published = rows @ B.T
    with_b = reconstruction_attack(rows, B, published, 0, repeats=5)
    assert with_b.details["error"] < with_b.details["error_baseline"]
    without = reconstruction_attack(rows, None, published, 0, repeats=5)
    assert without.risk == without.baseline
    few = reconstruction_attack(rows, None, published, 2, repeats=10)
    enough = reconstruction_attack(rows, None, published, 8, repeats=10)
    assert enough.details["error"] < few.details["error"]
    same = reconstruction_attack(rows, B, published, 8, repeats=10)
    assert enough.details["error"] == pytest.approx(same.details["error"], abs=0.01)


def test_limits_are_said(people):
    rows, _, B = people
    with pytest.raises(ParameterError, match="from 0 to 59, got 60"):
        reconstruction_attack(rows, B, rows @ B.T, 60)
    with pytest.raises(ParameterError, match="would have to be tried"):
        possible_people(B, rows @ B.T, [np.linspace(0, 1, 300_000)] * 4)
