"""Three equal parties as processes: the tree and the net of the pooled rows."""

import numpy as np
import pytest

from shoal.errors import ParameterError
from shoal.secure import MPyCParty
from shoal.secure.logarithm._fast_logarithm import logarithm_for
from shoal.secure.miners._mpyc_scores import MPyCLogs
from tests.extras import need
from tests.reference.id3 import id3
from tests.reference.k2 import k2
from tests.reference.mpyc_party import ARITIES, NET, TREE, part
from tests.reference.processes import run_equals

need("mpyc")


@pytest.fixture(scope="module")
def learnt():
    return run_equals("tests.reference.mpyc_party")


def as_dict(nested, values):
    if not isinstance(nested, tuple):
        return {"class": values[-1][nested]}
    attribute, children = nested
    return {
        "attribute": f"a{attribute}",
        "children": {
            value: as_dict(child, values)
            for value, child in zip(values[attribute], children, strict=True)
        },
    }


def test_all_three_learn_the_tree_of_the_pooled_rows(learnt):
    log = logarithm_for("chebyshev", len(TREE), 3).clear
    expected, _ = id3(TREE, 2, ARITIES, max_depth=2, log=log)
    values = part(TREE, ARITIES, 0).values
    assert [found["tree"] for found in learnt] == [as_dict(expected, values)] * 3
    assert np.sum(learnt[0]["counts"]) == len(TREE)
    assert learnt[0]["logarithms"] > 0


def test_all_three_learn_the_net_of_the_pooled_rows(learnt):
    expected, margin = k2(NET, [2] * 3, [0, 1, 2], 1)
    assert margin > 0.5
    assert [found["parents"] for found in learnt] == [expected] * 3


@pytest.mark.parametrize(
    ("index", "addresses"),
    [
        (0, ["127.0.0.1:1", "127.0.0.1:2"]),
        (3, ["127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3"]),
        (0, ["127.0.0.1:1", "192.0.2.7:2", "127.0.0.1:3"]),
        (0, ["127.0.0.1:1", "hospital.example:2", "127.0.0.1:3"]),
    ],
)
def test_lines_in_plain_text_and_pairs_are_refused(index, addresses):
    with pytest.raises(ParameterError):
        MPyCParty(index, addresses)


@pytest.mark.parametrize("kind", ["strict", "fast"])
def test_logarithms_that_are_circuits_of_two_parties_are_refused(kind):
    with pytest.raises(ParameterError, match="'chebyshev' or 'taylor'"):
        MPyCLogs(None, logarithm_for(kind, 100, 3))
