"""The SPU engine gives the tree of the circuits; skipped where SPU is not installed."""

import numpy as np
import pytest

from shoal.errors import MissingExtraError, ParameterError
from shoal.parties import make_keys, memory_pair, run_parties
from shoal.secure import SecureID3, TablePart
from shoal.secure.miners._spu import FirstSPUParty, SecondSPUParty
from tests.extras import need
from tests.reference.id3 import id3, nested
from tests.reference.processes import free_addresses


@pytest.mark.parametrize("tls", [False, True])
def test_the_tree_is_that_of_pooled_data(tls, tmp_path):
    need("spu")
    rng = np.random.default_rng(0)
    codes = rng.integers(0, [3, 2, 2, 2], (300, 4)).astype(np.int32)
    codes[:, 3] = np.where(rng.random(300) < 0.8, (codes[:, 0] == 1) ^ codes[:, 1], codes[:, 3])
    names, values = ["a", "b", "c", "class"], [["x", "y", "z"], *[["x", "y"]] * 3]
    addresses = tuple(free_addresses(2))
    keys = {}
    for name in ("first", "second"):
        key, certificate, _ = make_keys(name, tmp_path)
        keys[name] = {"key": key, "certificate": certificate}

    def half(kind, own, peer, rows):
        options = {**keys[own], "peer": keys[peer]["certificate"]} if tls else {}

        def run(channel):
            party = kind(channel, addresses, **options)
            model = SecureID3("class", max_depth=2, reveal_counts=True)
            return model.fit(TablePart(names, values, rows), party)

        return run

    one, two = run_parties(
        half(FirstSPUParty, "first", "second", codes[:120]),
        half(SecondSPUParty, "second", "first", codes[120:]),
    )
    expected, _ = id3(codes, 3, [3, 2, 2, 2], max_depth=2)
    assert nested(one.tree_) == nested(two.tree_) == expected
    assert one.counts_.sum() == 300


@pytest.mark.parametrize("protocol", ["semi2k", "aby3", "SEMI2K"])
def test_protocols_with_a_dealer_or_a_third_party_are_refused(protocol):
    with pytest.raises(ParameterError, match="only cheetah"):
        FirstSPUParty(memory_pair()[0], ("a:1", "b:2"), protocol=protocol)


def test_without_spu_the_error_says_what_to_install(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "spu", None)
    with pytest.raises(MissingExtraError, match=r"shoal\[spu\]"):
        run_parties(
            lambda line: FirstSPUParty(line, ("a:1", "b:2")),
            lambda line: SecondSPUParty(line, ("a:1", "b:2")),
        )
