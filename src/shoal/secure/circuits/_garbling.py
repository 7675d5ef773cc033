"""Half-gates garbling of many copies of one circuit at once.

Free XOR, point and permute, two ciphertexts per AND gate [ZRE15]_.  Labels are 128-bit blocks, the
lowest bit is the colour; every copy of every wire has its own pair of labels, all pairs of a batch
differ by the garbler's secret offset.

.. [ZRE15] S. Zahur, M. Rosulek, D. Evans.  Two halves make a whole.  EUROCRYPT 2015.
   doi:10.1007/978-3-662-46803-6_8
"""

import numpy as np
from numpy.typing import NDArray

from shoal.secure._hash import LabelHash, Labels
from shoal.secure._ring import Bits, random_words
from shoal.secure.circuits._circuit import Circuit

ONE = np.uint64(1)


def random_offset() -> Labels:
    """Return a secret offset; its colour bit is 1, so the two labels of a wire differ in colour."""
    offset = random_words(2)
    offset[0] |= ONE
    return offset


def colour(labels: Labels) -> Bits:
    """Colour bit of each label."""
    return (labels[..., 0] & ONE).astype(np.bool_)


def where(bits: Bits, labels: Labels) -> Labels:
    """Return the labels where a bit is set and 0 elsewhere, without a branch."""
    return labels & -bits.astype(np.uint64)[..., None]


def garble(
    circuit: Circuit, inputs: Labels, offset: Labels, label_hash: LabelHash
) -> tuple[Labels, Labels]:
    """Garble all copies.

    Parameters
    ----------
    circuit : Circuit
        What to garble.
    inputs : array of shape (n_inputs, batch, 2)
        False-labels of the constant and the inputs.
    offset : array of shape (2,)
        The secret offset.
    label_hash : LabelHash
        Fresh for this batch.

    Returns
    -------
    tables : array of shape (n_and, 2, batch, 2)
        What the evaluator needs, in the order of the circuit's layers.
    wires : array of shape (n_wires, batch, 2)
        False-labels of all wires; secret.
    """
    batch = inputs.shape[1]
    wires = np.empty((circuit.n_wires, batch, 2), np.uint64)
    wires[: circuit.n_inputs] = inputs
    tables = np.empty((circuit.n_and, 2, batch, 2), np.uint64)
    done = 0
    for layer in circuit.layers:
        if not layer.is_and:
            wires[layer.out] = wires[layer.left >> 1] ^ wires[layer.right >> 1]
            continue
        a = _literals(wires, layer.left, offset)
        b = _literals(wires, layer.right, offset)
        count = len(layer.out)
        tweaks = label_hash.tweaks(2, count, batch)
        # Half gates: the garbler knows the colour of b, the evaluator learns it, and each half
        # needs one ciphertext.  Their sum is a AND b.
        a0, a1 = label_hash(np.stack([a, a ^ offset]), tweaks[0])
        b0, b1 = label_hash(np.stack([b, b ^ offset]), tweaks[1])
        colour_a, colour_b = colour(a), colour(b)
        generator = a0 ^ a1 ^ where(colour_b, offset)
        evaluator = b0 ^ b1 ^ a
        tables[done : done + count, 0] = generator
        tables[done : done + count, 1] = evaluator
        out = a0 ^ where(colour_a, generator) ^ b0 ^ where(colour_b, evaluator ^ a)
        wires[layer.out] = out
        done += count
    return tables, wires


def evaluate(
    circuit: Circuit, inputs: Labels, tables: NDArray[np.uint64], label_hash: LabelHash
) -> Labels:
    """Active labels of all wires from the active labels of the inputs and the garbled tables."""
    batch = inputs.shape[1]
    wires = np.empty((circuit.n_wires, batch, 2), np.uint64)
    wires[: circuit.n_inputs] = inputs
    done = 0
    for layer in circuit.layers:
        a, b = wires[layer.left >> 1], wires[layer.right >> 1]
        if not layer.is_and:
            wires[layer.out] = a ^ b
            continue
        count = len(layer.out)
        tweaks = label_hash.tweaks(2, count, batch)
        generator, evaluator = tables[done : done + count, 0], tables[done : done + count, 1]
        out = label_hash(a, tweaks[0]) ^ label_hash(b, tweaks[1])
        out ^= where(colour(a), generator)
        out ^= where(colour(b), evaluator ^ a)
        wires[layer.out] = out
        done += count
    return wires


def _literals(wires: Labels, literals: NDArray[np.intp], offset: Labels) -> Labels:
    """False-labels of literals: a negated wire's false-label is its true-label."""
    negated = (literals & 1).astype(np.bool_)[:, None]
    return wires[literals >> 1] ^ where(negated, offset)


def output_labels(circuit: Circuit, wires: Labels, offset: Labels) -> Labels:
    """False-labels of the outputs, shape ``(outputs, batch, 2)``."""
    return _literals(wires, np.array(circuit.outputs, np.intp), offset)


def active_outputs(circuit: Circuit, wires: Labels) -> Labels:
    """Active labels of the outputs; a negation changes their meaning, not the label."""
    return wires[np.array(circuit.outputs, np.intp) >> 1]
