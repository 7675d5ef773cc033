"""Wait for the other party: the first caller that proves to be it is let in."""

import contextlib
import queue
import selectors
import socket
import ssl
import threading
import time
from pathlib import Path
from typing import Any

from shoal.errors import ProtocolError, TimeLimitError
from shoal.parties._channel import DEFAULT_LIMIT, DEFAULT_TIMEOUT
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
    context = tls_context(ssl.PROTOCOL_TLS_SERVER, key, certificate, peer)
    options = {"timeout": timeout, "limit": limit, "record": record}
    door = _Door(context, Path(peer), options)
    if isinstance(address, socket.socket):
        return door.wait(address)
    with _server(address) as server:
        return door.wait(server)


def _server(address: tuple[str, int]) -> socket.socket:
    try:
        return socket.create_server(address)
    except OSError as error:
        raise ProtocolError(
            f"cannot listen at {address[0]}:{address[1]}: {reason(error)}."
        ) from None


class _Door:
    """Callers who have not proved yet that they are the other party, each on a thread.

    A caller that says nothing must not keep the other party waiting, so none is waited for.
    """

    def __init__(self, context: ssl.SSLContext, peer: Path, options: dict[str, Any]) -> None:
        self._context, self._peer, self._options = context, peer, options
        self._timeout = float(options["timeout"])
        self._callers: list[socket.socket] = []
        self._proved: queue.Queue[TLSChannel] = queue.Queue()
        self._lock, self._open = threading.Lock(), True
        self._refused = 0
        self._bell, self._ring = socket.socketpair()  # a thread rings when a caller is done

    def wait(self, server: socket.socket) -> TLSChannel:
        """Return the line to the other party."""
        deadline, blocking = time.monotonic() + self._timeout, server.gettimeout()
        server.setblocking(False)
        try:
            with selectors.DefaultSelector() as selector:
                for side in (server, self._bell):
                    selector.register(side, selectors.EVENT_READ)
                while self._proved.empty():
                    left = deadline - time.monotonic()
                    if left <= 0 or self._refused >= MOST_REFUSED:
                        raise self._given_up(left)
                    for key, _ in selector.select(left):
                        self._hear(server if key.fileobj is server else None)
            channel = self._proved.get()
            channel.refused = self._refused
            return channel
        finally:
            self._close()
            server.settimeout(blocking)

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
                peer=self._peer,
                options=self._options,
                within=min(self._timeout, GREETING_TIME),
            )
        with self._lock:
            if channel is None:
                self._refused += 1
                _hang_up(handle)
            elif self._open and self._proved.empty():
                self._proved.put(channel)
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

    def _close(self) -> None:
        with self._lock:
            self._open = False
            for handle in self._callers:
                _hang_up(handle)
            while self._proved.qsize():
                self._proved.get().close()
            self._bell.close()
            self._ring.close()


def _hang_up(caller: socket.socket) -> None:
    with contextlib.suppress(OSError):
        caller.shutdown(socket.SHUT_RDWR)
