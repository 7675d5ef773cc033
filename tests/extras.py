"""Optional packages in tests: skip where one is absent, and say which."""

import functools
import importlib
import os
import shutil
import signal
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("SHOAL_DATA", ROOT.parent / "shared" / "data"))
"""Public data sets, which are not part of the project."""


def need(package: str) -> ModuleType:
    """The package; a test (or a whole module, at its top) is skipped without it."""
    try:
        return importlib.import_module(package)
    except ImportError:
        pytest.skip(f"needs {package}, which is not installed", allow_module_level=True)


@functools.cache
def has_spark() -> bool:
    """Whether PySpark and Java are here."""
    try:
        importlib.import_module("pyspark")
    except ImportError:
        return False
    return shutil.which("java") is not None


def hear_interrupts() -> None:
    """Run in a child before it starts: a parent in the background ignores Ctrl-C for both."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
