"""How many threads and how much memory Shoal may take: the one place that says so."""

import os
import re

_MOST = 8
"""Beyond, threads wait for memory and for one another more than they compute."""


def n_threads() -> int:
    """Threads to use: `SHOAL_THREADS` where it is set, else the cores this process may run on.

    No result depends on it.
    """
    # in a container, or under taskset, a process may run on fewer cores than the machine has
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return asked_threads() or min(cores or 1, _MOST)


def asked_threads() -> int | None:
    """What `SHOAL_THREADS` asks for; None when it is not set to a whole number above 0."""
    asked = os.environ.get("SHOAL_THREADS", "")
    return int(asked) if asked.isdigit() and int(asked) > 0 else None


def database_memory() -> str:
    """Memory that a database of ours may take before it goes on on disk.

    What `SHOAL_MEMORY` says (`8GB`), else 2 GB, or an eighth of a gigabyte for each core where
    there are many: each thread of a database works in a part of its own.
    """
    asked = os.environ.get("SHOAL_MEMORY", "").strip()
    if re.fullmatch(r"\d+(\.\d+)? ?[KMGT]i?B", asked, re.IGNORECASE):
        return asked
    cores = asked_threads() or os.cpu_count() or 1
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
