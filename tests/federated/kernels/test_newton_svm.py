import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.svm import LinearSVC

from shoal.errors import ConvergenceError
from shoal.federated.kernels._newton_svm import newton_svm
from tests.reference import svm


def problem(seed, n, m):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, m)) * rng.choice([0.1, 1, 5], m)
    return rng, rows, np.where(rows[:, 0] + rng.normal(size=n) > 0, 1.0, -1.0)


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 2**31),
    n=st.integers(2, 60),
    m=st.integers(1, 5),
    nu=st.sampled_from([1e-3, 0.1, 1.0, 50.0]),
    weighted=st.booleans(),
)
def test_equals_the_quadratic_programme(seed, n, m, nu, weighted):
    rng, rows, signs = problem(seed, n, m)
    weights = rng.uniform(0.2, 3, n) if weighted else None
    plane = newton_svm(rows, signs, nu, weights)
    w, gamma = svm.quadratic_programme(rows, signs, nu, weights)
    np.testing.assert_allclose([*plane.w, plane.gamma], [*w, gamma], atol=2e-6, rtol=1e-5)
    expected = svm.objective(rows, signs, nu, plane.w, plane.gamma, weights)
    assert plane.objective == pytest.approx(expected, rel=1e-9)


def test_the_gradient_norm_bounds_the_distance_from_the_optimum():
    _, rows, signs = problem(1, 80, 4)
    rough = newton_svm(rows, signs, 5.0, tol=1e-1)
    exact = newton_svm(rows, signs, 5.0, tol=1e-11)
    distance = np.linalg.norm([*(rough.w - exact.w), rough.gamma - exact.gamma])
    assert distance <= rough.gradient_norm + 1e-9


def test_objective_is_not_above_scikit_learns():
    _, rows, signs = problem(2, 2000, 6)
    nu = 2.0
    plane = newton_svm(rows, signs, nu)
    peer = LinearSVC(C=nu / 2, dual=False, tol=1e-10, max_iter=10_000).fit(rows, signs)
    reached = svm.objective(rows, signs, nu, peer.coef_[0], -peer.intercept_[0])
    assert plane.objective <= reached + 1e-7
    np.testing.assert_allclose(plane.w, peer.coef_[0], atol=1e-4)


def test_many_blocks_give_the_same_plane_as_one(monkeypatch):
    _, rows, signs = problem(3, 500, 3)
    whole = newton_svm(rows, signs, 1.0)
    monkeypatch.setattr("shoal.federated.kernels._newton_svm.BLOCK", 7)
    parts = newton_svm(rows, signs, 1.0)
    np.testing.assert_allclose(whole.w, parts.w, atol=1e-9)


def test_too_few_steps_is_an_error():
    _, rows, signs = problem(4, 200, 5)
    with pytest.raises(ConvergenceError, match="Raise max_iter"):
        newton_svm(rows, signs, 10.0, max_iter=1)
