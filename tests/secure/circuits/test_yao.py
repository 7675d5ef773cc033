"""Garbled circuits give what the circuit gives in the clear, and notice damage."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from shoal.errors import ParameterError, ProtocolError
from shoal.parties import memory_pair
from shoal.secure._hash import LabelHash
from shoal.secure._ring import Ring, random_words
from shoal.secure.circuits._circuit import Builder
from shoal.secure.circuits._garbling import evaluate, garble, output_labels, random_offset
from shoal.secure.circuits._yao import Program

slow = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=15
)


def random_circuit(seed, n_first=5, n_second=4, n_gates=40):
    rng = np.random.default_rng(seed)
    b = Builder(n_first, n_second)
    literals = [*b.first, *b.second]
    for _ in range(n_gates):
        x, y = (
            int(literals[i]) ^ int(rng.integers(2)) for i in rng.integers(len(literals), size=2)
        )
        literals.append((b.and_, b.xor, b.or_)[rng.integers(3)](x, y))
    outputs = [literals[i] for i in rng.integers(len(literals), size=6)]
    return b.finish([*outputs, 0, 1])


def run(party, program, bits):
    return party.run(program, bits)


@slow
@given(seed=st.integers(0, 2**32 - 1), batch=st.integers(1, 5))
def test_opened_outputs_equal_the_clear_evaluation(both, seed, batch):
    circuit = random_circuit(seed)
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 2, (batch, circuit.n_first)).astype(bool)
    second = rng.integers(0, 2, (batch, circuit.n_second)).astype(bool)
    program = Program(circuit, len(circuit.outputs))
    got = both(run, (program, first), (program, second))
    for end in got:
        np.testing.assert_array_equal(end.opened, circuit.evaluate(first, second))


@slow
@given(seed=st.integers(0, 2**32 - 1), bits=st.sampled_from([8, 64, 83, 139]))
def test_projected_outputs_are_shares_of_weighted_bits(both, seed, bits):
    circuit = random_circuit(seed)
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 2, (3, circuit.n_first)).astype(bool)
    second = rng.integers(0, 2, (3, circuit.n_second)).astype(bool)
    ring = Ring(bits)
    weights = tuple(int(w) for w in rng.integers(-(2**40), 2**40, 6))
    program = Program(circuit, 2, ring, weights, (0, 1, 0, 1, 1, 0))
    got = both(run, (program, first), (program, second))
    clear = circuit.evaluate(first, second)
    np.testing.assert_array_equal(got[0].opened, clear[:, :2])
    for value in (0, 1):
        shares = ring.add(got[0].shares[value], got[1].shares[value])
        expected = [
            sum(
                int(bit) * w
                for bit, w, v in zip(row[2:], weights, program.values, strict=True)
                if v == value
            )
            % ring.modulus
            for row in clear
        ]
        assert ring.integers(shares) == expected


@slow
@given(seed=st.integers(0, 2**32 - 1), bits=st.sampled_from([8, 64, 83]))
def test_a_value_times_the_garblers_numbers_and_split_bits(both, seed, bits):
    circuit = random_circuit(seed)
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 2, (3, circuit.n_first)).astype(bool)
    second = rng.integers(0, 2, (3, circuit.n_second)).astype(bool)
    ring, numbers = Ring(bits), [5, 2**40 + 3, 0]
    factors = (
        lambda shares: ring.limbs(numbers),
        lambda shares: ring.add(shares[0], shares[-1]),  # of what was shared before
    )
    program = Program(circuit, 0, ring, (1, 2, -4, 9), (0, 0, 0, 1), factors=factors, n_split=4)
    one, two = both(run, (program, first), (program, second))
    clear = circuit.evaluate(first, second)
    np.testing.assert_array_equal(one.split ^ two.split, clear[:, 4:])
    value, _, product, last = (
        ring.integers(ring.add(a, b)) for a, b in zip(one.shares, two.shares, strict=True)
    )
    m = ring.modulus
    assert value == [(int(r[0]) + 2 * int(r[1]) - 4 * int(r[2])) % m for r in clear]
    assert product == [v * n % m for v, n in zip(value, numbers, strict=True)]
    own = ring.integers(ring.add(one.shares[0], one.shares[2]))
    assert last == [v * n % m for v, n in zip(value, own, strict=True)]


def test_labels_never_repeat_across_wires_copies_and_batches():
    circuit = random_circuit(3)
    seen = []
    for _ in range(2):
        offset = random_offset()
        inputs = random_words(circuit.n_inputs, 7, 2)
        tables, wires = garble(circuit, inputs, offset, LabelHash.fresh())
        ands = [w for w, gate in enumerate(circuit.gates, circuit.n_inputs) if gate[0]]
        fresh = np.concatenate([wires[: circuit.n_inputs], wires[ands]])
        seen += [fresh.reshape(-1, 2), (fresh ^ offset).reshape(-1, 2), tables.reshape(-1, 2)]
    labels = {row.tobytes() for row in np.concatenate(seen)}
    assert len(labels) == sum(map(len, seen))


def test_tweaks_are_used_once():
    label_hash = LabelHash.fresh()
    tweaks = np.concatenate([label_hash.tweaks(3, 4).ravel(), label_hash.tweaks(5)])
    assert len(set(tweaks.tolist())) == 17


def test_the_label_hash_is_the_published_construction():
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    key = bytes(range(16))
    block = Cipher(algorithms.AES(key), modes.ECB()).encryptor().update

    def xor(x, y):
        return bytes(p ^ q for p, q in zip(x, y, strict=True))

    labels = random_words(4, 2)
    got = LabelHash(key)(labels, np.arange(4, dtype=np.uint64))
    for i, (label, result) in enumerate(zip(labels, got, strict=True)):
        inner = block(label.tobytes())
        tweak = i.to_bytes(8, "little") + bytes(8)
        assert xor(block(xor(inner, tweak)), inner) == result.tobytes()
    wide = LabelHash(key).words(labels, np.arange(4, dtype=np.uint64), 3)
    np.testing.assert_array_equal(wide[:, :2], got)


def test_every_flipped_bit_of_a_garbled_table_that_is_read_is_noticed():
    b = Builder(1, 1)
    circuit = b.finish([b.and_(b.first[0], b.second[0])])
    noticed = 0
    for bit in range(0, 256, 17):
        offset, label_hash = random_offset(), LabelHash.fresh()
        inputs = random_words(circuit.n_inputs, 1, 2)
        tables, wires = garble(circuit, inputs, offset, label_hash)
        outputs = output_labels(circuit, wires, offset)
        tables.view(np.uint8).reshape(-1)[bit // 8] ^= 1 << bit % 8
        active = inputs ^ offset  # both inputs true
        got = evaluate(circuit, active, tables, LabelHash(label_hash.key))[-1]
        valid = {outputs.tobytes(), (outputs ^ offset).tobytes()}
        noticed += got.tobytes() not in valid
        assert got.tobytes() != outputs.tobytes()  # never a silent wrong answer
    assert noticed > 0


def test_a_damaged_garbling_is_a_protocol_error_and_not_a_wrong_result(both, monkeypatch):
    import shoal.secure.circuits._yao as yao

    def damaged(*arguments):
        tables, wires = garble(*arguments)
        return tables ^ np.uint64(2**40), wires

    monkeypatch.setattr(yao, "garble", damaged)
    circuit = random_circuit(5)
    program = Program(circuit, len(circuit.outputs))
    bits = np.ones((8, 5), bool), np.ones((8, 4), bool)
    with pytest.raises(ProtocolError, match="did not decode"):
        both(run, (program, bits[0]), (program, bits[1]))


def test_an_evaluator_cannot_invent_a_result(both, monkeypatch):
    import shoal.secure.circuits._yao as yao

    original = yao.active_outputs

    def lie(circuit, wires):
        return original(circuit, wires) ^ np.uint64(1)

    monkeypatch.setattr(yao, "active_outputs", lie)
    monkeypatch.setattr(yao, "_decode", lambda *arguments: np.zeros((1, 8), bool))
    circuit = random_circuit(5)
    program = Program(circuit, len(circuit.outputs))
    bits = np.ones((1, 5), bool), np.ones((1, 4), bool)
    with pytest.raises(ProtocolError, match="cannot give"):
        both(run, (program, bits[0]), (program, bits[1]))


def test_batches_larger_than_a_message_are_cut(both, monkeypatch):
    import shoal.secure.circuits._yao as yao

    monkeypatch.setattr(yao, "_BATCH_BYTES", 4000)
    circuit = random_circuit(8)
    rng = np.random.default_rng(8)
    first, second = rng.integers(0, 2, (20, 5)) > 0, rng.integers(0, 2, (20, 4)) > 0
    program = Program(circuit, len(circuit.outputs))
    assert program.batch < 20
    got = both(run, (program, first), (program, second))
    np.testing.assert_array_equal(got[1].opened, circuit.evaluate(first, second))


def test_rounds_and_bytes_are_as_declared(both):
    circuit = random_circuit(11)
    program = Program(circuit, len(circuit.outputs))
    ends = memory_pair()

    def measured(party, bits):
        start = party.channel.transcript.to_dict()
        party.run(program, bits)
        end = party.channel.transcript.to_dict()
        return {name: end[name] - start[name] for name in end}

    batch = 64
    first, second = both(
        measured, (np.ones((batch, 5), bool),), (np.ones((batch, 4), bool),), channels=ends
    )
    per_copy = 32 * circuit.n_and + 16 * (1 + 5) + 16 * 4 + 32 * len(circuit.outputs)
    assert first["bytes_sent"] - batch * per_copy < 600  # frames and names
    assert second["bytes_sent"] - batch * 16 * (4 + len(circuit.outputs)) < 400
    assert (first["messages_sent"], second["messages_sent"]) == (1, 2)


def test_wrong_input_shapes_are_refused():
    circuit = random_circuit(1)
    with pytest.raises(ParameterError, match="takes 5 input bits"):
        circuit.evaluate(np.ones((1, 3), bool), np.ones((1, 4), bool))
