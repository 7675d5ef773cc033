import json

import numpy as np
import polars as pl
import pytest

from shoal.errors import ProtocolError, TableError
from shoal.federated import RandomKernelCox, RandomKernelSVC, make_share
from shoal.federated.kernels._arrays import (
    model_from_arrays,
    model_to_arrays,
    share_from_arrays,
    share_to_arrays,
    site_score,
)
from shoal.federated.kernels._cox import concordance
from shoal.federated.kernels._survival import survival_target


def test_a_share_survives_the_wire(kernel, sites):
    share = make_share(kernel, sites["gent"], "gent", time="time", event="event")
    meta = json.loads(json.dumps(share.to_dict()))
    again = share_from_arrays(share_to_arrays(share), meta)
    assert again.to_dict() == share.to_dict()
    np.testing.assert_array_equal(again.projection, share.projection)
    np.testing.assert_array_equal(again.target["time"], share.target["time"])


def test_a_classifier_survives_the_wire_and_is_scored_at_a_site(kernel, sites):
    share = make_share(kernel, sites["gent"], "gent", label="dead")
    model = RandomKernelSVC(kernel).fit_shares([share])
    again = RandomKernelSVC(kernel)
    model_from_arrays(again, model_to_arrays(model))
    np.testing.assert_array_equal(again.predict(sites["gent"]), model.predict(sites["gent"]))
    expected = model.score(sites["gent"], sites["gent"]["dead"].to_numpy())
    assert site_score(again, share) == pytest.approx(expected)


def test_a_cox_model_survives_the_wire_and_is_scored_at_a_site(kernel, sites):
    table = pl.concat(sites.values())
    share = make_share(kernel, table, "all", time="time", event="event")
    model = RandomKernelCox(kernel).fit_shares([share])
    again = RandomKernelCox(kernel)
    model_from_arrays(again, model_to_arrays(model))
    times = [1, 10]
    np.testing.assert_array_equal(
        again.predict_survival(table, times), model.predict_survival(table, times)
    )
    y = survival_target(table["time"].to_numpy(), table["event"].to_numpy())
    assert site_score(again, share) == concordance(y, model.predict(table))


ODD = [[], [np.zeros(3)], [np.zeros((5, 3)), np.zeros(4)], [np.zeros((5, 2)), np.zeros(5)],
       [np.zeros((5, 3), np.float32), np.zeros(5)], [np.full((5, 3), np.nan), np.zeros(5)],
       [np.zeros((5, 3)), np.zeros((5, 2))], [np.zeros((5, 3)), np.zeros(5), np.zeros(5)],
       [np.array([["a"] * 3] * 5), np.zeros(5)]]  # fmt: skip


@pytest.mark.parametrize("arrays", ODD)
def test_other_arrays_than_a_share_has_are_an_error_of_ours(kernel, sites, arrays):
    meta = make_share(kernel, sites["gent"], "gent", label="dead").to_dict()
    assert meta["components"] == 3
    with pytest.raises((ProtocolError, TableError)):
        share_from_arrays(arrays, meta)
    for other in (None, 7, [], {}, {**meta, "outcome": ["label"]}):
        with pytest.raises(ProtocolError):
            share_from_arrays(arrays, other)


@pytest.mark.parametrize("kind", [RandomKernelSVC, RandomKernelCox])
def test_other_arrays_than_a_model_has_are_an_error_of_ours(kernel, kind):
    for arrays in [*ODD, [np.zeros(2), np.zeros(1), np.zeros(2)], [np.zeros(3)] * 3, [None] * 5]:
        with pytest.raises(ProtocolError, match="something else than a model"):
            model_from_arrays(kind(kernel), arrays)
