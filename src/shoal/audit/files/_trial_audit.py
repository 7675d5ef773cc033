"""Audit a file in a process of its own, with limits: nothing of the file is opened here.

A crafted model may crash whoever loads it, fill the memory or never end, and what it is loaded
into is compiled code.  So the process that prints the verdict gets plain data, and checks them.
"""

from __future__ import annotations

import json
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from shoal._jit import tell_of_compiling
from shoal.audit._model_spans import ModelSpans
from shoal.audit._training_table import TrainingTable
from shoal.audit._trial_load import SECONDS
from shoal.audit.adapters._adapter import AdapterOptions
from shoal.audit.files._stopped import add_frames
from shoal.audit.files._told_spans import Header, read_spans
from shoal.errors import ParameterError, SchemaError, ShoalError, TableError
from shoal.privacy import PrivacyModel

CALL = (sys.executable, "-P", "-m", "shoal.audit.files._audit_process")
LONGEST = 6 * 3600
"""Seconds after which an audit is given up."""
MOST_LETTERS = 1 << 30
"""Of all that is said in words."""
NOTES = {b"compiling\n": False, b"waiting\n": True}
"""Lines before the result, and whether another process compiles."""
ERRORS: dict[str, type[ShoalError]] = {
    kind.__name__: kind for kind in (ParameterError, SchemaError, TableError)
}


def audit_file(
    path: Path, table: TrainingTable, options: AdapterOptions, condition: PrivacyModel
) -> ModelSpans:
    """The spans of a model in a file that is not trusted, with all that the model holds."""
    try:
        request = pickle.dumps((path.resolve(), table, options, condition))
    except (pickle.PicklingError, TypeError, AttributeError):
        raise ParameterError(
            "the schema or the condition holds functions, which no other process can be sent. "
            "If you know where the file comes from, pass the model: load_model(path)."
        ) from None
    with _begun(request) as process:
        assert process.stdout is not None
        header, arrays = _read(path, process, process.stdout)
    if isinstance(header.get("error"), str):
        said = str(header.get("text", ""))[:10_000]
        error = ERRORS.get(header["error"], TableError)(said or _lost(path, "it cannot be read"))
        add_frames(error, header.get("where"))
        raise error
    try:
        return read_spans(header, arrays, table)
    except (ValueError, TypeError, KeyError, AttributeError):
        raise TableError(_lost(path, "what its audit says is no audit")) from None


@contextmanager
def _begun(request: bytes) -> Iterator[subprocess.Popen[bytes]]:
    """A process that has been asked, and is gone afterwards."""
    pipe = subprocess.PIPE
    with subprocess.Popen(CALL, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL) as process:
        ask = threading.Thread(target=_ask, args=(process.stdin, request), daemon=True)
        clock = threading.Timer(LONGEST, process.kill)
        ask.start()
        clock.start()
        try:
            yield process
        finally:
            clock.cancel()
            process.kill()
            ask.join()  # which closes the line: else it would be closed under its hands


def _ask(line: IO[bytes], request: bytes) -> None:
    with suppress(OSError), line:  # it may have ended before all was said
        line.write(request)


def _read(path: Path, process: Any, said: IO[bytes]) -> tuple[Header, list[bytes]]:
    """The header, and the bytes of arrays behind it."""
    while (line := said.readline(MOST_LETTERS)) in NOTES:
        tell_of_compiling(NOTES[line])
    if not line.endswith(b"\n"):
        raise TableError(_lost(path, _why(process.wait())))
    try:
        header = json.loads(line)
        sizes = [int(size) for size in header["sizes"]]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise TableError(_lost(path, "what its audit says is no audit")) from None
    arrays = [said.read(size) if 0 <= size <= MOST_LETTERS else b"" for size in sizes[:8]]
    return header, arrays


def _why(code: int) -> str:
    if code == -getattr(signal, "SIGXCPU", 0):
        return f"loading it took more than {SECONDS} seconds"
    if code == -getattr(signal, "SIGKILL", 0):
        return "auditing it took too long or too much memory"
    return "the process that audited it crashed"


def _lost(path: Path, why: str) -> str:
    return f"cannot read model {path.name}: {why}. It is damaged or was changed; save it again."
