"""Yao's protocol: both parties feed a circuit, and learn its public outputs or shares of them.

A program's outputs are *opened* (both parties learn the bit), *told* (only the second party learns
it; the first usually masks it) or *projected*: the bit times a public
weight becomes an additive share in a ring, at one ciphertext per bit and no further gates
[BMR16]_.  Several projected bits add up to one shared value.  A shared value can then be multiplied
by a number of the garbler's at the same price: its bits are projected again, with other weights.
*Split* outputs cost nothing: the colours of their labels are exclusive-or shares.

.. [BMR16] M. Ball, T. Malkin, M. Rosulek.  Garbling gadgets for Boolean and arithmetic circuits.
   CCS 2016.  doi:10.1145/2976749.2978410
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ProtocolError
from shoal.parties._channel import Channel
from shoal.parties._expect import Array, Fields, Octets
from shoal.secure._hash import KEY_SIZE, LabelHash, Labels
from shoal.secure._ring import Bits, Limbs, Ring, random_words
from shoal.secure.circuits._circuit import Circuit
from shoal.secure.circuits._garbling import (
    active_outputs,
    colour,
    evaluate,
    garble,
    output_labels,
    random_offset,
    where,
)
from shoal.secure.transfer._extension import ExtensionReceiver, ExtensionSender

_BATCH_BYTES = 2**23  # garbled tables per message: what a cache holds is garbled faster
_WORD = Ring(64)

Factor = Callable[[Limbs], Limbs]


@dataclass(frozen=True)
class Program:
    """A circuit and what becomes of its outputs.

    Attributes
    ----------
    circuit : Circuit
        The first `n_open` outputs are opened, the next `n_told` told, the last `n_split` split,
        and those in between projected.
    n_open : int
        Outputs that both parties learn.
    n_told : int
        Outputs that only the second party learns.
    ring : Ring
        Where projected values are shared.
    weights : tuple of int
        Weight of each projected output.
    values : tuple of int
        Which shared value each projected output adds to.
    factors : tuple of functions
        Each gives, from the garbler's shares of all values so far, a number of the garbler's by
        which one value is multiplied; the product is one more shared value.
    multiplied : int
        Which value that is.
    n_split : int
        Outputs of which both parties get an exclusive-or share.
    """

    circuit: Circuit
    n_open: int
    ring: Ring = _WORD
    weights: tuple[int, ...] = ()
    values: tuple[int, ...] = ()
    n_told: int = 0
    factors: tuple[Factor, ...] = ()
    multiplied: int = 0
    n_split: int = 0

    @property
    def n_decoded(self) -> int:
        """Outputs that the second party decodes."""
        return self.n_open + self.n_told

    @property
    def n_values(self) -> int:
        """Number of shared values."""
        return max(self.values, default=-1) + 1 + len(self.factors)

    @property
    def factored(self) -> NDArray[np.intp]:
        """Projected outputs that make up the value that is multiplied."""
        return np.flatnonzero(np.array(self.values, np.intp) == self.multiplied)

    @property
    def n_projections(self) -> int:
        """Ciphertexts for projected outputs."""
        return len(self.weights) + len(self.factors) * len(self.factored)

    def parted(self, outputs: Labels) -> list[Labels]:
        """Outputs that are decoded, projected, and split."""
        return np.split(outputs, [self.n_decoded, len(outputs) - self.n_split])

    @property
    def batch(self) -> int:
        """Copies that are garbled into one message."""
        return max(1, _BATCH_BYTES // (32 * self.circuit.n_and + 64 * self.circuit.n_inputs))


class Results(NamedTuple):
    """What a party has after Yao's protocol."""

    opened: Bits  # (batch, n_open)
    told: Bits  # (batch, n_told), of the second party; (batch, 0) of the first
    shares: Limbs  # (n_values, batch, words)
    split: Bits  # (batch, n_split)


def garble_program(
    channel: Channel, sender: ExtensionSender, program: Program, bits: Bits
) -> Results:
    """Garble a program for each row of this party's input bits.

    Run against :func:`evaluate_program`.

    Notes
    -----
    **Reveals.**  The opened outputs, to both; projected outputs are shared uniformly.

    **Assumes.**  Semi-honest parties; the label hash; oblivious transfer.

    **Costs.**  One round (two with opened outputs); per copy 32 bytes per AND gate, 16 per input
    of this party, 32 per input of the other, 48 per opened bit, one ring element per projected bit.
    """
    circuit, parts = program.circuit, []
    Circuit.check_inputs(bits, circuit.n_first)
    # All transfers first and all answers last: one side garbles while the other evaluates.
    rows = sender.extend(circuit.n_second * len(bits)).reshape(len(bits), circuit.n_second, 2)
    for start in range(0, len(bits), program.batch):
        batch = slice(start, start + program.batch)
        parts.append(_garble_batch(channel, rows[batch], sender.offset, program, bits[batch]))
    results = [part._replace(opened=_receive_opened(channel, *opened)) for part, opened in parts]
    return _joined(program, results)


def evaluate_program(
    channel: Channel, receiver: ExtensionReceiver, program: Program, bits: Bits
) -> Results:
    """Evaluate a program for each row of this party's input bits."""
    circuit, parts = program.circuit, []
    Circuit.check_inputs(bits, circuit.n_second)
    rows = receiver.extend(bits.ravel()).reshape(len(bits), circuit.n_second, 2)
    for start in range(0, len(bits), program.batch):
        batch = slice(start, start + program.batch)
        parts.append(_evaluate_batch(channel, rows[batch], program, bits[batch]))
    if program.n_open:  # the labels prove the result to the garbler
        for labels, _ in parts:
            channel.send(labels)
    return _joined(program, [results for _, results in parts])


def _joined(program: Program, parts: list[Results]) -> Results:
    if not parts:
        empty = np.zeros((program.n_values, 0, program.ring.words), np.uint64)
        return Results(
            np.zeros((0, program.n_open), np.bool_),
            np.zeros((0, program.n_told), np.bool_),
            empty,
            np.zeros((0, program.n_split), np.bool_),
        )
    return Results(
        np.concatenate([part.opened for part in parts]),
        np.concatenate([part.told for part in parts]),
        np.concatenate([part.shares for part in parts], axis=1),
        np.concatenate([part.split for part in parts]),
    )


def _garble_batch(
    channel: Channel, rows: Labels, secret: Labels, program: Program, bits: Bits
) -> tuple[Results, tuple[Labels, Labels]]:
    """Send one batch; this side's results, and what its opened outputs are read off."""
    circuit = program.circuit
    # Fresh for every batch: a label or tweak that two batches shared would link their gates.
    label_hash, offset = LabelHash.fresh(), random_offset()
    rows = np.ascontiguousarray(rows.transpose(1, 0, 2))
    tweaks = label_hash.tweaks(circuit.n_second, len(bits))
    theirs = label_hash(rows, tweaks)  # the pad for choice 0 is the false-label itself
    transfers = label_hash(rows ^ secret, tweaks) ^ theirs ^ offset
    mine = random_words(1 + circuit.n_first, len(bits), 2)
    active = mine.copy()
    active[1:] ^= where(bits.T, offset)
    tables, wires = garble(circuit, np.concatenate([mine, theirs]), offset, label_hash)
    outputs = output_labels(circuit, wires, offset)
    decoded, projected, split = program.parted(outputs)
    checks = _output_hashes(label_hash, decoded, offset)
    shares, projections = _project(program, projected, offset, label_hash)
    channel.send(
        {
            "key": label_hash.key,
            "inputs": active,
            "transfers": transfers,
            "tables": tables,
            "outputs": checks,
            "projections": projections,
        }
    )
    nothing = np.zeros((len(bits), 0), np.bool_)
    results = Results(nothing, nothing, shares, np.ascontiguousarray(colour(split).T))
    return results, (outputs[: program.n_open], offset)


def _evaluate_batch(
    channel: Channel, rows: Labels, program: Program, bits: Bits
) -> tuple[Labels, Results]:
    """Receive one batch; the labels that are shown to the garbler, and this side's results."""
    circuit, batch = program.circuit, len(bits)
    key, inputs, transfers, tables, checks, projections = channel.receive(_garbled(program, batch))
    label_hash = LabelHash(key)
    rows = np.ascontiguousarray(rows.transpose(1, 0, 2))
    mine = label_hash(rows, label_hash.tweaks(circuit.n_second, batch))
    mine ^= where(np.ascontiguousarray(bits.T), transfers)
    wires = evaluate(circuit, np.concatenate([inputs, mine]), tables, label_hash)
    outputs = active_outputs(circuit, wires)
    decoded, projected, split = program.parted(outputs)
    bits = _decode(label_hash, decoded, checks)
    shares = _take_projections(program, projected, projections, label_hash)
    own = np.ascontiguousarray(colour(split).T)
    results = Results(bits[:, : program.n_open], bits[:, program.n_open :], shares, own)
    return decoded[: program.n_open], results


def _garbled(program: Program, batch: int) -> Fields:
    """The message of the garbler for some copies of the circuit."""
    circuit, words = program.circuit, program.ring.words

    def array(what: str, *shape: int) -> Array:
        return Array(what, np.uint64, shape)

    return Fields(
        "a garbled circuit",
        {
            "key": Octets("a hash key", KEY_SIZE),
            "inputs": array("input labels", 1 + circuit.n_first, batch, 2),
            "transfers": array("transfers", circuit.n_second, batch, 2),
            "tables": array("garbled tables", circuit.n_and, 2, batch, 2),
            "outputs": array("output hashes", 2, program.n_decoded, batch, 2),
            "projections": array("projected outputs", program.n_projections, batch, words),
        },
    )


def _output_hashes(label_hash: LabelHash, outputs: Labels, offset: Labels) -> Labels:
    """Hashes of the false- and true-labels; they decode an output and expose a wrong label."""
    tweaks = label_hash.tweaks(*outputs.shape[:2])
    return np.stack([label_hash(outputs, tweaks), label_hash(outputs ^ offset, tweaks)])


def _decode(label_hash: LabelHash, outputs: Labels, checks: Labels) -> Bits:
    """Read outputs off their labels; a label that is neither of its two is an error."""
    hashes = label_hash(outputs, label_hash.tweaks(*outputs.shape[:2]))
    is_false = (hashes == checks[0]).all(axis=-1)
    is_true = (hashes == checks[1]).all(axis=-1)
    if not (is_false ^ is_true).all():
        raise ProtocolError("a garbled circuit did not decode: it or its input was damaged.")
    return np.ascontiguousarray(is_true.T)


def _receive_opened(channel: Channel, outputs: Labels, offset: Labels) -> Bits:
    """Read opened outputs off the labels that the evaluator returns.

    It knows one label of each pair and cannot guess the other: a wrong answer does not pass.
    """
    if not len(outputs):
        return np.zeros((outputs.shape[1], 0), np.bool_)
    labels = channel.receive(Array("output labels", np.uint64, outputs.shape))
    is_false = (labels == outputs).all(axis=-1)
    is_true = (labels == outputs ^ offset).all(axis=-1)
    if not (is_false ^ is_true).all():
        raise ProtocolError("the other party returned a result that the circuit cannot give.")
    return np.ascontiguousarray(is_true.T)


def _project(
    program: Program, outputs: Labels, offset: Labels, label_hash: LabelHash
) -> tuple[Limbs, Limbs]:
    """The garbler's shares, and one ciphertext per projected bit."""
    ring, chosen = program.ring, program.factored
    weights = ring.limbs(program.weights)[:, None, :]
    parts, sent = _project_bits(ring, outputs, weights, offset, label_hash)
    shares, messages = _totals(program, parts), [sent]
    for factor in program.factors:
        products = ring.multiply(weights[chosen], factor(shares))
        parts, sent = _project_bits(ring, outputs[chosen], products, offset, label_hash)
        shares = np.concatenate([shares, ring.total(parts, axis=0)[None]])
        messages.append(sent)
    return shares, np.concatenate(messages)


def _project_bits(
    ring: Ring, outputs: Labels, weights: Limbs, offset: Labels, label_hash: LabelHash
) -> tuple[Limbs, Limbs]:
    """Shares of each bit times its weight, and the ciphertexts.

    The label of colour 0 hashes straight to its value; the one of colour 1 opens the ciphertext.
    """
    tweaks = label_hash.tweaks(*outputs.shape[:2])
    bit_of_colour_0 = colour(outputs)  # the false-label has colour 0 unless this is set
    first = outputs ^ where(bit_of_colour_0, offset)
    value_0 = label_hash.words(first, tweaks, ring.words)
    pad_1 = label_hash.words(first ^ offset, tweaks, ring.words)
    mask = ring.subtract(value_0, ring.select(bit_of_colour_0, weights))
    value_1 = ring.add(mask, ring.select(~bit_of_colour_0, weights))
    return ring.negative(mask), ring.add(value_1, pad_1)


def _take_projections(
    program: Program, outputs: Labels, projections: Limbs, label_hash: LabelHash
) -> Limbs:
    chosen, first = program.factored, len(program.weights)
    shares = _totals(program, _take_bits(program.ring, outputs, projections[:first], label_hash))
    for start in range(first, len(projections), max(1, len(chosen))):
        part = projections[start : start + len(chosen)]
        own = program.ring.total(
            _take_bits(program.ring, outputs[chosen], part, label_hash), axis=0
        )
        shares = np.concatenate([shares, own[None]])
    return shares


def _take_bits(ring: Ring, outputs: Labels, projections: Limbs, label_hash: LabelHash) -> Limbs:
    pads = label_hash.words(outputs, label_hash.tweaks(*outputs.shape[:2]), ring.words)
    is_1 = colour(outputs)
    opened = ring.select(is_1, ring.subtract(projections, pads))
    return opened | ring.select(~is_1, pads)


def _totals(program: Program, parts: Limbs) -> Limbs:
    """Add up the projected bits of each shared value."""
    values = np.array(program.values, np.intp)
    count = program.n_values - len(program.factors)
    sums = [program.ring.total(parts[values == v], axis=0) for v in range(count)]
    return np.stack(sums) if sums else np.zeros((0, *parts.shape[1:]), np.uint64)
