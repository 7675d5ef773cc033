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
from typing import Any

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


@contextmanager
def terminating() -> Iterator[Callable[[], AbstractContextManager[None]]]:
    """Let SIGTERM end the block as Ctrl-C does, so that it cleans up; yields a way to put it off.

    Only the main thread of a program that does not handle SIGTERM itself is changed, and only for
    the block.
    """
    waits, asked = [False], [False]

    def end(number: int, frame: FrameType | None) -> None:
        asked[0] = True
        if not waits[0]:
            raise SystemExit(128 + number)

    @contextmanager
    def put_off() -> Iterator[None]:
        before, waits[0] = waits[0], True
        try:
            yield
        finally:
            waits[0] = before

    with _handler(end):
        yield put_off
        if asked[0]:
            raise SystemExit(128 + signal.SIGTERM)


@contextmanager
def _handler(end: Callable[[int, Any], None]) -> Iterator[None]:
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
