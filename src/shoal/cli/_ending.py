"""Ctrl-C and a request to end are obeyed within two seconds, whatever a command is busy with."""

from __future__ import annotations

import atexit
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from shoal._atomic import abandon, hears_termination, is_moving, terminating

PATIENCE = 1.2
"""Seconds that a command has to end in the ordinary way: what it wrote so far goes with it."""

_TIDYING = 0.5  # seconds for folders with temporary files
_MOVING = 60.0  # files that are being moved are moved to the end

_heard: list[int] = []


def ending() -> int | None:
    """Exit code of a command that was asked to end: what fails from then on is no defect."""
    return 128 + _heard[0] if _heard else None


@contextmanager
def ends_when_asked() -> Iterator[None]:
    """Have somebody look whether a request to end is obeyed, and see to it otherwise.

    Python hears a signal between two of its own steps, and then waits for threads that are busy.
    Compiled code may take minutes for one step.  But the system writes each signal into a pipe at
    once, and a thread that waits there can remove the drafts and end the process.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard, written = socket.socketpair()
    written.setblocking(False)
    before = signal.set_wakeup_fd(written.fileno(), warn_on_full_buffer=False)
    asked, over = threading.Event(), threading.Event()
    threading.Thread(target=_watch, args=(heard, asked, over), daemon=True).start()
    try:
        with terminating():
            yield
    finally:
        over.set()
        if not asked.is_set():  # else the program waits for busy threads before it is over
            signal.set_wakeup_fd(before)
            written.close()


def _watch(heard: socket.socket, asked: threading.Event, over: threading.Event) -> None:
    with heard:
        while number := heard.recv(1):
            if over.is_set() or _is_ours(number[0]):
                _heard.append(number[0])
                asked.set()
                time.sleep(PATIENCE)
                _end(number[0])


def _is_ours(number: int) -> bool:
    """Whether a signal ends the program: a server that handles it itself is left alone."""
    if number == signal.SIGINT:
        return signal.getsignal(signal.SIGINT) is signal.default_int_handler
    return number == signal.SIGTERM and hears_termination()


def _end(number: int) -> None:
    until = time.monotonic() + _MOVING
    while is_moving() and time.monotonic() < until:
        time.sleep(0.05)
    with suppress(Exception):
        abandon()
    # what was registered to be removed at the end: rows that were staged
    tidying = threading.Thread(target=atexit._run_exitfuncs, daemon=True)
    tidying.start()
    tidying.join(_TIDYING)
    os._exit(128 + number)
