"""Two ends of a line inside one process, for tests and for trying a protocol out."""

import queue
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from shoal.errors import ConnectionCutError, ProtocolError, TimeLimitError
from shoal.parties._channel import DEFAULT_LIMIT, DEFAULT_TIMEOUT, HEADER_SIZE, Channel
from shoal.parties._wire import Buffer

A = TypeVar("A")
B = TypeVar("B")

_HANG_UP = b""


class MemoryChannel(Channel):
    """An end of an in-memory line; made in pairs by :func:`memory_pair`."""

    def __init__(
        self, inbox: "queue.Queue[bytes]", outbox: "queue.Queue[bytes]", **options: Any
    ) -> None:
        super().__init__(**options)
        self._inbox, self._outbox = inbox, outbox
        self._closed = False

    def close(self) -> None:
        """Hang up."""
        if not self._closed:
            self._closed = True
            self._outbox.put(_HANG_UP)

    def _write(self, *parts: Buffer) -> None:
        if self._closed:
            raise ConnectionCutError("the line is closed.")
        self._outbox.put(b"".join(parts))

    def _read_frame(self, most: int, deadline: float) -> tuple[bytes, Buffer]:
        try:
            frame = self._inbox.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            raise TimeLimitError(f"no message within {self.timeout:g} s.") from None
        if frame == _HANG_UP:
            self._inbox.put(_HANG_UP)
            raise ConnectionCutError("the other party hung up.")
        if len(frame) < HEADER_SIZE:
            raise ProtocolError("malformed message: shorter than its header.")
        header, body = frame[:HEADER_SIZE], frame[HEADER_SIZE:]
        length = self._check_header(header, most)
        if length != len(body):
            raise ProtocolError(f"malformed message: {length} bytes announced, {len(body)} came.")
        self._check_body(header, body)
        return header, body


def memory_pair(
    *, timeout: float = DEFAULT_TIMEOUT, limit: int = DEFAULT_LIMIT, record: bool = False
) -> tuple[MemoryChannel, MemoryChannel]:
    """Two connected ends of an in-memory line.

    >>> here, there = memory_pair()
    >>> here.send([1, "two"])
    >>> there.receive()
    [1, 'two']
    """
    one: queue.Queue[bytes] = queue.Queue()
    two: queue.Queue[bytes] = queue.Queue()
    options = {"timeout": timeout, "limit": limit, "record": record}
    return MemoryChannel(one, two, **options), MemoryChannel(two, one, **options)


def run_parties(
    first: Callable[[Channel], A],
    second: Callable[[Channel], B],
    *,
    channels: tuple[Channel, Channel] | None = None,
    timeout: float = DEFAULT_TIMEOUT,
) -> tuple[A, B]:
    """Run both halves of a protocol in this process and return what each one learnt.

    An error at one end hangs up the line, so that the other end stops too; the error that came
    first is raised.

    >>> run_parties(lambda line: line.send(3), lambda line: line.receive() + 1)
    (None, 4)
    """
    ends = channels or memory_pair(timeout=timeout)
    results: list[Any] = [None, None]
    errors: list[BaseException] = []

    def half(index: int, function: Callable[[Channel], Any]) -> None:
        try:
            results[index] = function(ends[index])
        except BaseException as error:
            errors.append(error)
        finally:
            ends[index].close()

    other = threading.Thread(target=half, args=(1, second), daemon=True)
    other.start()
    half(0, first)
    other.join()
    if errors:
        raise errors[0]
    return results[0], results[1]
