"""Requests in, one JSON object on a line; progress, parts and results out, the same way.

The line out is a copy of standard output, which itself is turned to standard error: what a library
prints never mixes with results.  When nobody is at the other end any more, the process ends.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, TextIO

from shoal._jit import on_compile
from shoal._plain import to_json
from shoal.errors import ShoalError, UncoveredValuesError
from shoal.studio.work._bench import Bench
from shoal.studio.work._tasks import run_task

_PAUSE = 0.1
"""Seconds between two words about progress."""

_COMPILING = "first use on this machine: compiling, which can take a minute and is kept"

_WAITING = "another process compiles what is needed here: waiting until it has"

Send = Callable[[dict[str, Any]], None]


def main() -> None:
    """Work until the other end is gone."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    requests: queue.Queue[dict[str, Any]] = queue.Queue()
    threading.Thread(target=_listen, args=(sys.stdin, requests), daemon=True).start()
    serve(requests, _sender(out))


def serve(requests: queue.Queue[dict[str, Any]], send: Send) -> None:
    """Answer one request after the other."""
    bench = Bench()
    send({"ready": os.getpid()})
    while True:
        answer(bench, requests.get(), send)


def answer(bench: Bench, request: dict[str, Any], send: Send) -> None:
    """Carry out one request; whatever happens, there is one last word."""
    progress = _progress(send)
    try:
        with on_compile(lambda: progress(0, 0, _COMPILING), lambda: progress(0, 0, _WAITING)):
            done = run_task(bench, request["task"], request["args"], progress, send)
        send({"done": done})
    except UncoveredValuesError as error:
        send({"failed": str(error), "type": type(error).__name__, "column": error.column})
    except ShoalError as error:
        send({"failed": str(error), "type": type(error).__name__})
    except OSError as error:
        send({"failed": f"{error.strerror or 'the system refused'}.", "type": "OSError"})
    except MemoryError:
        send({"failed": "there is not enough memory for this.", "type": "MemoryError"})
    except Exception as error:  # its text may hold somebody's data
        if os.environ.get("SHOAL_DEBUG") == "1":
            raise
        kind = type(error).__name__
        send({"failed": f"something went wrong inside Shoal ({kind}). Please report it.",
              "type": kind})  # fmt: skip


def _listen(lines: TextIO, requests: queue.Queue[dict[str, Any]]) -> None:
    for line in lines:
        requests.put(json.loads(line))
    os.kill(os.getpid(), signal.SIGTERM)  # ends writers as Ctrl-C does: they clean up


def _sender(out: TextIO) -> Send:
    def send(message: dict[str, Any]) -> None:
        out.write(to_json(message, indent=None) + "\n")
        out.flush()

    return send


def _progress(send: Send) -> Callable[[int, int, str], None]:
    last, said = 0.0, ""

    def progress(done: int, total: int, what: str, /) -> None:
        nonlocal last, said
        now = time.monotonic()
        if what != said or now - last > _PAUSE or (total and done == total):
            last, said = now, what
            send({"progress": [int(done), int(total), what]})

    return progress
