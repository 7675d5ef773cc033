import pickle

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from shoal.errors import ParameterError, ProtocolError
from shoal.federated import RandomKernel, RandomKernelSVC, make_share, read_shares, write_share
from tests.reference import svm
from tests.reference.sites import RANGES


@pytest.fixture
def shares(kernel, sites, tmp_path):
    for name, table in sites.items():
        write_share(make_share(kernel, table, name, label="dead"), tmp_path)
    return read_shares(tmp_path)


def test_trained_from_files_it_is_the_model_trained_from_stacked_rows(kernel, sites, shares):
    stacked = pl.concat([sites[name] for name in sorted(sites)])
    pooled = RandomKernelSVC(kernel, nu=3.0).fit(stacked, stacked["dead"].to_numpy())
    from_files = RandomKernelSVC(kernel, nu=3.0).fit_shares(shares)
    np.testing.assert_array_equal(from_files.coef_, pooled.coef_)
    assert from_files.intercept_ == pooled.intercept_
    np.testing.assert_array_equal(from_files.predict(stacked), pooled.predict(stacked))
    assert pooled.score(stacked, stacked["dead"].to_numpy()) > 0.6


def test_site_weights_weight_the_rows(kernel, shares):
    weights = {"gent": 2.0, "leuven": 1.0, "maastro": 0.5}
    model = RandomKernelSVC(nu=3.0).fit_shares(shares, weights)
    rows = np.concatenate([s.projection for s in shares])
    signs = np.concatenate([s.target["label"] for s in shares]) * 2.0 - 1
    each = np.concatenate([np.full(len(s.projection), weights[s.site]) for s in shares])
    w, gamma = svm.quadratic_programme(rows, signs, 3.0, each)
    np.testing.assert_allclose([*model.coef_, model.intercept_], [*w, -gamma], atol=1e-6)


@pytest.mark.parametrize(
    ("weights", "match"), [({"gent": 1.0}, "differ in sites"), ("zero", "above 0")]
)
def test_wrong_site_weights_are_refused(shares, weights, match):
    weights = {s.site: 0.0 for s in shares} if weights == "zero" else weights
    with pytest.raises(ParameterError, match=match):
        RandomKernelSVC().fit_shares(shares, weights)


def test_a_trainer_without_the_matrix_can_train_but_not_read_raw_rows(shares, sites, kernel):
    model = RandomKernelSVC().fit_shares(shares)
    with pytest.raises(ParameterError, match="trained from shares without B"):
        model.predict(sites["gent"])
    known = RandomKernelSVC(kernel).fit_shares(shares)
    np.testing.assert_array_equal(
        model.decide(kernel.transform(sites["gent"])), known.decision_function(sites["gent"])
    )


def test_shares_of_another_kernel_are_refused(shares, sites):
    other = RandomKernel(RANGES, random_state=2**100 + 12).fit()
    with pytest.raises(ProtocolError, match="another random kernel"):
        RandomKernelSVC(other).fit_shares(shares)
    mixed = [*shares, make_share(other, sites["gent"], "late", label="dead")]
    with pytest.raises(ProtocolError, match="different random kernels"):
        RandomKernelSVC().fit_shares(mixed)
    with pytest.raises(ProtocolError, match="same site"):
        RandomKernelSVC().fit_shares([*shares, shares[0]])


def test_survival_shares_are_refused(kernel, sites):
    share = make_share(kernel, sites["gent"], "gent", time="time", event="event")
    with pytest.raises(ProtocolError, match="hold outcome 'survival', not 'label'"):
        RandomKernelSVC().fit_shares([share])


def test_text_labels_and_the_second_class_is_positive(sites, kernel):
    table = sites["maastro"]
    y = np.where(table["dead"].to_numpy(), "yes", "no")
    model = RandomKernelSVC(kernel).fit(table, y)
    assert model.classes_.tolist() == ["no", "yes"]
    positive = model.decision_function(table) > 0
    assert set(model.predict(table)[positive]) == {"yes"}


@pytest.mark.parametrize("labels", [np.zeros(60), np.arange(60) % 3])
def test_one_class_or_three_are_refused(sites, kernel, labels):
    with pytest.raises(ParameterError, match="needs two classes"):
        RandomKernelSVC(kernel).fit(sites["gent"], labels)


def test_is_a_good_estimator(sites, kernel):
    table, y = sites["gent"], sites["gent"]["dead"].to_numpy()
    model = RandomKernelSVC(RandomKernel(RANGES, random_state=2**100 + 1), nu=2.0)
    assert clone(model).get_params()["nu"] == 2.0
    with pytest.raises(NotFittedError):
        model.predict(table)
    fitted = model.fit(table, y)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict(table), fitted.predict(table))
    assert RandomKernelSVC().fit(table.select(list(RANGES)), y).coef_.shape == (3,)
    with pytest.raises(ParameterError, match="nu must be above 0"):
        RandomKernelSVC(kernel, nu=0).fit(table, y)
