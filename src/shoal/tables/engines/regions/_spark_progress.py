"""How far a job of Spark is, from its own status tracker, while the driver waits for it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from shoal.typing import Progress

_SECONDS = 1.0
"""Time between two looks."""


@contextmanager
def watch_tasks(session: Any, progress: Progress, what: str) -> Iterator[None]:
    """Report tasks that are done, of all tasks of what is run meanwhile.

    A session over Spark Connect has no tracker: then `what` is said once, and no more.
    """
    progress(0, 0, what)
    try:
        tracker = session.sparkContext.statusTracker()
        before = set(tracker.getActiveJobsIds())
    except Exception:
        yield
        return
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(_SECONDS):
            with suppress(Exception):  # a cluster that is gone says so to the driver, not here
                done, total = count_tasks(tracker, before)
                if total:
                    progress(done, total, what)

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def count_tasks(tracker: Any, before: set[int]) -> tuple[int, int]:
    """Tasks that are done, and all tasks, of the jobs that run now and did not before."""
    done = total = 0
    for job in set(tracker.getActiveJobsIds()) - before:
        for stage in getattr(tracker.getJobInfo(job), "stageIds", ()):
            info = tracker.getStageInfo(stage)
            if info is not None:
                done += int(info.numCompletedTasks)
                total += int(info.numTasks)
    return done, total
