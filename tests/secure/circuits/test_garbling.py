"""Half gates by a second implementation that is written from the paper, one gate at a time.

Nobody publishes garbled tables to compare with: every program numbers gates and tweaks in its own
way.  The digest below is ours, so that others can compare with us.
"""

import hashlib

import numpy as np
import pytest

from shoal.secure._hash import LabelHash
from shoal.secure.circuits._circuit import Builder
from shoal.secure.circuits._garbling import evaluate, garble
from tests.reference import half_gates
from tests.secure.circuits.test_yao import random_circuit

KEY = bytes(range(16))
GATES = ((False, 2, 6), (False, 4, 8), (False, 4, 6), (True, 8, 12), (False, 6, 14))
ADDER = "1e2850e6def66ea2f5582b46227232501d21cc7eaeb8a84006fca595363ff2d3"


def labels(values):
    return np.frombuffer(b"".join(v.to_bytes(16, "little") for v in values), np.uint64)


def number(label):
    return int.from_bytes(label.tobytes(), "little")


def random_labels(rng, *shape):
    return np.frombuffer(rng.bytes(16 * int(np.prod(shape))), np.uint64).reshape(*shape, 2)


@pytest.mark.parametrize("seed", range(6))
def test_whole_circuits_are_garbled_and_evaluated_as_in_the_paper(seed):
    circuit, rng, copies = random_circuit(seed), np.random.default_rng(seed), 3
    inputs = random_labels(rng, circuit.n_inputs, copies)
    offset = random_labels(rng)
    offset = offset | np.array([1, 0], np.uint64)
    tables, wires = garble(circuit, inputs, offset, LabelHash(KEY))
    bits = rng.integers(0, 2, (circuit.n_inputs, copies, 1)).astype(np.uint64)
    bits[0] = 0  # the constant
    held = inputs ^ bits * offset
    active = evaluate(circuit, held, tables, LabelHash(KEY))
    shape = circuit.n_inputs, circuit.gates
    for copy in range(copies):
        own = [number(label) for label in inputs[:, copy]]
        place = {"key": KEY, "copies": copies, "copy": copy}
        slow, ciphertexts = half_gates.garble(*shape, own, number(offset), **place)
        assert [number(label) for label in wires[:, copy]] == slow
        ours = [(number(g[copy]), number(e[copy])) for g, e in tables]
        assert ours == ciphertexts
        chosen = [number(label) for label in held[:, copy]]
        theirs = half_gates.evaluate(*shape, chosen, ours, **place)
        assert [number(label) for label in active[:, copy]] == theirs


def test_the_tables_of_a_full_adder_stay_what_they_are():
    """Key 00 01 .. 0f; labels and offset are SHA-256 of "wire 0" .. "wire 3" and "offset"."""

    def label(text):
        return np.frombuffer(hashlib.sha256(text.encode()).digest()[:16], np.uint64).copy()

    b = Builder(2, 1)
    x, y, carry = *b.first, *b.second
    first = b.xor(x, carry)
    circuit = b.finish([b.xor(first, y), b.xor(carry, b.and_(first, b.xor(y, carry)))])
    assert circuit.gates == GATES
    inputs = np.array([label(f"wire {i}") for i in range(4)])[:, None]
    offset = label("offset")
    offset[0] |= np.uint64(1)
    tables, _ = garble(circuit, inputs, offset, LabelHash(KEY))
    assert tables.tobytes().hex() == ADDER


def test_wires_of_random_circuits_carry_one_of_their_two_labels():
    rng = np.random.default_rng(6)
    for seed in range(5):
        circuit = random_circuit(seed)
        offset = labels([int.from_bytes(rng.bytes(16), "little") | 1])
        shape = (circuit.n_inputs, 4, 2)
        inputs = rng.integers(0, 2**63, shape).astype(np.uint64)
        first, second = (
            rng.integers(0, 2, (4, n)).astype(bool) for n in (circuit.n_first, circuit.n_second)
        )
        bits = np.concatenate([np.zeros((1, 4), bool), first.T, second.T])
        tables, wires = garble(circuit, inputs, offset, LabelHash(KEY))
        held = inputs ^ np.where(bits[..., None], offset, 0).astype(np.uint64)
        got = evaluate(circuit, held, tables, LabelHash(KEY))
        truth = ((got ^ wires) == offset).all(axis=-1)
        assert (truth | (got == wires).all(axis=-1)).all()
        outputs = np.array(circuit.outputs)
        clear = (truth[outputs >> 1] ^ (outputs & 1).astype(bool)[:, None]).T
        np.testing.assert_array_equal(clear, circuit.evaluate(first, second))
