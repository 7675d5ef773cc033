"""What a party sees: as if it were drawn, whatever the other one has, and never the same twice.

The tests can fail: `test_the_tests_can_fail` shows what they say of a line without masks.
"""

import numpy as np
import pytest

from shoal.parties import memory_pair, run_parties
from shoal.parties._channel import HEADER_SIZE
from shoal.secure import FirstParty, SecondParty, Settings
from shoal.secure._ring import Ring
from shoal.secure.circuits._circuit import Builder
from shoal.secure.circuits._library import add, any_of
from shoal.secure.circuits._yao import Program
from shoal.secure.transfer._bits import multiply_bits

N = 3000
RING = Ring(64)
LIMIT = 6.0  # standard deviations: once in a billion


def sums(party, full):
    return party.inner_products(RING, [[full * (2**64 - 1)] * 4] * (N // 64))


def tables(party, full):
    return party.count_products(np.full((4, N), bool(full)))


def bits(party, full):
    return multiply_bits(party, *[np.full((4, N), bool(full))] * 2, [(0, 1), (2, 3), (1, 1)])


def circuits(party, full):
    b = Builder(16, 16)
    total, _ = add(b, b.first, b.second)
    several = Program(b.finish([any_of(b, total), *total]), 0, RING, (1, *[7] * 16), (0, *[1] * 16))
    return party.run(several, np.full((N // 16, 16), bool(full)))


def in_the_clear(party, full):
    """What none of them may be."""
    party.channel.send(np.full(N, 255 * full, np.uint8))
    return party.channel.receive()


def view(protocol, seat, others, settings=None):
    """Bytes of the long messages that a seat receives; its own input is 0, the other's extreme."""
    ends = memory_pair(record=True)

    def half(index, cls):
        full = others if index != seat else 0
        return lambda line: protocol(cls(line, settings), full)

    run_parties(half(0, FirstParty), half(1, SecondParty), channels=ends)
    frames = [frame[HEADER_SIZE:] for way, frame in ends[seat].transcript.frames if way == "<"]
    return [frame[len(frame) % 8 :] for frame in frames if len(frame) > 1000]


def distance(one, two):
    """How far apart the bytes of two views are, in standard deviations of two that are alike."""
    counts = np.array(
        [np.bincount(np.frombuffer(b"".join(v), np.uint8), minlength=256) for v in (one, two)]
    )
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / counts.sum()
    squares = ((counts - expected) ** 2 / np.maximum(expected, 1e-9)).sum()
    return (squares - 255) / np.sqrt(2 * 255)


def repeated(one, two):
    """Share of the words of eight bytes of one view that are in another one as well."""
    words = [np.frombuffer(b"".join(v), "<u8") for v in (one, two)]
    return np.isin(*words).mean()


PROTOCOLS = (sums, tables, bits, circuits)


@pytest.mark.parametrize("seat", [0, 1], ids=["first", "second"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("check", [False, True], ids=["", "checked"])
def test_a_view_does_not_depend_on_the_others_input_and_never_comes_twice(protocol, seat, check):
    settings = Settings(check_transfers=check)
    none, all_, again = (view(protocol, seat, full, settings) for full in (0, 1, 1))
    assert distance(none, all_) < LIMIT
    assert repeated(all_, again) < 0.02  # types and shapes of arrays
    assert [len(frame) for frame in none] == [len(frame) for frame in all_]


def test_the_tests_can_fail():
    for seat in (0, 1):
        none, all_, again = (view(in_the_clear, seat, full) for full in (0, 1, 1))
        assert distance(none, all_) > 10 * LIMIT
        assert repeated(all_, again) > 0.2  # the rest are base transfers
