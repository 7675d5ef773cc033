"""Products of shared bits: exclusive-or shares in, exclusive-or shares of chosen products out."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal.parties._channel import Channel
from shoal.parties._expect import Array, Fields, Octets
from shoal.secure._hash import KEY_SIZE, LabelHash
from shoal.secure._ring import Bits, Limbs
from shoal.secure.transfer._extension import ExtensionReceiver, ExtensionSender

if TYPE_CHECKING:
    from shoal.secure._party import Party

_TRANSFERS = 2**19  # per message


def offer_words(channel: Channel, sender: ExtensionSender, amounts: Limbs) -> Limbs:
    """Learn random words, of which the other side learns the exclusive or with chosen amounts.

    Run against :func:`take_words`.  `amounts` has shape ``(transfers, words)``.

    Notes
    -----
    **Reveals.**  Nothing: each side's result alone is uniform.  **Assumes.**  What the extension
    of oblivious transfer assumes.  **Costs.**  Per transfer 16 bytes one way, the words the other.
    """
    parts = [np.zeros((0, amounts.shape[1]), np.uint64)]
    for start in range(0, len(amounts), _TRANSFERS):
        own = amounts[start : start + _TRANSFERS]
        rows = sender.extend(len(own))
        label_hash = LabelHash.fresh()
        tweaks = label_hash.tweaks(len(own))
        zero = label_hash.words(rows, tweaks, own.shape[1])
        one = label_hash.words(rows ^ sender.offset, tweaks, own.shape[1])
        channel.send({"key": label_hash.key, "words": zero ^ one ^ own})
        parts.append(zero)
    return np.concatenate(parts)


def take_words(channel: Channel, receiver: ExtensionReceiver, choices: Bits, width: int) -> Limbs:
    """Learn the sender's random words, with its amounts added where the choice is 1."""
    parts = [np.zeros((0, width), np.uint64)]
    for start in range(0, len(choices), _TRANSFERS):
        own = choices[start : start + _TRANSFERS]
        rows = receiver.extend(own)
        expected = Array("words", np.uint64, (len(own), width))
        key, words = channel.receive(
            Fields("transfers", {"key": Octets("a hash key", KEY_SIZE), "words": expected})
        )
        label_hash = LabelHash(key)
        pads = label_hash.words(rows, label_hash.tweaks(len(own)), width)
        parts.append(pads ^ (words & -own.astype(np.uint64)[:, None]))
    return np.concatenate(parts)


def multiply_bits(
    party: "Party", left: Bits, right: Bits, pairs: Sequence[tuple[int, int]]
) -> Bits:
    """Shares of the products of chosen pairs of bit vectors.

    Parameters
    ----------
    party : Party
        This end; the other end calls the same function.
    left, right : arrays of bool of shape (vectors, length)
        This party's shares.
    pairs : sequence of (int, int)
        Which vector of `left` is multiplied with which of `right`.

    Returns
    -------
    array of bool of shape (pairs, length)

    Notes
    -----
    **Reveals.**  Nothing; shares in, shares out.  **Costs.**  One transfer per bit of every vector
    that occurs on either side, however many products it enters.
    """
    if not pairs:
        return np.zeros((0, left.shape[1]), np.bool_)
    crossed = np.zeros((len(pairs), left.shape[1]), np.bool_)
    # (l1 + l2)(r1 + r2): each side knows its own product; of the two others the second party's bit
    # chooses, and the first party's bits of all partners travel together.
    for chosen, offered, order in ((left, right, (0, 1)), (right, left, (1, 0))):
        sides = np.array(pairs, np.intp)[:, order]
        crossed ^= _cross(party, chosen, offered, sides)
    own = np.array(pairs, np.intp)
    result: Bits = (left[own[:, 0]] & right[own[:, 1]]) ^ crossed
    return result


def _cross(party: "Party", chosen: Bits, offered: Bits, sides: NDArray[np.intp]) -> Bits:
    """Shares of the second party's bits times the first party's."""
    used, length = np.unique(sides[:, 0]), chosen.shape[1]
    bit_of_pair = np.zeros(len(sides), np.intp)
    for index in used:
        same = sides[:, 0] == index
        bit_of_pair[same] = np.arange(same.sum())
    words = -(-int(bit_of_pair.max() + 1) // 64)
    slot = np.searchsorted(used, sides[:, 0])
    amounts = np.zeros((len(used), length, words), np.uint64)
    if party.is_first:
        for pair, (_, partner) in enumerate(sides):
            word, bit = divmod(int(bit_of_pair[pair]), 64)
            amounts[slot[pair], :, word] |= offered[partner].astype(np.uint64) << np.uint64(bit)
    got = party.cross_words(amounts.reshape(-1, words), chosen[used].ravel())
    got = got.reshape(len(used), length, words)
    shares = np.empty((len(sides), length), np.bool_)
    for pair in range(len(sides)):
        word, bit = divmod(int(bit_of_pair[pair]), 64)
        shares[pair] = (got[slot[pair], :, word] >> np.uint64(bit)) & np.uint64(1)
    return shares
