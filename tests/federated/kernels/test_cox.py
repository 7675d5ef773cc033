import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from lifelines import CoxPHFitter
from lifelines.utils import concordance_index

from shoal.errors import InfeasibleError, ParameterError, TableError
from shoal.federated import RandomKernelCox, make_share, read_shares, write_share
from shoal.federated.kernels._cox import concordance
from shoal.federated.kernels._survival import auc_at, survival_target


def target(table):
    return survival_target(table["time"].to_numpy(), table["event"].to_numpy())


def partial_likelihood(rows, y, beta):
    """Efron's partial log-likelihood, written out."""
    time, event = y[:, 0], y[:, 1] == 1
    score, total = rows @ beta, 0.0
    for t in np.unique(time[event]):
        dead = event & (time == t)
        at_risk, dying = np.exp(score[time >= t]).sum(), np.exp(score[dead]).sum()
        total += score[dead].sum()
        total -= sum(np.log(at_risk - j / dead.sum() * dying) for j in range(dead.sum()))
    return total


@pytest.fixture
def stacked(sites):
    return pl.concat([sites[name] for name in sorted(sites)])


def test_trained_from_files_it_is_the_model_trained_from_stacked_rows(
    kernel, sites, stacked, tmp_path
):
    for name, table in sites.items():
        write_share(make_share(kernel, table, name, time="time", event="event"), tmp_path)
    from_files = RandomKernelCox(kernel).fit_shares(read_shares(tmp_path))
    pooled = RandomKernelCox(kernel).fit(stacked, target(stacked))
    np.testing.assert_array_equal(from_files.coef_, pooled.coef_)
    np.testing.assert_array_equal(from_files.predict(stacked), pooled.predict(stacked))


def test_it_is_lifelines_on_the_projection(kernel, stacked):
    model = RandomKernelCox(kernel, ridge=0.1).fit(stacked, target(stacked))
    frame = pd.DataFrame(kernel.transform(stacked))
    frame.columns = ["a", "b", "c"]
    frame["time"], frame["event"] = stacked["time"].to_numpy(), stacked["event"].to_numpy()
    times = np.sort(frame["time"])[[5, 50, 120]]  # between them lifelines interpolates
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = CoxPHFitter(penalizer=0.1).fit(frame, "time", "event")
        curves = peer.predict_survival_function(frame, times=times).to_numpy().T
        hazard = peer.predict_log_partial_hazard(frame).to_numpy()
    np.testing.assert_allclose(model.coef_, peer.params_.to_numpy(), atol=1e-12)
    np.testing.assert_allclose(model.predict(stacked), hazard, atol=1e-9)
    np.testing.assert_allclose(model.predict_survival(stacked, times), curves, atol=1e-6)
    expected = concordance_index(frame["time"], -hazard, frame["event"])
    assert model.score(stacked, target(stacked)) == expected > 0.6


def test_ties_are_efrons(kernel, stacked):
    tied = stacked.with_columns((pl.col("time") / 20).ceil())
    y = target(tied)
    model = RandomKernelCox(kernel).fit(tied, y)
    rows = kernel.transform(tied)
    best = partial_likelihood(rows, y, model.coef_)
    assert model.log_likelihood_ == pytest.approx(best, abs=1e-6)
    for shift in np.eye(3) * 0.05:
        assert partial_likelihood(rows, y, model.coef_ + shift) < best
        assert partial_likelihood(rows, y, model.coef_ - shift) < best


def test_survival_falls_with_time_and_auc_uses_the_risk(kernel, stacked):
    model = RandomKernelCox(kernel).fit(stacked, target(stacked))
    curves = model.predict_survival(stacked, [0, 1, 10, 50, 1e9])
    assert (curves[:, 0] == 1).all()
    assert (np.diff(curves, axis=1) <= 0).all()
    y = target(stacked)
    assert model.auc(stacked, y, 10) == auc_at(y, model.predict(stacked), 10) > 0.5


def test_a_heavier_site_pulls_the_model_towards_its_own(kernel, sites):
    shares = [make_share(kernel, t, n, time="time", event="event") for n, t in sites.items()]
    alone = RandomKernelCox(kernel).fit_shares(shares[:1]).coef_
    distances = []
    for weight in (1.0, 5.0, 50.0):
        weights = {"gent": weight, "leuven": 1.0, "maastro": 1.0}
        model = RandomKernelCox(kernel).fit_shares(shares, weights)
        distances.append(np.linalg.norm(model.coef_ - alone))
    assert distances[0] > distances[1] > distances[2]
    equal = RandomKernelCox(kernel).fit_shares(shares, dict.fromkeys(sites, 1.0))
    np.testing.assert_allclose(equal.coef_, RandomKernelCox(kernel).fit_shares(shares).coef_)


def test_no_events_is_an_error(kernel, stacked):
    y = target(stacked)
    y[:, 1] = 0
    with pytest.raises(InfeasibleError, match="no one had the event"):
        RandomKernelCox(kernel).fit(stacked, y)


def test_bad_parameters_and_targets_are_refused(kernel, stacked):
    with pytest.raises(ParameterError, match="ridge must not be negative"):
        RandomKernelCox(kernel, ridge=-1).fit(stacked, target(stacked))
    with pytest.raises(TableError, match="two columns"):
        RandomKernelCox(kernel).fit(stacked, target(stacked)[:, 0])
    with pytest.raises(InfeasibleError, match="no two people"):
        concordance([[1, 0], [2, 0]], [1, 2])
