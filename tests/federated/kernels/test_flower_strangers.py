"""What a site tells the trainer on Flower is held against what it must be; no Flower needed."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from shoal.errors import ParameterError, ProtocolError
from shoal.federated import RandomKernelSVC, make_share, write_share
from shoal.federated.kernels import _flower, _flower_app
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


@pytest.mark.parametrize("configured", ["gent,leuven,mechelen", None])
def test_a_trainer_who_asks_for_sums_over_other_sites_gets_none(
    monkeypatch, tmp_path, kernel, sites, configured
):
    """Sums over every two of three sites would tell him each one's own."""
    monkeypatch.setattr(_flower_app, "_reply", lambda message, content: content)
    monkeypatch.setattr(_flower_app, "_record", lambda kind, content: content)
    (tmp_path / "word").write_text("open sesame\n")
    kernel.save(tmp_path / "kernel", "open sesame", memory_kib=1024)
    contexts = {}
    for name in ("gent", "leuven"):
        written = write_share(make_share(kernel, sites[name], name, label="dead"), tmp_path)
        files = {"share": written, "kernel": tmp_path / "kernel"}
        node = {**files, "passphrase-file": tmp_path / "word", "sites": configured}
        contexts[name] = SimpleNamespace(state={}, node_config=node)
        if configured is None:
            del node["sites"]
            with pytest.raises(ParameterError, match="sites that train together"):
                _flower_app._introduce(None, contexts[name])
    if configured is None:
        return
    told = {name: _flower_app._introduce(None, context) for name, context in contexts.items()}
    asked = {
        "keys": json.dumps({name: answer["key"].hex() for name, answer in told.items()}),
        "costs": '{"gent": 1.0, "leuven": 1.0}', "classes": ["0", "1"],
        "point": [0.0] * (len(kernel.basis_) + 1), "step": 0,
    }  # fmt: skip
    for context in contexts.values():
        with pytest.raises(ProtocolError, match="not the 3 that agreed"):
            _flower_app._add_up(SimpleNamespace(content={"asked": asked}), context)
