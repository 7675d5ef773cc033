"""The command line in this process (quick: kernels are compiled once) or in two of their own."""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import subprocess
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

INPUTS = "../inputs"
COMPILING = "First use on this machine"


def shoal(*arguments: object, drop: Sequence[str] = ()) -> None:
    """Run one command; keep what it printed, its exit code and the files it wrote.

    Parameters
    ----------
    *arguments : object
        As in a shell; a word that starts with ``@`` is a file among the inputs.
    drop : sequence of str
        Files to remove afterwards: figures, and what is encrypted with fresh salt.
    """
    words = [f"{INPUTS}/{word[1:]}" if word[:1] == "@" else word for word in map(str, arguments)]
    code, out, err = _call(words)
    keep(words, code, out, err)
    for name in drop:
        Path(name).unlink(missing_ok=True)


def keep(words: Sequence[str], code: object, out: str, err: str) -> None:
    """Write what a command said into the next free ``NN-COMMAND.txt`` of the current folder."""
    number = len(list(Path().glob("[0-9][0-9]-*.txt"))) + 1
    name = next((word for word in words if word.isidentifier()), "shoal")
    lines = [line for line in err.splitlines() if line.strip() and not line.startswith(COMPILING)]
    kept = "".join(f"{line}\n" for line in lines)  # a bar leaves an empty line when work is slow
    Path(f"{number:02d}-{name}.txt").write_text(
        f"$ shoal {shlex.join(words)}\nexit code {code}\n--- stdout\n{out}--- stderr\n{kept}",
        "utf-8",
    )


def start(*words: str) -> subprocess.Popen[str]:
    """One command in a process of its own, with the same Shoal as this one."""
    import shoal

    return subprocess.Popen(
        [sys.executable, "-m", "shoal", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(shoal.__file__).parents[1])},
    )


def _call(words: Sequence[str]) -> tuple[object, str, str]:
    from shoal.cli import main

    out, err, before = io.StringIO(), io.StringIO(), sys.argv
    sys.argv, code = ["shoal", *words], 0
    try:
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")  # shown once per process, so by the order of cases
            main()
    except SystemExit as left:
        code = left.code or 0
    finally:
        sys.argv = before
    return code, out.getvalue(), err.getvalue()
