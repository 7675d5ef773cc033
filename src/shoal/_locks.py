"""Who is at work in a folder, and what a request to end does while files are moved."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from types import FrameType

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]

_ABANDONED = 86_400
"""Seconds after which a lock counts as left behind where the system has no locks."""


@contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Be the only one to settle or move sets of files in a folder; wait for another."""
    if fcntl is None:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def take(path: Path) -> int:
    """Make a lock file and hold it until the descriptor is closed, or its process dies."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    if fcntl is not None:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return descriptor


def is_held(path: Path) -> bool:
    """Whether somebody who lives holds a lock file."""
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        if fcntl is None:
            return time.time() - path.stat().st_mtime < _ABANDONED
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


class _Request:
    """A request to end, which has to wait while files are moved."""

    asked = waits = False

    def end(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        if not self.waits:
            raise SystemExit(128 + number)

    @contextmanager
    def put_off(self) -> Iterator[None]:
        before, self.waits = self.waits, True
        try:
            yield
        finally:
            self.waits = before


_heard: list[_Request] = []
"""Blocks that hear SIGTERM now, the outermost first: those within share its request."""


@contextmanager
def terminating() -> Iterator[Callable[[], AbstractContextManager[None]]]:
    """Let SIGTERM end the block as Ctrl-C does, so that it cleans up; yields a way to put it off.

    Only the main thread of a program that does not handle SIGTERM itself is changed, and only for
    the block.
    """
    is_main = threading.current_thread() is threading.main_thread()
    request = _heard[0] if is_main and _heard else _Request()
    is_ours = is_main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if is_ours:
        signal.signal(signal.SIGTERM, request.end)
        _heard.append(request)
    try:
        yield request.put_off
        if request.asked:
            raise SystemExit(128 + signal.SIGTERM)
    finally:
        if is_ours:
            _heard.remove(request)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def is_moving() -> bool:
    """Whether files are being moved, so that an end has to wait."""
    return any(request.waits for request in _heard)


def hears_termination() -> bool:
    """Whether SIGTERM is left to this module: no other part of the program handles it."""
    handler = signal.getsignal(signal.SIGTERM)
    return any(handler == request.end for request in _heard)
