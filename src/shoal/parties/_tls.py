"""A line over TLS 1.3 on which both ends prove who they are."""

import contextlib
import hmac
import selectors
import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from shoal.errors import ConnectionCutError, ParameterError, ProtocolError, TimeLimitError
from shoal.parties._certificates import RENEW, read_certificate, require_in_date
from shoal.parties._channel import (
    DEFAULT_LIMIT,
    DEFAULT_TIMEOUT,
    HEADER_SIZE,
    VERSION,
    Channel,
    checked_timeout,
)
from shoal.parties._expect import Fields, Whole
from shoal.parties._wire import Buffer

_CHUNK = 2**20
_RECORD = 2**14  # what TLS hands out at a time
EARLY_BYTES = 64 * 2**20
"""Most bytes that are kept for later while this end is sending."""


class TLSChannel(Channel):
    """An end of a mutually authenticated TLS 1.3 line; made by :func:`listen` and :func:`connect`.

    Notes
    -----
    **Reveals.**  To an observer of the network: addresses, times, and the sizes of messages.

    **Assumes.**  Each party received the other's certificate over a line it trusts, or compared
    fingerprints by telephone; private keys stay private.
    """

    def __init__(self, line: ssl.SSLSocket, **options: Any) -> None:
        super().__init__(**options)
        line.setblocking(False)  # all waits are in one place, by one deadline
        self._line = line
        self._early = bytearray()
        self.refused = 0
        """Connections that were not the other party's, before this one."""
        self.name = ""
        """Whose certificate was shown, where several are pinned."""

    def close(self) -> None:
        """Hang up."""
        with contextlib.suppress(OSError):
            self._line.shutdown(socket.SHUT_RDWR)
        self._line.close()

    def _write(self, *parts: Buffer) -> None:
        """Send; what arrives meanwhile is kept, so that two senders do not block each other."""
        deadline = time.monotonic() + self.timeout
        for part in _joined(parts):
            view = memoryview(part)
            while view:
                with _translated("while sending", self.timeout):
                    try:
                        view = view[self._line.send(view[:_CHUNK]) :]
                        continue
                    except ssl.SSLWantWriteError:  # to be tried again with the same bytes
                        wanted = selectors.EVENT_WRITE
                if len(self._early) < EARLY_BYTES:
                    wanted |= selectors.EVENT_READ
                if self._wait(wanted, deadline, "to take a message") & selectors.EVENT_READ:
                    self._early += self._receive(deadline, _RECORD, waits=False)

    def _read_frame(self, most: int, deadline: float) -> tuple[bytes, Buffer]:
        header = bytes(self._read(HEADER_SIZE, deadline))
        body = self._read(self._check_header(header, most), deadline)
        self._check_body(header, body)
        return header, body

    def _read(self, count: int, deadline: float) -> bytearray:
        # The buffer grows with what arrives, so an announced length alone allocates nothing.
        data = self._early[:count]
        del self._early[:count]
        while len(data) < count:
            data += self._receive(deadline, min(_RECORD, count - len(data)))
        return data

    def _receive(self, deadline: float, most: int, *, waits: bool = True) -> bytes:
        """Bytes that have come; none where this does not wait and nothing has."""
        while True:
            self._left(deadline, "for a whole message")
            with _translated("while receiving", self.timeout):
                try:
                    chunk = self._line.recv(most)
                except ssl.SSLWantReadError:
                    chunk = None
            if chunk:
                return chunk
            if chunk is not None:
                raise ConnectionCutError("the other party hung up.")
            if not waits:
                return b""
            self._wait(selectors.EVENT_READ, deadline, "for a whole message")

    def _wait(self, events: int, deadline: float, what: str) -> int:
        """Wait until the line can be read or written; which of them."""
        with selectors.DefaultSelector() as selector:
            try:
                selector.register(self._line, events)
            except (OSError, ValueError):  # this end has hung up, on a party that was lost
                raise ConnectionCutError("the connection is closed.") from None
            while True:
                for _, ready in selector.select(self._left(deadline, what)):
                    return ready

    def _left(self, deadline: float, what: str) -> float:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeLimitError(f"waited {self.timeout:g} s {what}.")
        return left


def _joined(parts: tuple[Buffer, ...]) -> Iterator[Buffer]:
    """Parts of a message with the small ones put together: each call makes a record of its own."""
    small: list[Buffer] = []
    for part in parts:
        if len(part) < _RECORD:
            small.append(part)
            continue
        yield b"".join(small)
        small = []
        yield part
    yield b"".join(small)


def connect(
    address: tuple[str, int],
    *,
    key: Path | str,
    certificate: Path | str,
    peer: Path | str,
    timeout: float = DEFAULT_TIMEOUT,
    limit: int = DEFAULT_LIMIT,
    record: bool = False,
) -> TLSChannel:
    """Call the other party, trying again until the time limit while nobody listens there.

    Parameters are those of :func:`listen`.
    """
    pins = {"": read_certificate(peer)}
    options = {"timeout": timeout, "limit": limit, "record": record}
    return call(address, key, certificate, pins, options)


def call(
    address: tuple[str, int],
    key: Path | str,
    certificate: Path | str,
    pins: Mapping[str, bytes],
    options: dict[str, Any],
) -> TLSChannel:
    """Call whoever holds one of the pinned certificates."""
    context = tls_context(ssl.PROTOCOL_TLS_CLIENT, key, certificate, pins)
    timeout = checked_timeout(options["timeout"])
    deadline = time.monotonic() + timeout
    while True:
        try:
            plain = socket.create_connection(address, timeout=timeout)
            break
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise TimeLimitError(
                    f"nobody listened at {address[0]}:{address[1]} for {timeout:g} s."
                ) from None
            time.sleep(0.05)
        except (OSError, UnicodeError) as error:  # a name that no computer can have
            raise ProtocolError(
                f"cannot reach {address[0]}:{address[1]}: {reason(error)}."
            ) from None
    return greet(plain, context, server_side=False, pins=pins, options=options)


def tls_context(
    side: int, key: Path | str, certificate: Path | str, pins: Mapping[str, bytes]
) -> ssl.SSLContext:
    """Settings of a line on which both ends show a certificate and know the other's."""
    context = ssl.SSLContext(side)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname = False  # the certificate itself is pinned, below
    context.verify_mode = ssl.CERT_REQUIRED
    for path in (key, certificate):
        if not Path(path).is_file():
            raise ParameterError(f"no such key or certificate file: {path}.")
    if read_certificate(certificate) in pins.values():
        raise ParameterError(
            "the other party's certificate is this party's own. Take the one that it sent."
        )
    try:
        context.load_cert_chain(certificate, key)
        context.load_verify_locations(cadata=b"".join(pins.values()))
    except (ssl.SSLError, OSError) as error:
        raise ParameterError(
            f"key or certificate cannot be used: {reason(error)}. "
            "Make a pair with 'shoal twoparty keys'."
        ) from None
    require_in_date("this party's own", read_certificate(certificate))
    if len(pins) == 1:  # of several, one that cannot come does not keep the others away
        require_in_date("the other party's", *pins.values())
    return context


def greet(
    plain: socket.socket,
    context: ssl.SSLContext,
    *,
    server_side: bool,
    pins: Mapping[str, bytes],
    options: dict[str, Any],
    within: float | None = None,
) -> TLSChannel:
    """Make a line of a connection: handshake, pinned certificate, greeting; else close it.

    `within` is a shorter time limit for all of this.
    """
    timeout = float(options["timeout"]) if within is None else within
    deadline = time.monotonic() + timeout
    line = None
    try:
        with _translated("during the TLS handshake", timeout):
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            line = context.wrap_socket(
                plain, server_side=server_side, do_handshake_on_connect=False
            )
            _shake_hands(line, deadline)
    except ProtocolError:
        (line or plain).close()  # TLS has taken the connection over, or it has not
        raise
    channel = TLSChannel(line, **{**options, "timeout": max(0.1, deadline - time.monotonic())})
    try:
        channel.name = _check_pin(line, pins)
        # In TLS 1.3 a client learns only from the first read that its certificate was refused.
        channel.send({"hello": VERSION})
        channel.receive(_HELLO)
    except ProtocolError:
        channel.close()
        raise
    channel.timeout = float(options["timeout"])
    return channel


_HELLO = Fields("a greeting", {"hello": Whole("a version", VERSION + 1, VERSION)})


def _shake_hands(line: ssl.SSLSocket, deadline: float) -> None:
    """Shake hands by a deadline: a limit on every wait alone would let a peer drip bytes."""
    line.setblocking(False)
    with selectors.DefaultSelector() as selector:
        selector.register(line, selectors.EVENT_READ)
        while True:
            try:
                line.do_handshake()
                return
            except ssl.SSLWantReadError:
                selector.modify(line, selectors.EVENT_READ)
            except ssl.SSLWantWriteError:
                selector.modify(line, selectors.EVENT_WRITE)
            if not selector.select(max(0.0, deadline - time.monotonic())):
                raise TimeoutError


def _check_pin(line: ssl.SSLSocket, pins: Mapping[str, bytes]) -> str:
    """Name of the party whose pinned certificate is shown."""
    shown = line.getpeercert(binary_form=True) or b""
    for name, pinned in pins.items():
        if hmac.compare_digest(shown, pinned):
            return name
    raise ProtocolError("the other party shows another certificate than the pinned one.")


def reason(error: OSError | UnicodeError) -> str:
    """What the system says, without addresses or names."""
    said = getattr(error, "reason", None) or getattr(error, "strerror", None)
    return said or ("no such name" if isinstance(error, UnicodeError) else type(error).__name__)


_OUT_OF_DATE = (9, 10)
"""OpenSSL's numbers for a certificate that is not yet valid, and for one that has expired."""


@contextlib.contextmanager
def _translated(when: str, timeout: float) -> Any:
    """Errors of the socket as errors of the protocol."""
    try:
        yield
    except TimeoutError:
        raise TimeLimitError(f"waited {timeout:g} s {when}.") from None
    except ssl.SSLCertVerificationError as error:
        if error.verify_code in _OUT_OF_DATE:
            raise ProtocolError(f"the other party's certificate is out of date. {RENEW}") from None
        raise ProtocolError(
            "the other party's certificate is not the pinned one. "
            "Compare fingerprints and exchange certificates again."
        ) from None
    except ssl.SSLEOFError:
        raise ConnectionCutError(f"the connection was cut {when}.") from None
    except ssl.SSLError as error:
        raise ProtocolError(f"TLS failed {when}: {reason(error)}.") from None
    except (ConnectionError, OSError) as error:
        raise ConnectionCutError(f"the connection was cut {when}: {reason(error)}.") from None
