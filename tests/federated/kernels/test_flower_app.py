"""SuperLink and two SuperNodes as processes: the trainer sees sums, the model is that of all."""

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from shoal.federated import RandomKernelSVC, make_share, write_share
from tests.extras import ROOT, need

PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "shoal-together"
version = "1.0.0"
dependencies = []
[tool.hatch.build.targets.wheel]
packages = ["."]
[tool.flwr.app]
publisher = "shoal"
[tool.flwr.app.components]
serverapp = "shoal_app:server"
clientapp = "shoal_app:client"
[tool.flwr.app.config]
sites = "gent,leuven"
nu = 3.0
out = ""
"""
MODULE = """
from shoal.federated.kernels._flower_app import make_site_app, make_trainer_app
server = make_trainer_app()
client = make_site_app()
"""


def free_ports(count):
    servers = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [server.getsockname()[1] for server in servers]
    for server in servers:
        server.close()
    return ports


@pytest.fixture
def start(tmp_path):
    """Start a command of Flower; all that were started are ended with the test."""
    processes = []
    home = tmp_path / "home"
    home.mkdir()
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "src"),
        "FLWR_TELEMETRY_ENABLED": "0",
        "FLWR_HOME": str(home),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONWARNINGS": "ignore",
    }

    def run(name, *arguments):
        log = tmp_path / f"{len(processes)}-{name}.log"
        process = subprocess.Popen(
            [str(Path(sys.executable).parent / name), *arguments],
            env=environment,
            stdout=log.open("w"),
            stderr=subprocess.STDOUT,
            cwd=tmp_path,
            start_new_session=True,
        )
        processes.append((process, log))
        return process

    yield run, home
    for process, _ in reversed(processes):
        process.terminate()
    for process, log in processes:
        try:
            process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
        sys.stdout.write(f"--- {log.name}\n{log.read_text()[-3000:]}\n")  # shown when a test fails


def test_a_model_from_masked_sums_is_that_of_all_rows(kernel, sites, tmp_path, start):
    need("flwr")
    run, home = start
    app = tmp_path / "app"
    app.mkdir()
    (app / "pyproject.toml").write_text(PROJECT)
    (app / "shoal_app.py").write_text(MODULE)
    word = tmp_path / "word"
    word.write_text("open sesame\n")
    kernel.save(tmp_path / "kernel", "open sesame", memory_kib=1024)
    names = ("gent", "leuven")
    shares = [make_share(kernel, sites[name], name, label="dead") for name in names]
    link, *nodes = free_ports(3)
    run(
        "flower-superlink", "--insecure", "--host", "127.0.0.1", "--port", str(link),
        "--disable-runtime-dependency-installation",
    )  # fmt: skip
    for share, port in zip(shares, nodes, strict=True):
        written = write_share(share, tmp_path)
        files = {"share": written, "kernel": tmp_path / "kernel", "passphrase-file": word}
        files["sites"] = "gent,leuven"
        config = " ".join(f'{name}="{path}"' for name, path in files.items())
        run(
            "flower-supernode", "--insecure", "--superlink", f"127.0.0.1:{link}",
            "--host", "127.0.0.1", "--port", str(port), "--node-config", config,
        )  # fmt: skip
    (home / "config.toml").write_text(
        f'[superlink]\ndefault = "here"\n[superlink.here]\naddress = "127.0.0.1:{link}"\n'
        "insecure = true\n"
    )
    out = tmp_path / "model.json"
    _wait(("127.0.0.1", link))
    submitted = run("flwr", "run", str(app), "here", "--run-config", f'out="{out}"')
    end = time.monotonic() + 420  # every step starts processes of Flower's
    while not out.exists() and time.monotonic() < end and not submitted.poll():
        time.sleep(0.3)
    assert out.exists()
    found = json.loads(out.read_text())
    pooled = RandomKernelSVC(nu=3.0).fit_shares(shares)
    got = np.append(found["coef"], found["intercept"])
    expected = np.append(pooled.coef_, pooled.intercept_)
    assert np.linalg.norm(got - expected) <= found["gradient_norm"] + pooled.gradient_norm_ + 1e-12
    for share in shares:
        right = (pooled.decide(share.projection) > 0).astype(int) == share.target["label"]
        assert found["evaluation"][share.site] == pytest.approx(right.mean())


def _wait(address):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with socket.socket() as tried:
            if tried.connect_ex(address) == 0:
                return
        time.sleep(0.2)
    pytest.fail("the SuperLink did not come up")
