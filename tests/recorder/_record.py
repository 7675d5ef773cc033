"""Run cases, each in a folder of its own, and say how that went."""

from __future__ import annotations

import os
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path

import shoal
from tests.recorder._inputs import write_inputs
from tests.recorder._order import fixed_draws

Case = Callable[[], None]
"""Writes what is to be compared into the current folder; inputs are in ``../inputs``."""


def record(cases: Mapping[str, Case], folder: Path) -> int:
    """Run `cases` into `folder`, which must be new; the number of cases that broke, at most 1.

    Commands that fail as they should do not count as broken: their exit code is recorded.
    """
    folder = folder.resolve()
    if folder.exists():
        raise SystemExit(f"{folder} is there already. Choose another folder.")
    folder.mkdir(parents=True)
    home, broken, began = Path.cwd(), [], time.monotonic()
    sys.stderr.write(f"{len(cases)} cases of {shoal.__file__}\n")
    write_inputs(folder / "inputs")
    for name, case in cases.items():
        (folder / name).mkdir()
        os.chdir(folder / name)
        started = time.monotonic()
        try:
            with fixed_draws(name):
                case()
        except Exception:  # the others still tell something
            broken.append(name)
            Path("broken.txt").write_text(traceback.format_exc(), "utf-8")
        finally:
            os.chdir(home)
        sys.stderr.write(f"{time.monotonic() - started:6.1f} s  {name}\n")
    for name in broken:
        sys.stderr.write(f"BROKEN: {folder / name / 'broken.txt'}\n")
    sys.stderr.write(f"{time.monotonic() - began:.0f} s in all\n")
    return 1 if broken else 0
