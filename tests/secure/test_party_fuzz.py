"""Corrupted messages, by a fixed seed: an error of ours in time, never a traceback or a hang.

What a message says in the right type, shape and range cannot be told from what a party with other
rows would say; protocols for semi-honest parties promise nothing about that.  Everything else
must be refused.
"""

import random
import time

import numpy as np
import pytest

from shoal.errors import ProtocolError, ShoalError
from shoal.parties import memory_pair, run_parties
from shoal.parties._channel import _HEADER, HEADER_SIZE, MAGIC, VERSION, _digest
from shoal.parties._wire import DTYPES, Reader, encode
from shoal.secure import FirstParty, SecondParty, SecureBayesNet, SecureID3, Settings
from tests.secure.test_party_misuse import parts

LIMIT = 5.0
ODD_VALUES = [
    None, True, 0, -1, 2**70, 1.5, float("nan"), "", "role", b"", b"x" * 16, [], {}, (),
    [[[]]], {"role": "FirstParty"}, np.zeros(2), np.zeros((0, 2**40)), np.ones((2, 2), bool),
    np.zeros(3, np.uint64), np.array(7), [np.zeros(1)], {"key": np.zeros(1), "sums": None},
]  # fmt: skip


def corrupted(body, rng):
    """A message that was changed in one of many ways."""
    changed = body
    while changed == body:
        changed = _changed(bytearray(body), rng)
    return changed


def _changed(body, rng):
    match rng.randrange(7):
        case 0:  # one bit, mostly near the start, where types, lengths and shapes are
            spot = rng.randrange(min(len(body), 64) if rng.random() < 0.7 else len(body))
            body[spot] ^= 1 << rng.randrange(8)
        case 1:
            del body[rng.randrange(len(body)) :]
        case 2:
            body += rng.randbytes(rng.randrange(1, 40))
        case 3:  # a length or a number of items
            spot = rng.randrange(min(len(body), 64))
            huge = rng.choice([0, 1, 2**16, 2**31, 2**62, 2**64 - 1])
            body[spot : spot + 8] = huge.to_bytes(8, "little")
        case 4:
            return encode(rng.choice(ODD_VALUES))
        case 5:  # another type of array
            spots = [i for i, b in enumerate(body[:400]) if b == ord("A")]
            if spots:
                spot = rng.choice(spots) + 1
                body[spot : spot + 1] = bytes([rng.randrange(len(DTYPES) + 2)])
        case _:
            start = rng.randrange(len(body))
            body[start : start + 8] = rng.randbytes(rng.randrange(9))
    return bytes(body)


class Recording:
    """A channel that notes what was expected, and what came."""

    def __init__(self, channel, notes):
        self._channel, self._notes = channel, notes

    def __getattr__(self, name):
        return getattr(self._channel, name)

    def receive(self, expected):  # no default: a protocol that takes anything fails here
        message = self._channel.receive(expected)
        self._notes.append((expected, self._channel.transcript.frames[-1][1][HEADER_SIZE:]))
        return message


RUNS = {
    "id3": (lambda: SecureID3("class", max_depth=1, reveal_counts=True), "rows", None),
    "bayes-net": (lambda: SecureBayesNet(max_parents=1), "cells", None),
    "paillier": (
        lambda: SecureID3("class", max_depth=1, logarithm="taylor", terms=2),
        "rows",
        Settings(products="paillier", key_bits=2048),
    ),
}


@pytest.fixture(scope="module")
def received():
    """Every kind of message of three runs, at both ends."""
    notes = []
    for model, split, settings in RUNS.values():
        one, two = parts(split)

        def half(kind, part, model=model, settings=settings):
            def start(line):
                line = Recording(line, notes)
                model().fit(part, kind(line, settings))

            return start

        ends = memory_pair(record=True)
        run_parties(half(FirstParty, one), half(SecondParty, two), channels=ends)
    return notes


def test_every_message_of_every_protocol_says_what_it_expects(received):
    assert len(received) > 60
    assert all(expected.most is not None for expected, _ in received)
    assert all(len(body) <= expected.most for expected, body in received)


def test_2000_corrupted_messages_are_refused_or_are_what_was_expected(received):
    rng = random.Random(2026)
    messages = []
    start = time.monotonic()
    for _ in range(2000):
        expected, body = rng.choice(received)
        reader = Reader(memoryview(corrupted(body, rng)), time.monotonic() + LIMIT)
        try:
            message = expected.read(reader)
            reader.finish()
        except ProtocolError as error:
            messages.append(str(error))
        else:  # changed in content only
            assert len(encode(message)) <= expected.most
    assert time.monotonic() - start < 60
    assert len(messages) > 1000
    assert max(map(len, messages)) < 300


class Corrupting:
    """A channel whose n-th message leaves in another form, in a frame that is in order."""

    def __init__(self, channel, number, rng, *, digest=True):
        self._channel, self._number, self._rng = channel, number, rng
        self._digest, self.count = digest, 0

    def __getattr__(self, name):
        return getattr(self._channel, name)

    def send(self, message):
        self.count += 1
        if self.count != self._number:
            return self._channel.send(message)
        good = encode(message)
        bad = corrupted(good, self._rng)
        digest = _digest(bad if self._digest else good)
        head = _HEADER.pack(MAGIC, VERSION, self._channel._next_sent, len(bad), digest)
        self._channel._next_sent += 1
        return self._channel._write(head + bad)


def corrupted_run(name, number, seed, who, *, digest=True):
    """Fit at both ends; both models, and how many messages one end sent."""
    model, split, settings = RUNS[name]
    rng, counted = random.Random(seed), []

    def half(kind, part, corrupts):
        def start(line):
            if corrupts:
                line = Corrupting(line, number, rng, digest=digest)
                counted.append(line)
            fitted = model().fit(part, kind(line, settings))
            return fitted.tree_ if hasattr(fitted, "tree_") else fitted.structure_

        return start

    one, two = parts(split)
    models = run_parties(
        half(FirstParty, one, who == 0),
        half(SecondParty, two, who == 1),
        channels=memory_pair(timeout=LIMIT),
    )
    return models, counted[0].count


@pytest.mark.parametrize("who", [0, 1])
@pytest.mark.parametrize("name", ["id3", "bayes-net"])
def test_a_run_with_a_corrupted_message_ends_in_time_with_an_error_of_ours(name, who):
    _, total = corrupted_run(name, -1, 0, who)
    for seed in range(30):
        start = time.monotonic()
        try:
            (one, two), _ = corrupted_run(name, 1 + seed % total, seed, who)
        except ShoalError:
            pass
        else:
            assert one == two
        assert time.monotonic() - start < 3 * LIMIT


@pytest.mark.parametrize("who", [0, 1])
def test_what_is_damaged_on_its_way_never_gives_a_model(who):
    _, total = corrupted_run("id3", -1, 0, who)
    for number in range(1, total + 1, 3):
        with pytest.raises(ProtocolError):
            corrupted_run("id3", number, number, who, digest=False)
