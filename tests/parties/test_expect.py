"""Expectations: what fits passes, and everything else is refused before it becomes an object."""

import time

import numpy as np
import pytest

from shoal.errors import ProtocolError, TimeLimitError
from shoal.parties import memory_pair
from shoal.parties._expect import PLAIN, Array, Fields, Octets, Several, Text, Whole
from shoal.parties._wire import MAX_VALUES, encode

ARRAY = Array("numbers", np.uint32, (2, 3))
NUMBER = Whole("a count", 300)
FITS = [
    (NUMBER, 0),
    (NUMBER, 299),
    (Whole("a step", 5, -5), -5),
    (Octets("a key", 4), b"abcd"),
    (Octets("a piece", 4, exact=False), b""),
    (Text("a name", 6), "Köln"),
    (ARRAY, np.arange(6, dtype=np.uint32).reshape(2, 3)),
    (Several("numbers", NUMBER, 2), [1, 2]),
    (Several("numbers", NUMBER, 2, least=0), []),
    (PLAIN, {"depth": None, "names": ["a", "b"], "share": 0.5}),
]
SENT = [message for _, message in FITS] + [
    None, True, 300, -1, 2**500, 1.0, float("inf"), b"abc", "Köln am Rhein", "abcd", [1, 2, 3],
    (1, 2), [1, "2"], {}, {"key": b"abcd"}, np.zeros((2, 3)), np.zeros((3, 2), np.uint32),
    np.zeros((0, 3), np.uint32), np.zeros(6, np.uint32), np.uint32(3), [np.zeros(1)],
]  # fmt: skip


def passed(expected, message):
    here, there = memory_pair(timeout=60)
    here.send(message)
    return there.receive(expected)


@pytest.mark.parametrize(("expected", "message"), FITS)
def test_what_is_expected_passes(expected, message):
    np.testing.assert_equal(passed(expected, message), message)
    assert len(encode(message)) <= expected.most


def number(low, high):
    return lambda m: type(m) in (int, np.uint32) and low <= m < high


KINDS = [
    (NUMBER, number(0, 300)),
    (Whole("a step", 5, -5), number(-5, 5)),
    (Octets("a key", 4), lambda m: isinstance(m, bytes) and len(m) == 4),
    (Octets("a piece", 4, exact=False), lambda m: isinstance(m, bytes)),
    (Text("a name", 6), lambda m: isinstance(m, str) and len(m) < 6),
    (ARRAY, lambda m: isinstance(m, np.ndarray) and m.dtype == np.uint32 and m.shape == (2, 3)),
    (Several("numbers", NUMBER, 2), lambda m: repr(m) == "[1, 2]"),
    (Several("numbers", NUMBER, 2, least=0), lambda m: repr(m) in ("[]", "[1, 2]")),
]


@pytest.mark.parametrize(("expected", "fits"), KINDS)
def test_all_else_is_refused(expected, fits):
    others = [m for m in SENT if not fits(m)]
    assert len(others) > len(SENT) - 8
    for message in others:
        with pytest.raises(ProtocolError):
            passed(expected, message)


@pytest.mark.parametrize(
    "message", [np.zeros(2), [np.zeros(2)], {"a": {"b": np.zeros(1)}}, {"a": [[np.array(3)]]}]
)
def test_parameters_hold_no_arrays(message):
    with pytest.raises(ProtocolError):
        passed(PLAIN, message)


def test_fields_are_exactly_those():
    pair = Fields("a pair", {"one": NUMBER, "two": Octets("a key", 2)})
    assert passed(pair, {"two": b"ab", "one": 7}) == [7, b"ab"]
    for message in (
        {"one": 7},
        {"one": 7, "two": b"ab", "three": 1},
        {"one": b"ab", "two": 7},
        {"one": 7, "three": b"ab"},
        {"one": np.array(7), "two": b"ab"},
        [7, b"ab"],
    ):
        with pytest.raises(ProtocolError):
            passed(pair, message)


def test_more_than_can_fit_is_refused_by_its_header():
    here, there = memory_pair()
    here.send(bytes(10_000))
    with pytest.raises(ProtocolError, match="announces 10009 bytes, the limit is 13"):
        there.receive(Octets("a key", 4))


@pytest.mark.parametrize("tag", [b"L", b"U", b"M"])
def test_many_small_values_are_refused_at_once(tag):
    """20 MB of nothing once took 18 s, beside the time limit."""
    from shoal.parties._wire import decode

    count = 20_000_000
    pairs = b"S" + bytes(8) + b"N" if tag == b"M" else b"N"
    start = time.process_time()
    with pytest.raises(ProtocolError, match="items announced"):
        decode(tag + count.to_bytes(8, "little") + pairs * 100)
    nested = tag + (2).to_bytes(8, "little")
    flat = b"L" + (MAX_VALUES - 2).to_bytes(8, "little") + b"N" * (MAX_VALUES - 2)
    if tag != b"M":
        with pytest.raises(ProtocolError, match="more than"):
            decode(nested + flat + flat)
    assert time.process_time() - start < 5


def test_too_many_values_are_refused_where_they_are_sent():
    here, _ = memory_pair()
    with pytest.raises(ProtocolError, match="Send many numbers as an array"):
        here.send([0] * MAX_VALUES)
    here.send(np.zeros(MAX_VALUES))


def test_the_time_limit_covers_reading(monkeypatch):
    from shoal.parties import _wire

    here, there = memory_pair(timeout=60)
    here.send([0] * 100_000)
    now = time.monotonic()
    ticks = iter(range(10**6))
    monkeypatch.setattr(_wire.time, "monotonic", lambda: now + next(ticks))  # a second per look
    with pytest.raises(TimeLimitError, match="could not be read within"):
        there.receive()
