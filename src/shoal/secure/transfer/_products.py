"""Inner products of secret numbers of the two parties, shared: by transfers, or by Paillier.

The first party has rows of numbers ``a``, the second rows ``b`` of the same length; each ends with
a share, modulo a public number, of ``sum(a * b)`` per row.  Products of shared values and oblivious
polynomials are inner products.
"""

import secrets
from collections.abc import Callable, Sequence

import numpy as np

from shoal.parties._channel import Channel
from shoal.parties._expect import Several, Whole
from shoal.secure._ring import Bits, Limbs, Ring
from shoal.secure.transfer._extension import ExtensionReceiver, ExtensionSender
from shoal.secure.transfer._paillier import PublicKey, SecretKey
from shoal.secure.transfer._transfer import chosen_sums, offer_sums

Rows = Sequence[Sequence[int]]

STATISTICAL = 40  # bits by which a mask is longer than what it hides
_TRANSFERS = 2**17  # per message: what a cache holds
_AHEAD = 2  # Paillier groups on the way


def serve_sums(
    channel: Channel,
    sender: ExtensionSender,
    ring: Ring,
    shape: tuple[int, int],
    amounts: Callable[[slice], Limbs],
) -> Limbs:
    """Share, for each row, the sum of those of this party's amounts that the other party chooses.

    Run against :func:`ask_sums`.  Products are such sums: each bit of the other party's number
    chooses whether this party's number, shifted to that bit, is added [Gil99]_.

    Parameters
    ----------
    shape : (int, int)
        Rows, and amounts in each.
    amounts : function
        Gives the amounts of some rows, of shape ``(rows, amounts, words)``.

    Notes
    -----
    **Reveals.**  Nothing; the shares are uniform.

    **Assumes.**  What the extension of oblivious transfer assumes; nothing about integers.

    **Costs.**  One transfer per amount; messages of 2**17 transfers, three on the way at a time.

    References
    ----------
    .. [Gil99] N. Gilboa.  Two party RSA key generation.  CRYPTO 1999.  doi:10.1007/3-540-48405-1_8
    """
    parts = [np.zeros((0, ring.words), np.uint64)]
    for part in _parts(*shape):
        offered = amounts(part)
        masks = offer_sums(channel, sender, ring, offered.reshape(-1, ring.words))
        parts.append(ring.negative(ring.total(masks.reshape(offered.shape), axis=1)))
    return np.concatenate(parts)


def ask_sums(
    channel: Channel,
    receiver: ExtensionReceiver,
    ring: Ring,
    shape: tuple[int, int],
    choices: Callable[[slice], Bits],
) -> Limbs:
    """Share the sums of the chosen amounts; `choices` gives bits of shape ``(rows, amounts)``."""

    def ask(part: slice) -> tuple[Bits, Limbs]:
        bits = choices(part)
        return bits, receiver.extend(bits.ravel())

    def take(asked: tuple[Bits, Limbs]) -> Limbs:
        bits, rows = asked
        chosen = chosen_sums(channel, ring, rows, bits.ravel())
        return ring.total(chosen.reshape(*bits.shape, ring.words), axis=1)

    nothing = np.zeros((0, ring.words), np.uint64)
    return np.concatenate([nothing, *receiver.ahead(_parts(*shape), ask, take)])


def _parts(rows: int, width: int) -> list[slice]:
    """Rows in parts of a message each."""
    size = max(1, _TRANSFERS // max(1, width))
    return [slice(start, min(rows, start + size)) for start in range(0, rows, size)]


def serve_by_paillier(channel: Channel, public: PublicKey, modulus: int, rows: Rows) -> list[int]:
    """Share the inner products of this party's rows with the other's, under the other's key.

    Run against :func:`ask_by_paillier`.

    Notes
    -----
    **Reveals.**  Nothing to this party beyond ciphertexts; the other party sees each sum over the
    integers behind a mask that is 40 bits longer, so its view is within 2**-40 of independent.

    **Assumes.**  Semi-honest parties; what :class:`PublicKey` assumes.

    **Costs.**  One round; one ciphertext per number in, one per packed group of sums back, a
    message per group, so that one party encrypts while the other computes.
    """
    if not rows:
        return []
    width = len(rows[0])
    slot, room = _slot(modulus, width), _room(public, modulus, width)
    cipher = Whole("a ciphertext", int(public.square))
    shares = []
    for start in range(0, len(rows), room):
        part = rows[start : start + room]
        received = channel.receive(Several("ciphertexts", cipher, len(part) * width))
        packed, group = 0, []
        for index, row in enumerate(part):
            start_of_row = index * width
            # A multiple of the modulus keeps the exponent's length from showing.
            factors = [value % modulus + modulus for value in row]
            group.append(public.combine(received[start_of_row : start_of_row + width], factors))
            mask = secrets.randbits(slot - 1)
            packed |= mask << (slot * index)
            shares.append(-mask % modulus)
        channel.send(int(public.pack(group, slot) * public.encrypt(packed) % public.square))
    return shares


def ask_by_paillier(channel: Channel, key: SecretKey, modulus: int, rows: Rows) -> list[int]:
    """Share the inner products of this party's rows with the other's, under this party's key."""
    if not rows:
        return []
    public, width = key.public, len(rows[0])
    slot, room = _slot(modulus, width), _room(key.public, modulus, width)
    groups = [rows[start : start + room] for start in range(0, len(rows), room)]

    def ask(part: Rows) -> None:
        channel.send([int(public.encrypt(value % modulus)) for row in part for value in row])

    # A few groups ahead, so that both work at once and neither line fills up.
    for part in groups[:_AHEAD]:
        ask(part)
    shares: list[int] = []
    for number, part in enumerate(groups):
        for following in groups[number + _AHEAD : number + _AHEAD + 1]:
            ask(following)
        answer = channel.receive(Whole("a packed sum", int(public.square)))
        plain = key.decrypt(answer)
        for index in range(len(part)):
            shares.append((plain >> slot * index & (1 << slot) - 1) % modulus)
    return shares


def _slot(modulus: int, width: int) -> int:
    """Bits of one packed sum with its mask: a carry never leaves the slot."""
    largest = width * (modulus - 1) * (2 * modulus - 1)
    return largest.bit_length() + STATISTICAL + 1


def _room(public: PublicKey, modulus: int, width: int) -> int:
    return (public.bits - 1) // _slot(modulus, width)
