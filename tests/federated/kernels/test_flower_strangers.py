"""What a site tells the trainer on Flower is held against what it must be; no Flower needed."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from shoal.errors import ProtocolError
from shoal.federated import RandomKernelSVC, make_share
from shoal.federated.kernels import _flower
from shoal.federated.kernels._arrays import share_to_arrays


@pytest.fixture
def training(monkeypatch):
    common = SimpleNamespace(
        GetPropertiesIns=lambda config: config,
        parameters_to_ndarrays=lambda arrays: arrays,
        ndarrays_to_parameters=lambda arrays: arrays,
    )
    monkeypatch.setattr(_flower, "load_flower", lambda module: common)
    return lambda: _flower._Training(RandomKernelSVC(), ["gent"], None)


def manager(properties):
    answer = SimpleNamespace(properties=properties)
    client = SimpleNamespace(get_properties=lambda *_, **__: answer)
    return SimpleNamespace(all=lambda: {"1": client}, wait_for=lambda *_, **__: True)


@pytest.fixture
def share(kernel, sites):
    return make_share(kernel, sites["gent"], "gent", label="dead")


def test_a_share_in_order_passes(training, share):
    run = training()
    run.initialize_parameters(manager({"share": json.dumps(share.to_dict())}))
    assert run.problem is None
    answer = SimpleNamespace(
        parameters=share_to_arrays(share), metrics={"share": json.dumps(share.to_dict())}
    )
    run.aggregate_fit(1, [(None, answer)], [])
    assert run.problem is None
    assert len(run.trained) == 3


@pytest.mark.parametrize("told", ["", "7", "[]", "{}", "null", '{"outcome": []}', "{{", None])
def test_anything_else_is_an_error_of_ours(training, share, told):
    run = training()
    run.initialize_parameters(manager({} if told is None else {"share": told}))
    assert isinstance(run.problem, ProtocolError)
    run = training()
    answer = SimpleNamespace(parameters=[np.zeros(1)], metrics={"share": told})
    run.aggregate_fit(1, [(None, answer)], [])
    assert isinstance(run.problem, ProtocolError)
    assert run.trained is None


@pytest.mark.parametrize(
    "metrics", [{}, {"site": "gent"}, {"site": "gent", "score": "x"}, {"site": "gent", "score": 7},
                {"site": "other", "score": 0.5}, {"site": ["gent"], "score": 0.5}],
)  # fmt: skip
def test_a_score_that_is_none_is_an_error_of_ours(training, metrics):
    run = training()
    run.aggregate_evaluate(1, [(None, SimpleNamespace(metrics=metrics))], [])
    assert isinstance(run.problem, ProtocolError)
    assert not run.evaluation
