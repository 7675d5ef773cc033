"""What Shoal may take of the machine: threads, memory, and a folder for copies.

Copies that a run needs and nobody may find afterwards lie in one folder of the process, which only
its user can read and which the process holds a lock on for as long as it lives.  It goes when the
process ends.  Whoever is killed leaves it behind, and the next process that needs such a folder
removes it: copies of rows do not outlive the run by more than one command.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
from contextlib import suppress
from pathlib import Path
from tempfile import gettempdir, mkdtemp

from shoal._atomic import is_held, take

_MOST = 8
"""Beyond, threads wait for memory and for one another more than they compute."""

_PREFIX = "shoal-run-"
_LOCK = "lock"

_folders: dict[tuple[int, str], Path] = {}
"""The folder of each process: a child has what its parent knew, and needs its own."""


def n_threads(otherwise: int | None = None) -> int:
    """Threads to use: `SHOAL_THREADS` where it is a whole number above 0, else `otherwise`.

    If that is not given either, as many as there are cores that this process may run on.  No result
    depends on it.
    """
    asked = os.environ.get("SHOAL_THREADS", "")
    if asked.isdigit() and int(asked) > 0:
        return int(asked)
    if otherwise is not None:
        return otherwise
    # in a container, or under taskset, a process may run on fewer cores than the machine has
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(cores or 1, _MOST)


def database_memory() -> str:
    """Memory that the database of our tables may take before it goes on on disk.

    What `SHOAL_MEMORY` says (`8GB`), else 2 GB, or an eighth of a gigabyte for each core where
    there are many: each thread of a database works in a part of its own.
    """
    asked = os.environ.get("SHOAL_MEMORY", "").strip()
    if re.fullmatch(r"\d+(\.\d+)? ?[KMGT]i?B", asked, re.IGNORECASE):
        return asked
    cores = n_threads(otherwise=os.cpu_count() or 1)
    return f"{max(2_000, 128 * cores)}MB"


def memory_bytes() -> int:
    """The same as a number of bytes, for what is not a database and has to fit beside one.

    Examples
    --------
    >>> memory_bytes() > 0
    True
    """
    number, unit = re.fullmatch(r"([\d.]+) ?([KMGT])i?B", database_memory(), re.IGNORECASE).groups()  # type: ignore[union-attr]
    return int(float(number) * 1000 ** (1 + "KMGT".index(unit.upper())))


def scratch() -> Path:
    """The folder of this process, to make folders and files in.

    Examples
    --------
    >>> scratch().is_dir()
    True
    """
    process, parent = os.getpid(), gettempdir()
    if (process, parent) not in _folders:
        with suppress(OSError):
            for left in Path(parent).glob(f"{_PREFIX}*"):  # by processes that were killed
                with suppress(OSError):
                    own = not hasattr(os, "getuid") or left.lstat().st_uid == os.getuid()
                    lock_left = left / _LOCK
                    has_lock = not left.is_symlink() and lock_left.exists()
                    if own and has_lock and not is_held(lock_left):
                        shutil.rmtree(left, ignore_errors=True)
        # under another name until it is locked: nobody may take it for one that was left behind
        made = Path(mkdtemp(prefix=f".{_PREFIX}", dir=parent))
        lock = take(made / _LOCK)
        folder = _folders[process, parent] = made.rename(made.with_name(made.name[1:]))
        atexit.register(_remove, folder, lock, process)
    return _folders[process, parent]


def _remove(folder: Path, lock: int, process: int) -> None:
    if os.getpid() == process:  # a child has what its parent registered
        shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError):
            os.close(lock)
