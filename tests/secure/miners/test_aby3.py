"""Three parties of SPU's ABY3 as processes: the tree of the pooled rows; skipped without SPU."""

import sys

import numpy as np
import pytest

from shoal.errors import MissingExtraError, ParameterError
from shoal.parties import make_keys
from shoal.secure import SecureBayesNet
from shoal.secure.miners._aby3 import ABY3Party
from tests.extras import need
from tests.reference.aby3_party import NAMES
from tests.reference.id3 import id3
from tests.reference.mpyc_party import ARITIES, TREE, part
from tests.reference.processes import run_equals
from tests.secure.miners.test_mpyc import as_dict

LOCAL = ["127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3"]


@pytest.mark.parametrize("tls", [False, True])
def test_all_three_learn_the_tree_of_the_pooled_rows(tls, tmp_path):
    need("spu")
    for name in NAMES:
        make_keys(name, tmp_path)
    learnt = run_equals("tests.reference.aby3_party", str(tmp_path) if tls else "-")
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
