"""Where an audit stopped, and whose fault that may be: files, lines and functions, no values."""

from __future__ import annotations

import traceback
from pathlib import Path

import shoal

HOME = Path(shoal.__file__).parent
MOST_LINES = 200
LONGEST = 300
"""Letters of a line; what another process says is not to be trusted."""
REPORT = "If that does not help, run again with SHOAL_DEBUG=1 for the details, and report them."


def say_stopped(error: BaseException, *, is_loaded: bool) -> str:
    """Why there is no verdict: of a file that loads, and stops in code of ours, it may be ours.

    The error's own text may hold somebody's data.
    """
    name = type(error).__name__
    if not is_loaded:
        return (
            f"cannot read the model: loading it stopped with {name}. It is damaged or was changed; "
            f"save it again. {REPORT}"
        )
    frames = traceback.extract_tb(error.__traceback__)
    if frames and Path(frames[-1].filename).is_relative_to(HOME):
        return (
            f"cannot audit the model: something went wrong inside Shoal ({name}), unless the file "
            f"is damaged. Save the model again. {REPORT}"
        )
    return (
        f"cannot audit the model: its library stopped with {name}. It is damaged, or of another "
        f"version; save it again. {REPORT}"
    )


def list_frames(error: BaseException) -> list[str]:
    """The way to an error and to those behind it, the first that was raised at the end."""
    found: list[str] = []
    one: BaseException | None = error
    while one is not None and len(found) < MOST_LINES:
        found.append(f"{type(one).__name__} at")
        frames = traceback.extract_tb(one.__traceback__)
        found += [f"  {own.filename}, line {own.lineno}, in {own.name}" for own in frames]
        one = one.__cause__ or one.__context__
    return found


def add_frames(error: BaseException, told: object) -> None:
    """Note on an error where another process stopped, as tracebacks show it."""
    if isinstance(told, list):
        for line in told[:MOST_LINES]:
            error.add_note(ascii(str(line)[:LONGEST])[1:-1])  # no sign steers a terminal
