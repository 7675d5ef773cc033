"""Errors that read like sentences, and the exit codes that stand for them."""

from __future__ import annotations

import errno
import os
import re
import sys
from pathlib import Path
from typing import Any

from shoal._atomic import write_text
from shoal.cli._output import WRITTEN_OUT, output, to_json
from shoal.errors import InfeasibleError, ProtocolError, ShoalError, UncoveredValuesError

OK, CHECK_FAILED, BAD_INPUT, INFEASIBLE, PEER, CANNOT_TELL = 0, 1, 2, 3, 4, 5
BUG, INTERRUPTED, CLOSED = 70, 130, 141
"""Exit codes; scripts rely on them, so they never change."""


def exit_code(error: Exception) -> int:
    """Exit code that stands for an error."""
    match error:
        case InfeasibleError():
            return INFEASIBLE
        case ProtocolError():
            return PEER
        case ShoalError() | OSError() | MemoryError():
            return BAD_INPUT
        case _:
            return BUG


def report_failure(error: Exception) -> int:
    """Say what went wrong; returns the exit code."""
    code = exit_code(error)
    name = type(error).__name__
    match error:
        case UncoveredValuesError():
            message = f"{error}{_hand_over(error)}"
        case ShoalError():
            message = _in_options(str(error))
        case OSError():
            message = _explain_system(error)
        case MemoryError():
            message = (
                "there is not enough memory for this; nothing was written. Use a machine with "
                "more, or fewer rows or quasi-identifiers."
            )
        case _:  # its text may hold somebody's data
            message = (
                f"something went wrong inside Shoal ({name}). Run again with SHOAL_DEBUG=1 for the "
                "details, and please report it."
            )
    sys.stderr.write(f"Error: {message.translate(WRITTEN_OUT)}\n")
    if output().json:
        _show_json(name, message, code)
    return code


def report_misuse(error: Any) -> None:
    """Say on stdout what was typed wrongly, which click says on stderr."""
    _show_json(type(error).__name__, error.format_message(), error.exit_code)


def _show_json(name: str, message: str, code: int) -> None:
    shown = {"error": {"type": name, "message": message, "exit_code": code}}
    sys.stdout.write(to_json(shown) + "\n")


_OPTIONS = {"max_suppression": "--suppress", "time_limit": "--time-limit"}
"""What parameters of Python are called on the command line, where another name is usual."""

_AS_OPTIONS = {
    "KAnonymity: k must": "-k must",
    "weights of columns: ": "--weight: ",
    "weights: ": "--weights: ",
    "ranges: ": "--statistics: ",
    "--force (in Python force=True)": "--force",
    "Change each with noise, swap or pram, say that it may be kept,": "Change each with --noise, "
    "--swap or --pram, say --keep COLUMN,",
}
"""What is said in the words of Python, and on the command line."""


def _in_options(message: str) -> str:
    """The message as somebody reads it who types options; columns and files stand in quotes."""
    for parameter, option in _OPTIONS.items():
        message = message.replace(f"parameter {parameter!r}", f"option {option}")
        message = message.replace(f"{parameter!r} is known to", f"{option} is known to")
        message = re.sub(rf"(?<![\w.'/-]){parameter}(?![\w'/-]|\.\w)", option, message)
    for said, option in _AS_OPTIONS.items():
        message = re.sub(rf"(?<![\w.'/-]){re.escape(said)}", option, message)
    return message


_ADVICE = {
    errno.ENOENT: "there is no file or folder {0}. Check the path.",
    errno.EISDIR: "{0} is a folder, and a file is needed. Name a file in it.",
    errno.ENOTDIR: "{0} lies below a file that is taken for a folder. Check the path.",
    errno.EACCES: "this user may not read or write {0}. Check its permissions.",
    errno.EPERM: "this user may not read or write {0}. Check its permissions.",
    errno.EEXIST: "{0} is there already. Choose another name or use --force.",
    errno.ENOSPC: "the disk is full. Free space or choose another folder.",
    errno.EROFS: "{0} lies on a disk that cannot be written. Choose another folder.",
    errno.ENAMETOOLONG: "the name {0} is too long for this disk. Choose a shorter one.",
    errno.EADDRINUSE: "the port is in use. Choose another one.",
    errno.ECONNREFUSED: "nobody listens there. Check host and port, and that the other side runs.",
}
"""What the system's refusals mean, and what to do about them."""


def _explain_system(error: OSError) -> str:
    name = repr(os.path.basename(str(error.filename))) if error.filename else "it"
    known = _ADVICE.get(error.errno or 0)
    if known is not None:
        return known.format(name)
    return f"{name}: the system refused ({error.strerror or type(error).__name__}). Try again."


def _hand_over(error: UncoveredValuesError) -> str:
    """Say where the values are: a file of the user's, or here when that was asked for."""
    if not error.values:
        return ""
    if output().show_values:
        return f" They are: {', '.join(map(repr, error.values))}."
    path = Path(f"missing-values-{re.sub(r'[^A-Za-z0-9_-]+', '-', error.column)}.txt")
    try:
        write_text(path, "".join(f"{value}\n" for value in error.values))
    except ShoalError:  # a folder that is not ours: the count has to do
        return " Run again with --show-values to see them."
    path.chmod(0o600)
    return f" They are in {path.name}, which holds data of people (--show-values shows them here)."
