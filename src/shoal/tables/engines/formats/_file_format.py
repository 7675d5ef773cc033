"""What a file format declares about itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from shoal.tables._engine import Engine, OpenOptions


@dataclass(frozen=True)
class FileFormat:
    """One kind of file that holds a table.

    Parameters
    ----------
    name : str
        What people call it.
    suffixes : tuple of str
        How the names of its files end, in lower case; the first one is advised.
    read : callable
        Opens one file or several of the same columns as one table: ``read(paths, options)``.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[Sequence[Path], OpenOptions], Engine]
