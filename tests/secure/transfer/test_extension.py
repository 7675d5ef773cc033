import numpy as np
import pytest

from shoal.errors import ProtocolError
from shoal.parties import memory_pair, run_parties
from shoal.secure._ring import Ring
from shoal.secure.transfer._base_transfer import receive_keys, send_keys
from shoal.secure.transfer._consistency import random_factors
from shoal.secure.transfer._extension import (
    ExtensionReceiver,
    ExtensionSender,
    _columns,
    _stream,
    _transpose,
)
from shoal.secure.transfer._transfer import chosen_lanes, chosen_sums, offer_lanes, offer_sums


def test_the_receiver_gets_exactly_the_chosen_base_key():
    choices = np.random.default_rng(0).integers(0, 2, 20).astype(bool)
    pairs, keys = run_parties(
        lambda line: send_keys(line, 20), lambda line: receive_keys(line, choices)
    )
    for pair, key, choice in zip(pairs, keys, choices, strict=True):
        assert key == pair[int(choice)]
        assert key != pair[1 - int(choice)]
    assert len({key for pair in pairs for key in pair}) == 40


@pytest.mark.parametrize("opening", [b"\x04" + bytes(64), bytes(65), b"\x04" * 65, b"short", 7])
def test_a_point_that_is_not_on_the_curve_is_refused(opening):
    with pytest.raises(ProtocolError, match="point"):
        run_parties(
            lambda line: line.send(opening), lambda line: receive_keys(line, np.ones(2, bool))
        )


def test_bit_matrices_are_transposed():
    columns = np.random.default_rng(1).integers(0, 256, (128, 24), dtype=np.uint8)
    bits = np.unpackbits(columns, axis=1, bitorder="little").T
    expected = np.ascontiguousarray(np.packbits(bits, axis=1, bitorder="little")).view(np.uint64)
    np.testing.assert_array_equal(_transpose(columns), expected)


# AES-128 under the key of zeros of the counters 0, 1 and 2: the hash key of test case 1 of the
# specification of GCM (McGrew, Viega 2005), its tag, and the ciphertext of test case 2.
COUNTED = (
    "66e94bd4ef8a2c3b884cfa59ca342b2e"
    "58e2fccefa7e3061367f1d57a4e7455a"
    "0388dace60b6a392f328c2b971b2fe78"
)


def test_generators_of_columns_give_the_published_blocks():
    streams = [_stream(bytes(16)) for _ in range(128)]
    parts = [_columns(streams, octets) for octets in (16, 8, 24)]  # a stream goes on
    columns = np.concatenate(parts, axis=1)
    assert {row.tobytes().hex() for row in columns} == {COUNTED}
    factors = random_factors(bytes(16), 3)
    assert factors.astype("<u8").tobytes().hex() == COUNTED


def test_rows_differ_by_the_offset_where_chosen_and_streams_go_on(monkeypatch):
    import shoal.secure.transfer._extension as extension

    monkeypatch.setattr(extension, "_CHUNK", 128)
    rng = np.random.default_rng(2)
    choices = [rng.integers(0, 2, n).astype(bool) for n in (1, 300, 65)]

    def first(line):
        sender = ExtensionSender(line)
        return sender.offset, [sender.extend(len(c)) for c in choices]

    def second(line):
        receiver = ExtensionReceiver(line)
        return [receiver.extend(c) for c in choices]

    (offset, q), t = run_parties(first, second)
    for rows_q, rows_t, c in zip(q, t, choices, strict=True):
        np.testing.assert_array_equal(rows_q ^ rows_t, np.where(c[:, None], offset, 0))
    everything = {row.tobytes() for rows in t for row in rows}
    assert len(everything) == 366


@pytest.mark.parametrize("bits", [8, 64, 83, 192])
def test_sums_are_offered(bits):
    rng, ring = np.random.default_rng(3), Ring(bits)
    choices = rng.integers(0, 2, 100).astype(bool)
    amounts = [int(v) for v in rng.integers(-(2**62), 2**62, 100)]
    zero, taken = run_parties(
        lambda line: offer_sums(line, ExtensionSender(line), ring, ring.limbs(amounts)),
        lambda line: chosen_sums(line, ring, ExtensionReceiver(line).extend(choices), choices),
    )
    got = ring.integers(ring.subtract(taken, zero))
    assert got == [
        a % ring.modulus if c else 0 for a, c in zip(amounts, choices.tolist(), strict=True)
    ]


def test_lanes_are_offered():
    rng = np.random.default_rng(4)
    choices = rng.integers(0, 2, 50).astype(bool)
    amounts = rng.integers(0, 2**32, (50, 3), dtype=np.uint32)
    zero, taken = run_parties(
        lambda line: offer_lanes(line, ExtensionSender(line), amounts),
        lambda line: chosen_lanes(line, ExtensionReceiver(line).extend(choices), choices, 3),
    )
    np.testing.assert_array_equal(taken - zero, amounts * choices[:, None])


def test_too_few_columns_are_refused():
    def wrong(line):
        ExtensionReceiver(line)
        line.send(np.zeros((3, 8), np.uint8))

    with pytest.raises(ProtocolError, match="columns of 10 transfers"):
        run_parties(lambda line: ExtensionSender(line).extend(10), wrong)


def test_what_the_sender_sees_does_not_depend_on_the_choices():
    """The columns are masked by a generator the sender cannot run: their bits are balanced."""
    for fill in (np.zeros, np.ones):
        ends = memory_pair(record=True)
        run_parties(
            lambda line: ExtensionSender(line).extend(4096),
            lambda line, fill=fill: ExtensionReceiver(line).extend(fill(4096, bool)),
            channels=ends,
        )
        columns = ends[0].transcript.frames[-1][1][-128 * 512 :]
        share = np.unpackbits(np.frombuffer(columns, np.uint8)).mean()
        assert abs(share - 0.5) < 5 * 0.5 / np.sqrt(128 * 4096)
