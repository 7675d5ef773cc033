"""Correlated oblivious transfer: pairs of messages that differ by an amount only one side knows."""

import numpy as np
from numpy.typing import NDArray

from shoal.parties._channel import Channel
from shoal.parties._expect import Array, Fields, Octets
from shoal.secure._hash import KEY_SIZE, LabelHash
from shoal.secure._ring import Bits, Limbs, Ring
from shoal.secure.transfer._extension import ExtensionSender

Lanes = NDArray[np.uint32]


def offer_sums(channel: Channel, sender: ExtensionSender, ring: Ring, amounts: Limbs) -> Limbs:
    """Learn a random ``r`` per transfer, of which the other side learns ``r + choice * amount``.

    Run against :func:`chosen_sums`.

    Notes
    -----
    **Reveals.**  Nothing: each side's result alone is uniform.

    **Assumes.**  Semi-honest parties; the extension and the label hash.

    **Costs.**  One round; 16 bytes per transfer one way, one ring element the other.
    """
    rows = sender.extend(len(amounts))
    label_hash = LabelHash.fresh()
    tweaks = label_hash.tweaks(len(amounts))
    zero = label_hash.words(rows, tweaks, ring.words)
    one = label_hash.words(rows ^ sender.offset, tweaks, ring.words)
    channel.send({"key": label_hash.key, "sums": ring.add(ring.add(zero, amounts), one)})
    return zero


def chosen_sums(channel: Channel, ring: Ring, rows: Limbs, choices: Bits) -> Limbs:
    """Learn ``r + choice * amount`` for each choice; `rows` are what the extension gave for it."""
    key, sums = channel.receive(_sums(np.uint64, len(choices), ring.words))
    label_hash = LabelHash(key)
    pads = label_hash.words(rows, label_hash.tweaks(len(choices)), ring.words)
    chosen = ring.select(choices, ring.subtract(sums, pads))
    return chosen | ring.select(~choices, pads)


def offer_lanes(channel: Channel, sender: ExtensionSender, amounts: Lanes) -> Lanes:
    """Offer sums like :func:`offer_sums`, for several numbers modulo 2**32 per transfer.

    Run against :func:`chosen_lanes`.  `amounts` has shape ``(transfers, lanes)``.
    """
    count, lanes = amounts.shape
    rows = sender.extend(count)
    label_hash = LabelHash.fresh()
    tweaks = label_hash.tweaks(count)
    zero = _lane_pads(label_hash, rows, tweaks, lanes)
    one = _lane_pads(label_hash, rows ^ sender.offset, tweaks, lanes)
    channel.send({"key": label_hash.key, "sums": zero + amounts + one})
    return zero


def chosen_lanes(channel: Channel, rows: Limbs, choices: Bits, lanes: int) -> Lanes:
    """Learn ``r + choice * amount`` in every lane; `rows` as for :func:`chosen_sums`."""
    key, sums = channel.receive(_sums(np.uint32, len(choices), lanes))
    label_hash = LabelHash(key)
    pads = _lane_pads(label_hash, rows, label_hash.tweaks(len(choices)), lanes)
    mask = -choices.astype(np.uint32)[:, None]
    return ((sums - pads) & mask) | (pads & ~mask)


def _sums(dtype: type[np.generic], count: int, width: int) -> Fields:
    items = {"key": Octets("a hash key", KEY_SIZE), "sums": Array("sums", dtype, (count, width))}
    return Fields("a batch of transfers", items)


def _lane_pads(label_hash: LabelHash, rows: Limbs, tweaks: NDArray[np.uint64], lanes: int) -> Lanes:
    words = label_hash.words(rows, tweaks, -(-lanes // 2))
    return np.ascontiguousarray(words).view(np.uint32)[:, :lanes]
