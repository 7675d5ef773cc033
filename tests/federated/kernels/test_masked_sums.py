"""Pairwise masks: sums come out exactly, and a site's own numbers do not."""

import hashlib

import numpy as np
import pytest

from shoal.errors import ParameterError, ProtocolError
from shoal.federated.kernels._masked_sums import MODULUS, SiteMasks, _noise, sum_masked

SECRET = b"s" * 32


def met(*names, secret=SECRET):
    sites = [SiteMasks(name, secret, names) for name in names]
    keys = {site.site: site.public_key() for site in sites}
    for site in sites:
        site.meet(keys)
    return sites


def test_keys_and_noise_are_those_of_their_standards():
    """RFC 7748, section 5.2, one step from 9; FIPS 202's SHAKE-256 of nothing."""
    nine = bytes([9, *bytes(31)])
    point = SiteMasks("a", SECRET, "ab", nine).public_key()[:32]  # 9 is also the base point
    assert point.hex() == "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079"
    empty = _noise(b"", 0, 0)
    assert empty == []
    data = hashlib.shake_256(b"").digest(16)
    assert data.hex() == "46b9dd2b0ba88d13233b3feb743eeb24"
    expected = hashlib.shake_256(b"key" + bytes([7, *bytes(7)])).digest(32)
    assert _noise(b"key", 7, 2) == [
        int.from_bytes(expected[:16], "little"),
        int.from_bytes(expected[16:], "little"),
    ]


@pytest.mark.parametrize("count", [2, 3, 5])
def test_masks_cancel_in_the_sum(count):
    rng = np.random.default_rng(count)
    sites = met(*(f"site{i}" for i in range(count)))
    numbers = rng.normal(0, 1e5, (count, 40))
    for step in range(3):
        masked = [site.mask(own, step) for site, own in zip(sites, numbers, strict=True)]
        np.testing.assert_allclose(sum_masked(masked, 40), numbers.sum(axis=0), rtol=1e-14)


def test_what_a_site_sends_is_noise_and_never_the_same_twice():
    one, _ = met("a", "b")
    first, second = (one.mask(np.zeros(2000), step) for step in (0, 1))
    assert not (first == second).any()
    bits = np.unpackbits(first.view(np.uint8))
    assert abs(bits.mean() - 0.5) < 0.01


def test_a_missing_site_leaves_noise_and_an_error():
    sites = met("a", "b", "c")
    masked = [site.mask(np.ones(3), 0) for site in sites]
    with pytest.raises(ProtocolError, match="do not cancel"):
        sum_masked(masked[:2], 3)
    with pytest.raises(ProtocolError, match="something else"):
        sum_masked([masked[0][:2]], 3)
    other = [site.mask(np.ones(3), step) for step, site in enumerate(sites)]
    with pytest.raises(ProtocolError, match="do not cancel"):
        sum_masked(other, 3)


def test_masks_of_other_questions_do_not_cancel():
    one, two = met("a", "b")
    for asked, fits in ((b"this", True), (b"that", False)):
        masked = [one.mask(np.ones(3), 0, b"this"), two.mask(np.ones(3), 0, asked)]
        if fits:
            assert sum_masked(masked, 3).tolist() == [2, 2, 2]
        else:
            with pytest.raises(ProtocolError, match="do not cancel"):
                sum_masked(masked, 3)


def test_a_trainer_cannot_put_his_own_key_in_place_of_a_sites():
    site, other = SiteMasks("a", SECRET, "ab"), SiteMasks("b", SECRET, "ab")
    trainer = SiteMasks("b", b"not the kernel's secret", "ab")
    with pytest.raises(ProtocolError, match="holder of the kernel"):
        site.meet({"a": site.public_key(), "b": trainer.public_key()})
    with pytest.raises(ProtocolError, match="another key"):
        site.meet({"a": other.public_key(), "b": other.public_key()})
    swapped = SiteMasks("a", SECRET, "ac")  # b's key under another name
    with pytest.raises(ProtocolError, match="holder of the kernel"):
        swapped.meet({"a": swapped.public_key(), "c": other.public_key()})
    with pytest.raises(ParameterError, match="not met"):
        site.mask(np.zeros(1), 0)


def test_a_site_adds_to_sums_over_the_agreed_sites_and_to_no_others():
    """From the sums of a and b, b and c, and a and c follows what each site has alone."""
    sites = {name: SiteMasks(name, SECRET, "abc") for name in "abc"}
    for asked in ("ab", "ac", "a", "abcd"):
        keys = {name: SiteMasks(name, SECRET, asked + "z").public_key() for name in asked}
        with pytest.raises(ProtocolError, match="not the 3 that agreed"):
            sites["a"].meet(keys | {"a": sites["a"].public_key()})
    for alone in ("a", "b"):
        with pytest.raises(ParameterError, match="at least one other"):
            SiteMasks("a", SECRET, alone)


def test_numbers_that_could_wrap_are_refused():
    one, _ = met("a", "b")
    for number in (np.nan, np.inf, 2.0**60):
        with pytest.raises(ParameterError, match="too large"):
            one.mask(np.array([number]), 0)
    assert MODULUS // 2 > 3 * 2**120
