"""A classifier from sums over sites equals the one from all rows."""

import numpy as np
import pytest

from shoal.errors import ConvergenceError, ProtocolError
from shoal.federated import RandomKernelSVC, make_share
from shoal.federated.kernels._masked_sums import SiteMasks, sum_masked
from shoal.federated.kernels._newton_svm import _gradient, _Problem, _value
from shoal.federated.kernels._summed_svc import (
    SummedNewton,
    masked_numbers,
    n_numbers,
    site_numbers,
)


@pytest.fixture
def shares(kernel, sites):
    return [make_share(kernel, sites[name], name, label="dead") for name in sorted(sites)]


def train(shares, cost, **options):
    masks = [SiteMasks(share.site, b"secret", [s.site for s in shares]) for share in shares]
    keys = {mask.site: mask.public_key() for mask in masks}
    for mask in masks:
        mask.meet(keys)
    newton = SummedNewton(shares[0].projection.shape[1] + 1, **options)
    step = 0
    while not newton.done:
        newton.take(
            [
                masked_numbers(share, mask, (0, 1), cost, newton.z, step)
                for share, mask in zip(shares, masks, strict=True)
            ]
        )
        step += 1
    return newton


@pytest.mark.parametrize("nu", [0.3, 3.0, 200.0])
def test_the_plane_is_that_of_all_rows(shares, nu):
    found = train(shares, nu)
    pooled = RandomKernelSVC(nu=nu).fit_shares(shares)
    expected = np.append(pooled.coef_, -pooled.intercept_)
    # Both are within their gradient norm of the only optimum.
    assert np.linalg.norm(found.z - expected) <= found.gradient_norm + pooled.gradient_norm_ + 1e-12
    assert found.objective == pytest.approx(pooled.objective_, rel=1e-9)


def test_a_sites_numbers_are_those_of_its_rows(shares):
    share, z = shares[0], np.random.default_rng(1).normal(size=shares[0].projection.shape[1] + 1)
    signs = np.where(share.target["label"] == 1, 1.0, -1.0)
    problem = _Problem(share.projection, signs, np.full(len(signs), 2.5))
    slack = 1 - signs * (share.projection @ z[:-1] - z[-1])
    numbers = site_numbers(share, (0, 1), 2.5, z)
    assert numbers[0] == pytest.approx(_value(problem, slack, z) - z @ z / 2)
    np.testing.assert_allclose(numbers[1 : 1 + len(z)], _gradient(problem, slack, z) - z)
    small = np.eye(len(z)) * 1e-6
    for i, change in enumerate(small):  # the Hessian, by differences of gradients
        moved = site_numbers(share, (0, 1), 2.5, z + change)[1 : 1 + len(z)]
        row = np.zeros((len(z), len(z)))
        row[np.triu_indices(len(z))] = numbers[1 + len(z) :]
        full = row + row.T - np.diag(np.diag(row))
        np.testing.assert_allclose((moved - numbers[1 : 1 + len(z)]) / 1e-6, full[i], atol=0.05)


@pytest.mark.parametrize("how", ["a cost of 0", "another plane", "other classes"])
def test_a_trainer_who_asks_sites_different_things_gets_no_sum_of_one_site(shares, how):
    """With all others at a cost of 0 the total would be this site's own."""
    size = shares[0].projection.shape[1] + 1
    masks = [SiteMasks(share.site, b"secret", [s.site for s in shares]) for share in shares]
    for mask in masks:
        mask.meet({one.site: one.public_key() for one in masks})
    answers = []
    for rank, (share, mask) in enumerate(zip(shares, masks, strict=True)):
        classes, cost, z = (0, 1), 1.0, np.zeros(size)
        if rank:
            cost = 0.0 if how == "a cost of 0" else cost
            z = z + 1e-9 if how == "another plane" else z
            classes = (1, 0) if how == "other classes" else classes
        answers.append(masked_numbers(share, mask, classes, cost, z, 0))
    with pytest.raises(ProtocolError, match="do not cancel"):
        sum_masked(answers, n_numbers(size))


def test_other_classes_and_too_few_steps_are_errors(shares):
    with pytest.raises(ProtocolError, match="other classes"):
        site_numbers(shares[0], (5, 6), 1.0, np.zeros(shares[0].projection.shape[1] + 1))
    with pytest.raises(ConvergenceError, match="Newton"):
        train(shares, 3.0, max_iter=1)
