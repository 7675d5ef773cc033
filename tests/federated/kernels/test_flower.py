"""Sites and trainer as processes on loopback; skipped where Flower is not installed."""

import json
import os
import socket
import subprocess
import sys

import numpy as np
import pytest

from shoal.errors import MissingExtraError, ParameterError
from shoal.federated import (
    RandomKernelSVC,
    join_training,
    make_share,
    read_shares,
    serve_training,
    write_share,
)
from tests.extras import ROOT, need

TRAINER = """
import json, sys
from shoal.errors import ShoalError
from shoal.federated import RandomKernelSVC, serve_training
try:
    done = serve_training(sys.argv[1], ["gent", "leuven"], RandomKernelSVC(nu=3.0),
                          site_weights={"gent": 2.0, "leuven": 1.0})
    told = {"coef": done.model.coef_.tolist(), "evaluation": dict(done.evaluation)}
except ShoalError as error:
    told = {"error": str(error)}
print("TOLD" + json.dumps(told))
"""
SITE = """
import sys
from shoal.federated import RandomKernelSVC, join_training
from shoal.federated.kernels._share_files import read_share
model = join_training(sys.argv[1], read_share(sys.argv[2]), RandomKernelSVC())
print("TOLD" + str(model.coef_.tolist()))
"""


def start(code, *arguments):
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "src"),
        "FLWR_TELEMETRY_ENABLED": "0",
        "PYTHONWARNINGS": "ignore",
    }
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def told(process):
    output, _ = process.communicate(timeout=300)
    return output.split("TOLD")[1].strip() if "TOLD" in output else output


def free_address():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{found.getsockname()[1]}"


def run(folders):
    address = free_address()
    trainer = start(TRAINER, address)
    clients = [start(SITE, address, str(path)) for path in folders]
    try:
        return json.loads(told(trainer)), [told(client) for client in clients]
    finally:
        for process in (trainer, *clients):
            process.kill()


def test_online_training_equals_training_from_files(kernel, sites, tmp_path):
    need("flwr")
    for name in ("gent", "leuven"):
        write_share(make_share(kernel, sites[name], name, label="dead"), tmp_path)
    found, received = run(sorted(tmp_path.iterdir()))
    shares = read_shares(tmp_path)
    offline = RandomKernelSVC(nu=3.0).fit_shares(shares, {"gent": 2.0, "leuven": 1.0})
    np.testing.assert_array_equal(found["coef"], offline.coef_)
    assert received == [str(offline.coef_.tolist())] * 2
    for share in shares:
        positive = offline.decide(share.projection) > 0
        expected = (offline.classes_[positive.astype(int)] == share.target["label"]).mean()
        assert found["evaluation"][share.site] == pytest.approx(expected)


def test_sites_with_different_kernels_send_nothing(kernel, sites, tmp_path):
    need("flwr")
    other = type(kernel)(kernel.ranges, random_state=2**100 + 99).fit()
    for name, own in (("gent", kernel), ("leuven", other)):
        (tmp_path / name).mkdir()
        write_share(make_share(own, sites[name], name, label="dead"), tmp_path / name)
    found, received = run(sorted(tmp_path.glob("*/*.parquet")))
    assert "different random kernels" in found["error"]
    assert all("ended without sending a model" in text for text in received)


def test_a_plain_text_line_to_another_machine_is_refused(kernel, sites):
    share = make_share(kernel, sites["gent"], "gent", label="dead")
    for address in ("0.0.0.0:8080", "example.org:8080"):
        with pytest.raises(ParameterError, match="only a loopback address"):
            serve_training(address, ["gent"], RandomKernelSVC())
        with pytest.raises(ParameterError, match="only a loopback address"):
            join_training(address, share, RandomKernelSVC())


def test_without_flower_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "flwr.server", None)
    with pytest.raises(MissingExtraError, match="flwr"):
        serve_training("127.0.0.1:8080", ["gent"], RandomKernelSVC())
