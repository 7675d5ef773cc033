"""The two ends of a secure session: what each keeps between protocols.

Every protocol is a pair of functions; :class:`FirstParty` and :class:`SecondParty` hold the state
of the pair's two halves under the same method names, so that mining code is written once.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError, ProtocolError
from shoal.parties._channel import Channel
from shoal.parties._expect import PLAIN, Expected, Fields, Octets, Several, Whole
from shoal.parties._wire import encode
from shoal.secure._ring import Bits, Limbs, Ring
from shoal.secure.circuits._yao import Program, Results, evaluate_program, garble_program
from shoal.secure.transfer._bits import offer_words, take_words
from shoal.secure.transfer._extension import ExtensionReceiver, ExtensionSender
from shoal.secure.transfer._paillier import SECURITY, PublicKey, SecretKey
from shoal.secure.transfer._products import (
    Rows,
    ask_by_paillier,
    ask_sums,
    serve_by_paillier,
    serve_sums,
)
from shoal.secure.transfer._scalar import Margin, ask_tables, binary_margins, serve_tables

PROTOCOL = 3


@dataclass(frozen=True)
class Settings:
    """What both parties must agree on before they start.

    Parameters
    ----------
    products : {"transfer", "paillier"}, default="transfer"
        How numbers are multiplied.  Transfers need no assumption beyond those of the garbled
        circuits and are much faster; Paillier is the paper's way and sends less.
    key_bits : {2048, 3072, 4096}, default=3072
        Paillier key; 2,048 bits give only 112-bit security.
    full_randomness : bool, default=False
        Paillier without the short-exponent assumption.
    check_transfers : bool, default=False
        Let the first party find out a second party that deviates in the extension of transfers,
        with which it could learn the first party's inputs.  The rest stays semi-honest.

    Examples
    --------
    >>> Settings(products="paillier").key_bits
    3072
    """

    products: Literal["transfer", "paillier"] = "transfer"
    key_bits: int = 3072
    full_randomness: bool = False
    check_transfers: bool = False

    def __post_init__(self) -> None:
        if self.products not in ("transfer", "paillier"):
            raise ParameterError(f"products is transfer or paillier, got {self.products!r}.")
        if self.key_bits not in SECURITY:
            raise ParameterError(f"key_bits is one of {list(SECURITY)}, got {self.key_bits}.")


class Session(ABC):
    """One end of a line on which two parties first agree on what they run."""

    def __init__(self, channel: Channel, settings: dict[str, Any]) -> None:
        self.channel = channel
        mine = {"version": PROTOCOL, **settings}
        # Small enough for both to send at once; from then on the parties take turns.
        channel.send({**mine, "role": type(self).__name__})
        theirs = channel.receive(PLAIN)
        role = theirs.pop("role", None) if isinstance(theirs, dict) else None
        if not isinstance(role, str):
            raise ProtocolError("expected the other party's settings.")
        if role == type(self).__name__:
            raise ProtocolError("both parties took the same role; one must be first, one second.")
        self._compare(mine, theirs, "settings")

    @property
    @abstractmethod
    def is_first(self) -> bool:
        """Whether this is the first party: it adds public constants and speaks first."""

    def agree(self, mine: dict[str, Any], what: str) -> None:
        """Check that the other party has the same public parameters; else both stop."""
        self._compare(mine, self.exchange(mine, PLAIN), what)

    def _compare(self, mine: dict[str, Any], theirs: Any, what: str) -> None:
        if not isinstance(theirs, dict):
            raise ProtocolError(f"expected the other party's {what}.")
        # As bytes: 1, 1.0 and True are equal to Python, and are three different settings.
        ours, others = (
            {name: encode(value) for name, value in side.items()} for side in (mine, theirs)
        )
        differ = sorted(name for name, value in ours.items() if others.get(name) != value)
        unknown = len(others.keys() - ours.keys())  # their names are the other party's words
        if unknown:
            differ.append(f"{unknown} that this end does not know")
        if differ:
            raise ProtocolError(
                f"the parties have other {what}: {', '.join(differ)}. Use the same at both ends."
            )

    @property
    def traffic(self) -> dict[str, int]:
        """Messages and bytes so far."""
        return self.channel.transcript.to_dict()

    def confirm(self) -> None:
        """Compare with the other party every message so far; else no outcome is used.

        What was changed between the two programs, by a fault or by somebody in between, is found
        even where it has the right form.  A party that lies about its messages is not.
        """
        sent, received = self.channel.transcript.digests()
        theirs = self.exchange({"sent": sent, "received": received}, _DIGESTS)
        if theirs != [received, sent]:
            raise ProtocolError(
                "the parties did not see the same messages: one was changed on its way. "
                "Nothing of this round is used."
            )

    def exchange(self, mine: Any, expected: Expected) -> Any:
        """Tell the other party something public, and hear the same from it."""
        if self.is_first:  # in turns: two large messages at once could block each other
            self.channel.send(mine)
            return self.channel.receive(expected)
        theirs = self.channel.receive(expected)
        self.channel.send(mine)
        return theirs


_DIGESTS = Fields(
    "digests of the messages so far",
    {name: Octets("a digest", 32) for name in ("sent", "received")},
)


class Party(Session):
    """One end of a secure session; use :class:`FirstParty` or :class:`SecondParty`.

    Examples
    --------
    Code that both ends run takes a Party and does not ask which of the two it is.

    >>> from shoal.parties import run_parties
    >>> def shares_of_products(kind, numbers):
    ...     return lambda line: kind(line).inner_products(Ring(16), [[n] for n in numbers])
    >>> first, second = run_parties(
    ...     shares_of_products(FirstParty, [3, 5]), shares_of_products(SecondParty, [7, 11])
    ... )
    >>> [(a + b) % 2**16 for a, b in zip(first, second)]
    [21, 55]
    """

    def __init__(self, channel: Channel, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        super().__init__(channel, asdict(self.settings))

    @abstractmethod
    def run(self, program: Program, bits: Bits) -> Results:
        """Run a program on both parties' input bits."""

    def inner_products(self, ring: Ring, rows: Rows) -> list[int]:
        """Shares of the inner products of this party's rows with the other's."""
        return self.modular_products(ring.modulus, rows)

    def modular_products(self, modulus: int, rows: Rows) -> list[int]:
        """Shares of inner products modulo any number; transfers need a power of two."""
        if self.settings.products == "paillier":
            return self._paillier_products(modulus, rows)
        ring, width = _ring_of(modulus), len(rows[0]) if rows else 0
        limbs = ring.limbs(value for row in rows for value in row)
        return ring.integers(self.inner_limbs(ring, limbs.reshape(len(rows), width, ring.words)))

    @abstractmethod
    def _paillier_products(self, modulus: int, rows: Rows) -> list[int]:
        """Shares of inner products, under the second party's key."""

    def inner_limbs(self, ring: Ring, rows: Limbs) -> Limbs:
        """Shares of inner products by transfers, of arrays ``(rows, length, words)``."""
        count, length, words = rows.shape

        def amounts(part: slice) -> Limbs:
            return ring.shifts(rows[part], ring.bits).reshape(-1, length * ring.bits, words)

        def choices(part: slice) -> Bits:
            return ring.bit_array(rows[part]).reshape(-1, length * ring.bits)

        return self.chosen_sums(ring, (count, length * ring.bits), amounts, choices)

    @abstractmethod
    def chosen_sums(
        self,
        ring: Ring,
        shape: tuple[int, int],
        amounts: Callable[[slice], Limbs],
        choices: Callable[[slice], Bits],
    ) -> Limbs:
        """Shares, per row, of the sum of the first party's amounts that the second one chooses.

        Each party's function is called for some rows at a time, the other party's is not.
        """

    @abstractmethod
    def tables(self, margins: list[Margin]) -> list[NDArray[np.uint32]]:
        """Shares, modulo 2**32, of the joint counts of this party's margins and the other's."""

    @abstractmethod
    def cross_words(self, amounts: Limbs, choices: Bits) -> Limbs:
        """Exclusive-or shares of the first party's words, where the second party's bit is 1."""

    def count_products(self, indicators: NDArray[np.bool_]) -> NDArray[np.uint32]:
        """Shares, modulo 2**32, of how often both parties' indicators are set, per row of them."""
        tables = self.tables(binary_margins(indicators))
        return np.array([table[0, 0] for table in tables], np.uint32)

    @abstractmethod
    def products(self, ring: Ring, x: list[int], y: list[int]) -> list[int]:
        """Shares of the products of two lists of shared values."""

    def _local(self, ring: Ring, x: list[int], y: list[int], cross: list[int]) -> list[int]:
        return [(a * b + c) % ring.modulus for a, b, c in zip(x, y, cross, strict=True)]


class FirstParty(Party):
    """The party that garbles circuits and offers in oblivious transfers.

    Parameters
    ----------
    channel : Channel
        Line to the second party.
    settings : Settings, optional
        Must be equal at both ends.

    Notes
    -----
    **Reveals.**  The settings.  **Assumes.**  Semi-honest parties; Diffie-Hellman on P-256 for the
    set-up.  **Costs.**  128 base transfers, and a Paillier key where asked for.

    Examples
    --------
    In how many rows do both have a 1?  Neither share alone tells anything.

    >>> from shoal.parties import run_parties
    >>> mine, theirs = np.array([[1, 1, 0]], bool), np.array([[1, 0, 1]], bool)
    >>> one, two = run_parties(
    ...     lambda line: FirstParty(line).count_products(mine),
    ...     lambda line: SecondParty(line).count_products(theirs),
    ... )
    >>> (one + two).tolist()
    [1]
    """

    def __init__(self, channel: Channel, settings: Settings | None = None) -> None:
        super().__init__(channel, settings)
        self._sender = ExtensionSender(channel, check=self.settings.check_transfers)
        self._public: PublicKey | None = None
        if self.settings.products == "paillier":
            number = Whole("a number of the Paillier key", 1 << 2 * self.settings.key_bits)
            n, base = channel.receive(Several("a Paillier key", number, 2))
            self._public = PublicKey.checked(
                n,
                base,
                self.settings.key_bits,
                full_randomness=self.settings.full_randomness,
            )

    is_first = True

    def run(self, program: Program, bits: Bits) -> Results:
        """Garble."""
        return garble_program(self.channel, self._sender, program, bits)

    def _paillier_products(self, modulus: int, rows: Rows) -> list[int]:
        """Serve."""
        assert self._public is not None
        return serve_by_paillier(self.channel, self._public, modulus, rows)

    def chosen_sums(
        self,
        ring: Ring,
        shape: tuple[int, int],
        amounts: Callable[[slice], Limbs],
        choices: Callable[[slice], Bits],
    ) -> Limbs:
        """Offer the amounts."""
        return serve_sums(self.channel, self._sender, ring, shape, amounts)

    def tables(self, margins: list[Margin]) -> list[NDArray[np.uint32]]:
        """Serve."""
        return serve_tables(self.channel, self._sender, margins)

    def cross_words(self, amounts: Limbs, choices: Bits) -> Limbs:
        """Offer the amounts."""
        return offer_words(self.channel, self._sender, amounts)

    def products(self, ring: Ring, x: list[int], y: list[int]) -> list[int]:
        """Add the two cross terms to the local product."""
        cross = self.inner_products(ring, list(zip(x, y, strict=True)))
        return self._local(ring, x, y, cross)


class SecondParty(Party):
    """The party that evaluates circuits, chooses in oblivious transfers and holds the Paillier key.

    Parameters are those of :class:`FirstParty`.

    Notes
    -----
    **Reveals**, **Assumes** and **Costs** are those of :class:`FirstParty`.

    Examples
    --------
    >>> from shoal.parties import run_parties
    >>> roles = run_parties(
    ...     lambda line: FirstParty(line).is_first, lambda line: SecondParty(line).is_first
    ... )
    >>> roles
    (True, False)
    """

    def __init__(self, channel: Channel, settings: Settings | None = None) -> None:
        super().__init__(channel, settings)
        self._receiver = ExtensionReceiver(channel, check=self.settings.check_transfers)
        self._key: SecretKey | None = None
        if self.settings.products == "paillier":
            self._key = SecretKey.generate(
                self.settings.key_bits, full_randomness=self.settings.full_randomness
            )
            channel.send([int(self._key.public.n), int(self._key.public.base)])

    is_first = False

    def run(self, program: Program, bits: Bits) -> Results:
        """Evaluate."""
        return evaluate_program(self.channel, self._receiver, program, bits)

    def _paillier_products(self, modulus: int, rows: Rows) -> list[int]:
        """Ask."""
        assert self._key is not None
        return ask_by_paillier(self.channel, self._key, modulus, rows)

    def chosen_sums(
        self,
        ring: Ring,
        shape: tuple[int, int],
        amounts: Callable[[slice], Limbs],
        choices: Callable[[slice], Bits],
    ) -> Limbs:
        """Choose."""
        return ask_sums(self.channel, self._receiver, ring, shape, choices)

    def tables(self, margins: list[Margin]) -> list[NDArray[np.uint32]]:
        """Ask."""
        return ask_tables(self.channel, self._receiver, margins)

    def cross_words(self, amounts: Limbs, choices: Bits) -> Limbs:
        """Choose."""
        return take_words(self.channel, self._receiver, choices, amounts.shape[1])

    def products(self, ring: Ring, x: list[int], y: list[int]) -> list[int]:
        """Add the two cross terms to the local product."""
        cross = self.inner_products(ring, list(zip(y, x, strict=True)))
        return self._local(ring, x, y, cross)


def _ring_of(modulus: int) -> Ring:
    ring = Ring(modulus.bit_length() - 1)
    if ring.modulus != modulus:
        raise ParameterError(
            "products by transfers need a modulus that is a power of two. "
            "Take such a modulus, or products='paillier'."
        )
    return ring
