"""Half gates by a slow twin that is written from the paper, one gate and one row at a time."""

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from shoal.secure._hash import LabelHash
from shoal.secure.circuits._circuit import Builder
from shoal.secure.circuits._garbling import evaluate, garble
from tests.secure.circuits.test_yao import random_circuit

KEY = bytes(range(16))


def hashed(label, tweak):
    encrypt = Cipher(algorithms.AES(KEY), modes.ECB()).encryptor().update
    inner = int.from_bytes(encrypt(label.to_bytes(16, "little")), "little")
    outer = encrypt((inner ^ tweak).to_bytes(16, "little"))
    return int.from_bytes(outer, "little") ^ inner


def slow_half_gate(a, b, offset, j, k):
    """Garble an AND gate as in figure 2 of the paper: two ciphertexts and the false-label."""
    p_a, p_b = a & 1, b & 1
    generator = hashed(a, j) ^ hashed(a ^ offset, j) ^ (offset if p_b else 0)
    left = hashed(a, j) ^ (generator if p_a else 0)
    evaluator = hashed(b, k) ^ hashed(b ^ offset, k) ^ a
    right = hashed(b, k) ^ (evaluator ^ a if p_b else 0)
    return generator, evaluator, left ^ right


def labels(values):
    return np.frombuffer(b"".join(v.to_bytes(16, "little") for v in values), np.uint64)


def number(label):
    return int.from_bytes(label.tobytes(), "little")


def test_a_gate_is_garbled_as_in_the_paper():
    rng = np.random.default_rng(5)
    for _ in range(8):
        constant, a, b, offset = (int.from_bytes(rng.bytes(16), "little") for _ in range(4))
        offset |= 1
        builder = Builder(1, 1)
        circuit = builder.finish([builder.and_(builder.first[0], builder.second[0])])
        inputs = labels([constant, a, b]).reshape(3, 1, 2)
        tables, wires = garble(circuit, inputs, labels([offset]), LabelHash(KEY))
        generator, evaluator, out = slow_half_gate(a, b, offset, 0, 1)
        assert number(tables[0, 0, 0]) == generator
        assert number(tables[0, 1, 0]) == evaluator
        assert number(wires[-1, 0]) == out
        for x in (0, 1):
            for y in (0, 1):
                held = labels([constant, a ^ x * offset, b ^ y * offset]).reshape(3, 1, 2)
                got = number(evaluate(circuit, held, tables, LabelHash(KEY))[-1, 0])
                assert got == out ^ (x & y) * offset


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
