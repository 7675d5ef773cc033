"""Which functions of Shoal one command runs: ``python -m tests.contracts.trace`` lists them."""

from __future__ import annotations

import os
import random
import sys
import tempfile
import threading
from collections import Counter, defaultdict
from collections.abc import Callable
from inspect import CO_NEWLOCALS
from pathlib import Path
from types import CodeType, FrameType

from typer.testing import CliRunner

import shoal
from shoal.cli import app

HOME = Path(shoal.__file__).parent
COMMAND = ["anonymize", "people.csv", "--schema", "s.toml", "-k", "10"]
COMMAND += ["--method", "local", "--out", "o.csv"]
SCHEMA = """
[columns.age]
role = "quasi-identifier"
kind = "numeric"
[columns.city]
role = "quasi-identifier"
hierarchy = {tree = {North = ["Kiel", "Bremen"], South = ["Ulm", "Passau"]}}
[columns.sex]
role = "quasi-identifier"
hierarchy = "flat"
[columns.illness]
role = "sensitive"
"""


def calls_of(job: Callable[[], object]) -> dict[str, Counter[str]]:
    """How often a job calls each function, by file; comprehensions belong to their function.

    A kernel counts without the kernels that it calls: compiled code is not profiled.  How kernels
    are compiled and loaded is no part of a job.
    """
    calls: Counter[CodeType] = Counter()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            calls[frame.f_code] += 1

    before = sys.getprofile()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        job()
    finally:
        sys.setprofile(before)
        threading.setprofile(before)  # type: ignore[arg-type]
    return _by_file(calls)


def _by_file(calls: Counter[CodeType]) -> dict[str, Counter[str]]:
    files: dict[str, Counter[str]] = defaultdict(Counter)
    for code, number in calls.items():
        path = Path(code.co_filename)
        is_body = not code.co_flags & CO_NEWLOCALS  # of a module or a class: importing runs it
        if is_body or not path.is_relative_to(HOME) or path.name.startswith("_jit"):
            continue
        if code.co_name == "say_compiling":  # only where nothing was compiled before
            continue
        if not code.co_name.startswith("<"):
            files[str(path.relative_to(HOME))][code.co_qualname] += number
    return dict(sorted(files.items()))


def write_people(folder: Path) -> None:
    """The table and the schema of :data:`COMMAND`."""
    rng = random.Random(0)
    rows = [
        f"{rng.randint(20, 70)},{rng.choice(['Kiel', 'Bremen', 'Ulm', 'Passau'])},"
        f"{rng.choice('fm')},{rng.choice(['flu', 'cold', 'gout'])}"
        for _ in range(400)
    ]
    (folder / "people.csv").write_text("\n".join(["age,city,sex,illness", *rows]) + "\n")
    (folder / "s.toml").write_text(SCHEMA)


def run_command() -> None:
    """Run :data:`COMMAND` in the current folder."""
    result = CliRunner().invoke(app, [*COMMAND, "--force"])
    if result.exit_code:
        raise RuntimeError(result.output)


def trace_command(folder: Path) -> dict[str, Counter[str]]:
    """Calls of :data:`COMMAND` in a folder that holds its scratch files, too.

    What processes that were killed left behind elsewhere is looked at by any process that comes by.
    """
    write_people(folder)
    before, usual = Path.cwd(), tempfile.tempdir
    os.chdir(folder)
    tempfile.tempdir = str(folder)
    try:
        return calls_of(run_command)
    finally:
        tempfile.tempdir = usual
        os.chdir(before)


def main() -> None:
    """Print the functions, file by file."""
    with tempfile.TemporaryDirectory() as folder:
        files = trace_command(Path(folder))
    for path, names in files.items():
        sys.stdout.write(f"{path}: {', '.join(sorted(names))}\n")
    sys.stdout.write(f"{sum(map(len, files.values()))} functions in {len(files)} files\n")


if __name__ == "__main__":
    main()
