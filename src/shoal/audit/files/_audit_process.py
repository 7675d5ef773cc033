"""The process that audits a file of a stranger; whoever began it gets plain data."""

from __future__ import annotations

import json
import os
import pickle
import sys
import threading
import time
from typing import Any, BinaryIO

from shoal._jit import on_compile
from shoal.audit._audit import find_broken, read_model
from shoal.audit._load import load_untried
from shoal.audit._trial_load import limit_process
from shoal.audit.files._stopped import list_frames, say_stopped
from shoal.audit.files._told_spans import write_spans
from shoal.errors import MissingExtraError, ShoalError

TOO_LARGE = (
    "cannot read the model: it takes more memory than an audit may. It is damaged or was changed; "
    "save it again."
)


def main() -> None:
    """Read a request, audit, and write what was found."""
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    request = sys.stdin.buffer.read()  # of who began this process, and trusts itself
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a model prints is no result
    with on_compile(lambda: _say(out, b"compiling\n"), lambda: _say(out, b"waiting\n")):
        answer(request, out)


def answer(request: bytes, out: BinaryIO, *, limited: bool = True) -> None:
    """Audit as a request asks, and write header and arrays."""
    header: dict[str, Any]
    arrays: list[bytes] = []
    is_loaded = False
    try:
        path, table, options, condition = pickle.loads(request)
        lift = limit_process(16 * len(request)) if limited else None
        model = load_untried(path)
        is_loaded = True
        if lift is not None:
            lift()  # an audit may take longer than to load a file
        read = read_model(model, table, options)
        header, arrays = write_spans(read, find_broken(read.spans, condition))
    except ShoalError as error:
        kind = "ParameterError" if isinstance(error, MissingExtraError) else _kind(error)
        header = _failed(error, str(error), kind)
    except MemoryError as error:
        header = _failed(error, TOO_LARGE)
    except Exception as error:  # whatever a crafted model does
        header = _failed(error, say_stopped(error, is_loaded=is_loaded))
    _say(out, json.dumps(header).encode() + b"\n", *arrays)


def _kind(error: ShoalError) -> str:
    known = ("ParameterError", "SchemaError", "TableError")
    return next((kind.__name__ for kind in type(error).__mro__ if kind.__name__ in known), "")


def _failed(error: BaseException, text: str, kind: str = "TableError") -> dict[str, Any]:
    return {"error": kind, "text": text, "where": list_frames(error), "sizes": []}


def _say(out: BinaryIO, *parts: bytes) -> None:
    for part in parts:
        out.write(part)
    out.flush()


def _end_with(parent: int) -> None:
    """End when nobody waits for the answer any more."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


if __name__ == "__main__":
    main()
