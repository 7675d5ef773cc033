import numpy as np
import pytest

from shoal.errors import InfeasibleError
from shoal.federated.kernels._cox import fit_cox
from shoal.federated.kernels._cox_newton import cox_coefficients


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
