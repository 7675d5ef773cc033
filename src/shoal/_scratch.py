"""A folder for copies that a run needs and nobody may find afterwards.

They lie in one folder of the process, which only its user can read and which the process
holds a lock on for as long as it lives.  It goes when the process ends.  Whoever is killed leaves
it behind, and the next process that needs such a folder removes it: copies of rows do not outlive
the run by more than one command.
"""

from __future__ import annotations

import atexit
import os
import shutil
from contextlib import suppress
from pathlib import Path
from tempfile import gettempdir, mkdtemp

from shoal._locks import is_held, take

_PREFIX = "shoal-run-"
_LOCK = "lock"

_folders: dict[tuple[int, str], Path] = {}
"""The folder of each process: a child has what its parent knew, and needs its own."""


def scratch() -> Path:
    """The folder of this process, to make folders and files in.

    Examples
    --------
    >>> scratch().is_dir()
    True
    """
    process, place = os.getpid(), gettempdir()
    if (process, place) not in _folders:
        _sweep(Path(place))
        # under another name until it is locked: nobody may take it for one that was left behind
        made = Path(mkdtemp(prefix=f".{_PREFIX}", dir=place))
        lock = take(made / _LOCK)
        folder = _folders[process, place] = made.rename(made.with_name(made.name[1:]))
        atexit.register(_remove, folder, lock, process)
    return _folders[process, place]


def _remove(folder: Path, lock: int, process: int) -> None:
    if os.getpid() == process:  # a child has what its parent registered
        shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError):
            os.close(lock)


def _sweep(place: Path) -> None:
    """Remove what killed processes of this user left."""
    with suppress(OSError):
        for folder in place.glob(f"{_PREFIX}*"):
            with suppress(OSError):
                own = not hasattr(os, "getuid") or folder.lstat().st_uid == os.getuid()
                lock = folder / _LOCK
                if own and not folder.is_symlink() and lock.exists() and not is_held(lock):
                    shutil.rmtree(folder, ignore_errors=True)
