import numpy as np
import pytest

from shoal.errors import ConvergenceError, InfeasibleError
from shoal.federated.kernels._cox import fit_cox
from shoal.federated.kernels._cox_newton import cox_coefficients, is_optimum


@pytest.mark.parametrize("ridge", [0.0, 0.01, 0.5])
@pytest.mark.parametrize("rounded", [False, True])
def test_equals_lifelines(ridge, rounded):
    rng = np.random.default_rng(4)
    rows = rng.normal(size=(90, 4)) * [1, 5, 0.1, 2]
    time = rng.exponential(np.exp(-0.5 * rows[:, 0])) * 10
    target = np.column_stack([np.ceil(time) if rounded else time, rng.random(90) < 0.7])
    peer = fit_cox(rows, target, ridge).params_.to_numpy()
    np.testing.assert_allclose(cox_coefficients(rows, target, ridge), peer, atol=1e-5, rtol=1e-5)


def test_what_cannot_be_fitted_is_an_error():
    rows = np.random.default_rng(0).normal(size=(20, 2))
    target = np.column_stack([np.arange(20.0), np.zeros(20)])
    with pytest.raises(InfeasibleError, match="no event"):
        cox_coefficients(rows, target)


def skewed(seed, n=400):
    """Features as skewed as laboratory values: lifelines' steps overshoot on some of these."""
    rng = np.random.default_rng(seed)
    values = rng.lognormal(0, 1.2, size=(n, 2))
    values = (values - values.min(axis=0)) / np.ptp(values, axis=0)
    rows = values @ rng.normal(size=(2, 2))
    time = rng.exponential(np.exp(-3 * np.log(values[:, 0] + 0.01)))
    end = np.quantile(time, 0.5)
    return rows, np.column_stack([np.minimum(time, end), time <= end])


def likelihood(rows, target, beta):
    """Partial log-likelihood without ties, written out."""
    score = rows @ beta
    dead = np.flatnonzero(target[:, 1])
    total = 0.0
    for i in dead:
        risk = score[target[:, 0] >= target[i, 0]]
        total += score[i] - risk.max() - np.log(np.exp(risk - risk.max()).sum())
    return total


@pytest.mark.parametrize("seed", [1, 12, 18])
def test_where_lifelines_runs_away_the_optimum_is_found(seed):
    rows, target = skewed(seed)
    fitted = fit_cox(rows, target)
    beta = fitted.params_.to_numpy()
    np.testing.assert_allclose(beta, cox_coefficients(rows, target), rtol=1e-4)
    assert is_optimum(beta, rows, target, 0.0, None)
    best = likelihood(rows, target, beta)
    assert fitted.log_likelihood_ == pytest.approx(best, abs=1e-6)
    for shift in (0.9, 0.99, 1.01, 1.1, -1):
        assert likelihood(rows, target, shift * beta) < best


def test_a_hazard_without_bound_is_an_error_with_advice_and_a_ridge_mends_it():
    rows = np.random.default_rng(0).normal(size=(40, 2))
    target = np.column_stack([rows[:, 0] - rows[:, 0].min() + 1, np.ones(40)])
    for fit in (fit_cox, cox_coefficients):
        with pytest.raises(ConvergenceError, match=r"ridge=0 did not converge.*Set ridge to 0\.01"):
            fit(rows, target)
    np.testing.assert_allclose(
        fit_cox(rows, target, 0.01).params_.to_numpy(),
        cox_coefficients(rows, target, 0.01),
        rtol=1e-4,
    )


@pytest.mark.parametrize("ridge", [0.0, 0.1])
def test_weights_count_rows_as_lifelines_does(ridge):
    rng = np.random.default_rng(8)
    rows = rng.normal(size=(80, 3))
    target = np.column_stack([np.ceil(rng.exponential(9, 80)), rng.random(80) < 0.6])
    weights = rng.integers(1, 4, 80).astype(float)
    peer = fit_cox(rows, target, ridge, weights).params_.to_numpy()
    ours = cox_coefficients(rows, target, ridge, weights)
    np.testing.assert_allclose(ours, peer, atol=1e-5)


def test_a_point_beside_the_optimum_is_none():
    rows, target = skewed(2)
    beta = cox_coefficients(rows, target)
    assert is_optimum(beta, rows, target, 0.0, None)
    assert not is_optimum(1.1 * beta, rows, target, 0.0, None)
    assert not is_optimum(-beta, rows, target, 0.0, None)


def test_likelihoods_in_the_thousands_do_not_stop_the_search():
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(3000, 3)) * 1e-3
    target = np.column_stack([rng.exponential(np.exp(-900 * rows[:, 0])), np.ones(3000)])
    coefficients = cox_coefficients(rows, target)  # log-likelihood about -20,000
    assert coefficients[0] == pytest.approx(900, rel=0.1)
