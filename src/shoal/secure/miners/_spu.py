"""The same trees through SecretFlow's SPU, for those who already run it.

SPU compiles JAX functions for several multi-party protocols.  Only Cheetah is a protocol of two
parties; SEMI2K takes its triples from a dealer that must be trusted, by default from one of the
parties itself, and is refused.
"""

from abc import abstractmethod
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.errors import MissingExtraError, ParameterError, ProtocolError
from shoal.parties._channel import Channel
from shoal.parties._expect import Octets, Several
from shoal.secure._party import Session
from shoal.secure.miners._argmin import in_range

if TYPE_CHECKING:
    from shoal.secure.miners._aby3 import ABY3Party

Table = NDArray[np.uint32]

FRACTION_BITS = 24
MAX_CHUNKS = 2**16


class SPUParty(Session):
    """One end of a session whose arithmetic is done by SPU; split rows only.

    Use :class:`FirstSPUParty` at one end and :class:`SecondSPUParty` at the other.

    Parameters
    ----------
    channel : Channel
        Line to the other party; carries input shares, opened results and agreements.
    addresses : (str, str)
        ``HOST:PORT`` at which the first and the second party's SPU listen to each other.
    key, certificate, peer : path, optional
        As for :func:`shoal.parties.listen`; with them SPU's own line is mutual TLS as well.
        Without them it is not encrypted: for tests on one machine only.
    protocol : {"cheetah"}
        Others are refused.

    Notes
    -----
    **Reveals.**  What :class:`SecureID3` reveals, if SPU keeps its promises; Shoal does not check
    them.

    **Assumes.**  Semi-honest parties; Cheetah's assumptions (lattices, transfers).

    **Costs.**  See SPU's documentation; a start takes seconds.
    """

    rank: ClassVar[int]

    def __init__(
        self,
        channel: Channel,
        addresses: tuple[str, str],
        *,
        key: Path | str | None = None,
        certificate: Path | str | None = None,
        peer: Path | str | None = None,
        protocol: str = "cheetah",
    ) -> None:
        if protocol != "cheetah":
            raise ParameterError(
                f"protocol {protocol!r} is refused: only cheetah is secure between two parties "
                "without a trusted dealer."
            )
        super().__init__(channel, {"engine": "spu", "protocol": protocol})
        self._spu = load()
        config = self._spu.RuntimeConfig(
            protocol=self._spu.ProtocolKind.CHEETAH, field=self._spu.FieldType.FM64
        )
        config.fxp_fraction_bits = FRACTION_BITS
        self._io = self._spu.Io(2, config)
        link = self._spu.libspu.link
        description = link.Desc()
        for name, address in zip(("first", "second"), addresses, strict=True):
            description.add_party(name, address)
        description.recv_timeout_ms = int(1000 * channel.timeout)
        if key and certificate and peer:
            secure(description, Path(key), Path(certificate), Path(peer))
        try:
            context = link.create_brpc(description, self.rank)
        except RuntimeError:
            raise ProtocolError("SPU could not connect to the other party's SPU.") from None
        self._runtime = self._spu.Runtime(context, config)

    def compute(self, function: Callable[..., Any], mine: NDArray[Any]) -> NDArray[Any]:
        """Open a JAX function of the first and the second party's array.

        Both parties pass arrays of the same shape and the same function.
        """
        pieces = self._io.make_shares(mine, self._spu.Visibility.VIS_SECRET)
        other = self._unpacked(self.exchange(_packed(pieces[1 - self.rank]), self._piece))
        own = pieces[self.rank]
        shares = [own, other] if self.is_first else [other, own]
        executable = compiled(self._spu, function, [mine, mine])
        for name, share in zip(executable.input_names, shares, strict=True):
            self._runtime.set_var(name, share)
        try:
            self._runtime.run(executable)
        except RuntimeError:  # its text may hold anything
            raise ProtocolError("SPU failed; see its log at both ends.") from None
        result = self._runtime.get_var(executable.output_names[0])
        answer = self._unpacked(self.exchange(_packed(result), self._piece))
        ordered = [result, answer] if self.is_first else [answer, result]
        return np.asarray(self._io.reconstruct(ordered))

    @property
    def _piece(self) -> Several:
        """A share: what it is, and its chunks."""
        chunk = Octets("a chunk of a share", self.channel.limit, exact=False)
        return Several("a share of the other party", chunk, MAX_CHUNKS, least=1)

    def _unpacked(self, message: list[bytes]) -> Any:
        share = self._spu.libspu.Share()
        share.meta, share.share_chunks = message[0], message[1:]
        return share

    @property
    @abstractmethod
    def is_first(self) -> bool:
        """Whether this party's arrays come first."""


class FirstSPUParty(SPUParty):
    """The end at the first address."""

    rank = 0
    is_first = True


class SecondSPUParty(SPUParty):
    """The end at the second address."""

    rank = 1
    is_first = False


class SPUScores:
    """Decisions of ID3 as JAX functions; scores are in fixed point with 24 bits after it."""

    n_logarithms = n_comparisons = 0  # SPU computes its own

    def __init__(self, party: "SPUParty | ABY3Party", n_rows: int) -> None:
        self._party, self._n_rows = party, n_rows

    def leaves(self, rows: Table, n_classes: int, min_rows: int) -> list[int]:
        """Open the class of leaves, -1 for other nodes."""
        import jax.numpy as jnp  # noqa: PLC0415  comes with spu

        def function(*parts: Any) -> Any:
            total = sum(parts)
            own, parent = total[:, :n_classes], total[:, n_classes:]
            size = jnp.sum(own, axis=1)
            label = jnp.where(size > 0, jnp.argmax(own, axis=1), jnp.argmax(parent, axis=1))
            if not min_rows:
                return label
            pure = jnp.sum((own > 0).astype(jnp.int32), axis=1) < 2
            return jnp.where(pure | (size < min_rows), label, -1)

        opened = self._party.compute(function, rows.astype(np.int32))
        return in_range(opened, -1, n_classes, "the class of a leaf")

    def large_leaves(self, *_: Any) -> Any:
        """Not with this engine."""
        raise ParameterError("this engine has no k. Use FirstParty and SecondParty.")

    all_large = large_leaves

    def best(self, nodes: list[list[Table]], penalties: Any = None) -> list[int]:
        """Open the best attribute; nodes with tables of the same shapes go together."""
        shapes = [tuple(len(table) for table in node) for node in nodes]
        result = [0] * len(nodes)
        for shape in sorted(set(shapes)):
            same = [i for i, other in enumerate(shapes) if other == shape]
            stacked = np.stack([np.concatenate(nodes[i]) for i in same])
            for i, pick in zip(same, self._picks(stacked, shape), strict=True):
                result[i] = pick
        return result

    def _picks(self, tables: Table, shape: tuple[int, ...]) -> list[int]:
        import jax.numpy as jnp  # noqa: PLC0415  comes with spu

        ends = np.cumsum([0, *shape]).tolist()

        def entropy(p: Any) -> Any:
            return p * jnp.log(jnp.maximum(p, 2.0**-20))  # 0 log 0 is 0; of 0 there is no logarithm

        def function(*parts: Any) -> Any:
            share = sum(parts)
            rest = entropy(jnp.sum(share, axis=2)) - jnp.sum(entropy(share), axis=2)
            scores = [jnp.sum(rest[:, i:j], axis=1) for i, j in pairwise(ends)]
            return jnp.argmin(jnp.stack(scores, axis=1), axis=1)

        # fixed point has room for small numbers: shares of all rows instead of counts
        shares = (tables / self._n_rows).astype(np.float32)
        opened = self._party.compute(function, shares)
        return in_range(opened, 0, len(shape), "the best attribute")

    def open(self, counts: Table) -> NDArray[np.int64]:
        """Open sums of counts."""
        mine = counts.astype(np.int32)
        return self._party.compute(lambda *parts: sum(parts), mine).astype(np.int64)


def compiled(spu: Any, function: Callable[..., Any], arrays: list[NDArray[Any]]) -> Any:
    """A JAX function of secret arrays as SPU runs it."""
    from spu.utils import frontend  # noqa: PLC0415  optional, and it loads a compiler

    executable, _ = frontend.compile(
        frontend.Kind.JAX,
        function,
        arrays,
        {},
        [f"in{i}" for i in range(len(arrays))],
        [spu.Visibility.VIS_SECRET] * len(arrays),
        lambda flat: [f"out{i}" for i in range(len(flat))],
        static_argnums=(),
        copts=spu.libspu.CompilerOptions(),
    )
    return executable


def load() -> Any:
    """SPU, or an error that says what to install."""
    try:
        import spu  # noqa: PLC0415  optional: hundreds of megabytes
    except ImportError:
        raise MissingExtraError("spu", "spu", "the SPU engine") from None
    return spu


def _packed(share: Any) -> list[bytes]:
    return [bytes(share.meta), *map(bytes, share.share_chunks)]


def secure(description: Any, key: Path, certificate: Path, peer: Path) -> None:
    """Mutual TLS with the pinned certificates in a file as the only trusted ones."""
    description.enable_ssl = True
    for options in (description.client_ssl_opts, description.server_ssl_opts):
        options.cert.certificate_path = str(certificate)
        options.cert.private_key_path = str(key)
        options.verify.verify_depth = 1
        options.verify.ca_file_path = str(peer)
