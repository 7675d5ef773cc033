"""The same trees among three equals, through SPU's ABY3: an honest majority, no helper."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError, ProtocolError
from shoal.parties._expect import Expected, Octets, Several, Whole
from shoal.parties._wire import Reader, encode
from shoal.secure.miners._equals import DIGEST_BITS, EqualParty, check_place
from shoal.secure.miners._spu import FRACTION_BITS, MAX_CHUNKS, compiled, load, secure

CHUNK_BYTES = 2**28
MEMBERS = 3


class ABY3Party(EqualParty):
    """One of three equal parties whose arithmetic is done by SPU; trees over split rows only.

    Parameters
    ----------
    index : int
        Place of this party in `addresses`.
    addresses : sequence of str
        ``HOST:PORT`` of the three parties, in an order that all use.
    key, certificate : path, optional
        This party's own, as for :func:`shoal.parties.listen`.
    peers : sequence of path, optional
        Certificates of the two others.  With all of these the lines are mutual TLS; without them
        only loopback addresses are taken.
    timeout : float, default=60
        Longest wait for the others, in seconds.

    Notes
    -----
    **Reveals.**  What :class:`SecureID3` reveals, and the number of rows of all parties together,
    if SPU keeps its promises; Shoal does not check them.

    **Assumes.**  Semi-honest parties of which no two collude; ABY3 [MR18]_ as SPU implements it.

    References
    ----------
    .. [MR18] P. Mohassel, P. Rindal.  ABY3: a mixed protocol framework for machine learning.
       CCS 2018.  doi:10.1145/3243734.3243760
    """

    def __init__(
        self,
        index: int,
        addresses: Sequence[str],
        *,
        key: Path | str | None = None,
        certificate: Path | str | None = None,
        peers: Sequence[Path | str] = (),
        timeout: float = 60.0,
    ) -> None:
        encrypted = bool(key and certificate and peers)
        check_place(index, addresses, "SPU", encrypted=encrypted)
        if len(addresses) != MEMBERS:
            raise ParameterError(f"ABY3 has three parties, got {len(addresses)}.")
        self.index, self._sent = index, 0
        self._spu = load()
        config = self._spu.RuntimeConfig(
            protocol=self._spu.ProtocolKind.ABY3, field=self._spu.FieldType.FM64
        )
        config.fxp_fraction_bits = FRACTION_BITS
        self._io = self._spu.Io(MEMBERS, config)
        description = self._spu.libspu.link.Desc()
        for number, address in enumerate(addresses):
            description.add_party(f"party {number}", address)
        description.recv_timeout_ms = int(1000 * timeout)
        with _bundle(peers) as trusted:
            if key and certificate and encrypted:
                secure(description, Path(key), Path(certificate), trusted)
            with _ours("SPU could not connect to the other parties."):
                self._link = self._spu.libspu.link.create_brpc(description, index)
                self._runtime = self._spu.Runtime(self._link, config)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Hang up."""
        self._link.stop_link()

    @property
    def traffic(self) -> dict[str, int]:
        """Bytes of shares that this party sent; SPU's own are not counted."""
        return {"rounds": 0, "bytes_sent": self._sent, "bytes_received": 0}

    def tell(self, number: int) -> list[int]:
        """A public number of every party."""
        return self._spread([number] * MEMBERS, Whole("a number", 1 << DIGEST_BITS))

    def all_rows(self, mine: int) -> int:
        """Number of rows of all parties together, opened by SPU."""
        return int(self.compute(lambda *parts: sum(parts), np.array([mine], np.int64))[0])

    def compute(self, function: Callable[..., Any], mine: NDArray[Any]) -> NDArray[Any]:
        """Open a JAX function of all parties' arrays, which have the same shape."""
        pieces = self._io.make_shares(mine, self._spu.Visibility.VIS_SECRET)
        shares = self._exchanged(pieces)
        executable = compiled(self._spu, function, [mine] * MEMBERS)
        with _ours("SPU failed; see its log at all ends."):
            for name, share in zip(executable.input_names, shares, strict=True):
                self._runtime.set_var(name, share)
            self._runtime.run(executable)
            result = self._runtime.get_var(executable.output_names[0])
        # to open the result, each party sends its share of it to all
        everybody = self._exchanged([result] * MEMBERS)
        with _ours("SPU could not put the result together."):
            return np.asarray(self._io.reconstruct(everybody))

    def _exchanged(self, shares: Sequence[Any]) -> list[Any]:
        """Give every party its share; what this party gets from each."""
        chunk = Octets("a chunk of a share", CHUNK_BYTES, exact=False)
        expected = Several("a share of another party", chunk, MAX_CHUNKS, least=1)
        messages = [[bytes(share.meta), *map(bytes, share.share_chunks)] for share in shares]
        received = []
        for message in self._spread(messages, expected):
            share = self._spu.libspu.Share()
            share.meta, share.share_chunks = message[0], message[1:]
            received.append(share)
        return received

    def _spread(self, messages: Sequence[Any], expected: Expected) -> list[Any]:
        """Send each party its message, and receive one from each."""
        others = [number for number in range(MEMBERS) if number != self.index]
        result = list(messages)
        with _ours("SPU's line to another party failed, or nothing came in time."):
            for number in others:
                data = encode(messages[number])
                self._sent += len(data)
                self._link.send(number, data)
            received = {number: self._link.recv(number) for number in others}
        for number, data in received.items():
            reader = Reader(memoryview(data))
            result[number] = expected.read(reader)
            reader.finish()
        return result


@contextmanager
def _ours(message: str) -> Iterator[None]:
    """An error of SPU's as one of ours: its text may hold anything."""
    try:
        yield
    except (RuntimeError, ValueError):
        raise ProtocolError(message) from None


@contextmanager
def _bundle(peers: Sequence[Path | str]) -> Iterator[Path]:
    """One file with the certificates of all others, as long as SPU reads it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "peers.crt")
        path.write_text("".join(Path(peer).read_text() for peer in peers))
        yield path
