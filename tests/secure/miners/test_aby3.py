"""Three parties of SPU's ABY3 as processes: the tree of the pooled rows; skipped without SPU."""

import json
import os
import socket
import subprocess
import sys

import numpy as np
import pytest

from shoal.errors import MissingExtraError, ParameterError
from shoal.parties import make_keys
from shoal.secure import SecureBayesNet
from shoal.secure.miners._aby3 import ABY3Party
from tests.extras import ROOT, need
from tests.reference.aby3_party import NAMES
from tests.reference.id3 import id3
from tests.reference.mpyc_party import ARITIES, TREE, part
from tests.secure.miners.test_mpyc import as_dict

LOCAL = ["127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3"]


@pytest.mark.parametrize("tls", [False, True])
def test_all_three_learn_the_tree_of_the_pooled_rows(tls, tmp_path):
    need("spu")
    for name in NAMES:
        make_keys(name, tmp_path)
    servers = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
    addresses = [f"127.0.0.1:{server.getsockname()[1]}" for server in servers]
    for server in servers:
        server.close()
    folder = str(tmp_path) if tls else "-"
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.reference.aby3_party", str(i), folder, *addresses],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for i in range(3)
    ]
    ended = [process.communicate(timeout=300) for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], ended
    learnt = [json.loads(out[out.index("{") :]) for out, _ in ended]
    expected, _ = id3(TREE, 2, ARITIES, max_depth=2)
    values = part(TREE, ARITIES, 0).values
    assert [found["tree"] for found in learnt] == [as_dict(expected, values)] * 3
    assert np.sum(learnt[0]["counts"]) == len(TREE)


@pytest.mark.parametrize(
    ("index", "addresses", "message"),
    [
        (0, LOCAL[:2], "at least three"),
        (3, LOCAL, "index is 0 to 2"),
        (0, [*LOCAL, "127.0.0.1:4"], "has three parties"),
        (0, [*LOCAL[:2], "192.0.2.7:3"], "plain text"),
    ],
)
def test_impossible_places_and_lines_in_plain_text_are_refused(index, addresses, message):
    with pytest.raises(ParameterError, match=message):
        ABY3Party(index, addresses)


def test_without_spu_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "spu", None)
    with pytest.raises(MissingExtraError, match=r"shoal\[spu\]"):
        ABY3Party(0, LOCAL)


def test_nets_are_refused(monkeypatch):
    party = object.__new__(ABY3Party)
    monkeypatch.setattr(ABY3Party, "agree", lambda *_: None)
    monkeypatch.setattr(ABY3Party, "all_rows", lambda *_: 3)
    with pytest.raises(ParameterError, match="trees only"):
        SecureBayesNet().fit(part(TREE, ARITIES, 0), party)
