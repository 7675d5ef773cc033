"""Seconds of a piece of work, and the memory it took."""

from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What the work returns, and its seconds."""
    started = perf_counter()
    value = work()
    return value, perf_counter() - started


def seconds(work: Callable[[], Any], repeats: int = 1) -> float:
    """Seconds of the fastest of some runs."""
    return min(timed(work)[1] for _ in range(repeats))


def peak_megabytes() -> float | None:
    """Most memory that this process held; unknown where Linux does not tell."""
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    # getrusage would count what the parent held when it forked
    return int(status.read_text().split("VmHWM:")[1].split()[0]) / 1024
