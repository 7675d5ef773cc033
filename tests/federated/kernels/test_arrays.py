import json

import numpy as np
import polars as pl
import pytest

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
