import numpy as np
import pytest
from scipy.optimize import minimize

from shoal.metrics.kept._fit import fit_linear, fit_logistic, logistic


def example(seed, n=60, p=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)), rng.integers(1, 4, n).astype(float), rng


def by_loops(x, residual, weights, curve):
    """Sandwich errors: sums over rows, one after the other."""
    x = np.column_stack([np.ones(len(x)), x])
    bread, meat = np.zeros((x.shape[1],) * 2), np.zeros((x.shape[1],) * 2)
    for row, e, w, c in zip(x, residual, weights, curve, strict=True):
        bread += w * c * np.outer(row, row)
        meat += (w * e) ** 2 * np.outer(row, row)
    inverse = np.linalg.inv(bread)
    return np.sqrt(np.diag(inverse @ meat @ inverse))


@pytest.mark.parametrize("seed", range(5))
def test_linear_regression_is_least_squares(seed):
    x, weights, rng = example(seed)
    y = x @ [1, -2, 0.5] + rng.normal(size=len(x))
    fit = fit_linear(x, y, weights)
    design = np.column_stack([np.ones(len(x)), x])
    root = np.sqrt(weights)
    beta = np.linalg.lstsq(design * root[:, None], y * root, rcond=None)[0]
    np.testing.assert_allclose(fit.coefficients, beta)
    errors = by_loops(x, y - design @ beta, weights, np.ones(len(x)))
    np.testing.assert_allclose(fit.errors, errors)
    assert fit.is_known.all()


@pytest.mark.parametrize("seed", range(5))
def test_logistic_regression_is_most_likely(seed):
    x, weights, rng = example(seed)
    y = (rng.random(len(x)) < logistic(x @ [1, -2, 0.5])).astype(float)
    fit = fit_logistic(x, y, weights)
    design = np.column_stack([np.ones(len(x)), x])

    def unlikely(beta):
        score = design @ beta
        return (weights * (np.logaddexp(0, score) - y * score)).sum()

    best = minimize(unlikely, np.zeros(4), method="BFGS", options={"gtol": 1e-9}).x
    np.testing.assert_allclose(fit.coefficients, best, atol=1e-4)
    chance = logistic(design @ fit.coefficients)
    errors = by_loops(x, y - chance, weights, chance * (1 - chance))
    np.testing.assert_allclose(fit.errors, errors, rtol=1e-4)


def test_a_coefficient_that_rows_do_not_determine_is_told():
    x, weights, _ = example(0)
    twice = np.column_stack([x[:, 0], 2 * x[:, 0], x[:, 1], np.zeros(len(x))])
    for fit in (fit_linear, fit_logistic):
        known = fit(twice, (x[:, 1] > 0).astype(float), weights).is_known
        assert known.tolist() == [True, False, False, True, False]


def test_classes_without_overlap_do_not_run_away():
    x = np.linspace(-1, 1, 40)[:, None]
    fit = fit_logistic(x, (x[:, 0] > 0).astype(float), np.ones(40))
    assert np.isfinite(fit.coefficients).all()
    assert np.isfinite(fit.errors).all()
