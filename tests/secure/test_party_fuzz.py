"""Corrupted messages, by a fixed seed: an error of ours in time, and never a wrong model.

What a message says in the right type, shape and range is found by comparing digests of all messages
before an outcome is used.  Only a party that means to deceive, and lies about its digests as well,
can make another model; protocols for semi-honest parties promise nothing about that.
"""

import random
import time

import pytest

from shoal.errors import ProtocolError
from shoal.parties import memory_pair, run_parties
from shoal.parties._channel import HEADER_SIZE
from shoal.parties._wire import Reader, encode
from shoal.secure import FirstParty, SecondParty
from tests.fuzz.messages import LIMIT, RUNS, both_ends, corrupted, parts, run_case


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
    start = time.process_time()
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
    assert time.process_time() - start < 60
    assert len(messages) > 1000
    assert max(map(len, messages)) < 300


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_a_run_with_a_corrupted_message_ends_in_time_with_an_error_and_never_a_wrong_model(first):
    """Two hundred here; `make fuzz` goes on."""
    found = [run_case(case) for case in range(first, first + 50)]
    assert set(found) <= {None, "unharmed"}
    assert found.count(None) > 25  # unharmed: the message was one too many, or the last word


@pytest.mark.parametrize("who", [0, 1])
def test_what_is_damaged_on_its_way_never_gives_a_model(who):
    (_, total) = both_ends("id3", -1, 0, who)
    for number in range(1, total + 1, 5):
        results, _ = both_ends("id3", number, number, who, digest=False)
        assert isinstance(results[1 - who], ProtocolError)
