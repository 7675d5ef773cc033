import numpy as np
import pytest

from shoal.errors import ConnectionCutError, ParameterError, ProtocolError, TimeLimitError
from shoal.parties import memory_pair, run_parties
from shoal.parties._channel import _HEADER, MAGIC, VERSION, Channel


def test_what_is_sent_arrives_in_order_and_is_counted():
    here, there = memory_pair()
    here.send(1)
    here.send(np.arange(5))
    assert there.receive() == 1
    np.testing.assert_array_equal(there.receive(), np.arange(5))
    there.send("back")
    assert here.receive() == "back"
    assert here.transcript.to_dict() == {
        "messages_sent": 2,
        "messages_received": 1,
        "bytes_sent": there.transcript.bytes_received,
        "bytes_received": there.transcript.bytes_sent,
        "rounds": 1,
    }
    assert there.transcript.rounds == 1


def test_the_trace_depends_on_sizes_and_order_only():
    def trace(*messages):
        here, _ = memory_pair()
        for message in messages:
            here.send(message)
        return here.transcript.trace()

    assert trace(b"ab", b"c") == trace(b"xy", b"z")
    assert trace(b"ab", b"c") != trace(b"c", b"ab")


def test_silence_ends_in_a_time_limit_error():
    here, _ = memory_pair(timeout=0.05)
    with pytest.raises(TimeLimitError, match=r"within 0\.05 s"):
        here.receive()


def test_a_hang_up_is_noticed_by_every_later_wait():
    here, there = memory_pair()
    there.close()
    for _ in range(2):
        with pytest.raises(ConnectionCutError):
            here.receive()
    with pytest.raises(ConnectionCutError):
        there.send(1)


def _frame(body=b"N", magic=MAGIC, version=VERSION, sequence=0, length=None, digest=None):
    import hashlib

    digest = digest or hashlib.sha256(body).digest()[:16]
    return (
        _HEADER.pack(magic, version, sequence, len(body) if length is None else length, digest)
        + body
    )


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (b"x", "shorter than its header"),
        (_frame(magic=b"HTTP"), "does not speak this protocol"),
        (_frame(version=VERSION + 1), f"speaks version {VERSION + 1}"),
        (_frame(sequence=4), "message 0 expected, 4 received"),
        (_frame(length=2**60), "the limit is"),
        (_frame(length=7), "7 bytes announced"),
        (_frame(digest=b"0" * 16), "damaged"),
        (_frame(b"?"), "unknown type tag"),
    ],
)
def test_a_peer_that_sends_garbage_gets_a_protocol_error(frame, message):
    here, there = memory_pair()
    there._outbox.put(frame)
    with pytest.raises(ProtocolError, match=message):
        here.receive()


def test_any_flipped_bit_is_noticed():
    here, there = memory_pair(record=True)
    here.send({"rows": np.arange(4)})
    frame = here.transcript.frames[0][1]
    there.receive()
    for bit in range(8 * len(frame)):
        damaged = bytearray(frame)
        damaged[bit // 8] ^= 1 << bit % 8
        end, other = memory_pair()
        other._outbox.put(bytes(damaged))
        with pytest.raises(ProtocolError):
            end.receive()


def test_too_large_a_message_is_refused_before_it_is_sent():
    here, there = memory_pair(limit=100)
    with pytest.raises(ProtocolError, match="over the limit of 100"):
        here.send(bytes(200))
    assert here.transcript.messages_sent == 0
    assert there._inbox.empty()


def test_the_first_error_is_the_one_that_is_raised():
    def fails(channel: Channel) -> None:
        raise ProtocolError("mine")

    with pytest.raises(ProtocolError, match="mine"):
        run_parties(lambda channel: channel.receive(), fails)


@pytest.mark.parametrize("seconds", [0, -1, float("inf"), float("nan"), 1e300])
def test_time_limits_that_nobody_can_wait_for_are_refused(seconds):
    with pytest.raises(ParameterError, match="time limit"):
        memory_pair(timeout=seconds)
