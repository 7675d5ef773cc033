"""Wait for the other party: the first caller that proves to be it is let in."""

import contextlib
import selectors
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.errors import ProtocolError, TimeLimitError
from shoal.parties._certificates import read_certificate
from shoal.parties._channel import DEFAULT_LIMIT, DEFAULT_TIMEOUT, checked_timeout
from shoal.parties._tls import TLSChannel, greet, reason, tls_context

MOST_REFUSED = 10_000
"""Connections that are refused before the wait is given up."""
MOST_AT_ONCE = 64
"""Callers at the door; one more sends the one away that has been there longest."""
GREETING_TIME = 20.0
"""Seconds that a caller has to prove who it is."""


def listen(
    address: tuple[str, int] | socket.socket,
    *,
    key: Path | str,
    certificate: Path | str,
    peer: Path | str,
    timeout: float = DEFAULT_TIMEOUT,
    limit: int = DEFAULT_LIMIT,
    record: bool = False,
) -> TLSChannel:
    """Wait for the other party and return the line to it.

    Whoever else connects (a port scanner, a health check, somebody with another certificate) is
    refused and counted, and the wait goes on: until the other party comes, the time is up, or
    10,000 were refused.

    Parameters
    ----------
    address : (host, port) or listening socket
        Where to listen.
    key, certificate : path
        This party's own private key and certificate (PEM).
    peer : path
        The other party's certificate (PEM); nobody else is let in.
    timeout : float, default=60
        Limit on the wait for the connection and on every later wait.
    limit : int
        Largest message in bytes.
    record : bool, default=False
        Keep the bytes of messages in the transcript (for tests).

    Notes
    -----
    The channel's `refused` says how many connections were not the other party's; nothing else is
    kept of them.
    """
    options = {"timeout": timeout, "limit": limit, "record": record}
    pins = {"": read_certificate(peer)}
    came, left = admit(address, key, certificate, pins, options)
    if left is not None and not came:
        raise left
    return came[""]


def admit(
    address: tuple[str, int] | socket.socket,
    key: Path | str,
    certificate: Path | str,
    pins: Mapping[str, bytes],
    options: dict[str, Any],
) -> tuple[dict[str, TLSChannel], ProtocolError | None]:
    """Wait for everybody expected; return who came, and why the wait ended without the others."""
    context = tls_context(ssl.PROTOCOL_TLS_SERVER, key, certificate, pins)
    if isinstance(address, socket.socket):
        return _Door(context, pins, options).wait(address)
    with _server(address) as server:
        return _Door(context, pins, options).wait(server)


def _server(address: tuple[str, int]) -> socket.socket:
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    try:
        return socket.create_server(address, family=family)
    except (OSError, UnicodeError) as error:  # a name that no computer can have
        raise ProtocolError(
            f"cannot listen at {address[0]}:{address[1]}: {reason(error)}."
        ) from None


class _Door:
    """Callers who have not proved yet that they are expected, each on a thread.

    A caller that says nothing must not keep the others waiting, so none is waited for.
    """

    def __init__(
        self, context: ssl.SSLContext, pins: Mapping[str, bytes], options: dict[str, Any]
    ) -> None:
        self._context, self._pins, self._options = context, pins, options
        self._timeout = checked_timeout(options["timeout"])
        self._callers: list[socket.socket] = []
        self._proved: dict[str, TLSChannel] = {}
        self._lock, self._open = threading.Lock(), True
        self._refused = 0
        self._bell, self._ring = socket.socketpair()  # a thread rings when a caller is done

    def wait(self, server: socket.socket) -> tuple[dict[str, TLSChannel], ProtocolError | None]:
        """Return the lines to those who came, and an error if somebody did not."""
        deadline, blocking = time.monotonic() + self._timeout, server.gettimeout()
        server.setblocking(False)
        problem = None
        try:
            with selectors.DefaultSelector() as selector:
                for side in (server, self._bell):
                    selector.register(side, selectors.EVENT_READ)
                while len(self._proved) < len(self._pins):
                    left = deadline - time.monotonic()
                    if left <= 0 or self._refused >= MOST_REFUSED:
                        problem = self._given_up(left)
                        break
                    for key, _ in selector.select(left):
                        self._hear(server if key.fileobj is server else None)
        except BaseException:
            self._close({})
            raise
        finally:
            server.settimeout(blocking)
        came = dict(self._proved)
        self._close(came)
        for channel in came.values():
            channel.refused = self._refused
        return came, problem

    def _hear(self, server: socket.socket | None) -> None:
        if server is None:
            self._bell.recv(4096)
            return
        try:
            plain, _ = server.accept()
            handle = plain.dup()  # TLS takes the first one over; this one can still hang up
        except OSError:  # it hung up before it was answered
            self._refused += 1
            return
        with self._lock:
            self._callers.append(handle)
            if len(self._callers) > MOST_AT_ONCE:
                _hang_up(self._callers[0])
        threading.Thread(target=self._hear_out, args=(plain, handle), daemon=True).start()

    def _hear_out(self, plain: socket.socket, handle: socket.socket) -> None:
        """Let one caller prove who it is."""
        channel = None
        with contextlib.suppress(ProtocolError, OSError, ValueError):
            channel = greet(
                plain,
                self._context,
                server_side=True,
                pins=self._pins,
                options=self._options,
                within=min(self._timeout, GREETING_TIME),
            )
        with self._lock:
            if channel is None:
                self._refused += 1
                _hang_up(handle)
            elif self._open and channel.name not in self._proved:
                self._proved[channel.name] = channel
            else:
                channel.close()
            self._callers.remove(handle)
            handle.close()
            if self._open:
                self._ring.send(b".")

    def _given_up(self, left: float) -> ProtocolError:
        others = (
            f" {self._refused} connections were refused: whoever called did not show the pinned "
            "certificate. If one was the other party, compare fingerprints and exchange "
            "certificates again."
            if self._refused
            else ""
        )
        if left > 0:
            return ProtocolError(f"the other party did not come.{others}")
        return TimeLimitError(f"waited {self._timeout:g} s while waiting for a connection.{others}")

    def _close(self, kept: Mapping[str, TLSChannel]) -> None:
        with self._lock:
            self._open = False
            for handle in self._callers:
                _hang_up(handle)
            for name, channel in self._proved.items():
                if name not in kept:
                    channel.close()
            self._bell.close()
            self._ring.close()


def _hang_up(caller: socket.socket) -> None:
    with contextlib.suppress(OSError):
        caller.shutdown(socket.SHUT_RDWR)
