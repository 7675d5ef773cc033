"""Progress of Spark's jobs, read from a tracker: only of those that were started meanwhile."""

import time
from types import SimpleNamespace

import pytest

from shoal.tables.engines.regions._spark_progress import count_tasks, watch_tasks


class Tracker:
    """Job 1 ran before; job 2 has a stage of four tasks, three done, and one that is forgotten."""

    def __init__(self):
        self.jobs = [1]

    def getActiveJobsIds(self):  # noqa: N802  Spark's
        return self.jobs

    def getJobInfo(self, job):  # noqa: N802
        return SimpleNamespace(stageIds=[10 * job, 10 * job + 1])

    def getStageInfo(self, stage):  # noqa: N802
        return SimpleNamespace(numCompletedTasks=3, numTasks=4) if stage % 10 == 0 else None


def session(tracker):
    return SimpleNamespace(sparkContext=SimpleNamespace(statusTracker=lambda: tracker))


def test_tasks_of_other_jobs_do_not_count():
    tracker = Tracker()
    assert count_tasks(tracker, {1}) == (0, 0)
    tracker.jobs = [1, 2]
    assert count_tasks(tracker, {1}) == (3, 4)
    assert count_tasks(tracker, set()) == (6, 8)


def test_what_is_done_is_told_while_the_driver_waits(monkeypatch):
    monkeypatch.setattr("shoal.tables.engines.regions._spark_progress._SECONDS", 0.01)
    tracker, said = Tracker(), []
    with watch_tasks(session(tracker), lambda *step: said.append(step), "solving"):
        tracker.jobs = [1, 2]
        until = time.monotonic() + 60
        while len(said) < 2 and time.monotonic() < until:
            time.sleep(0.01)
    assert said[0] == (0, 0, "solving")
    assert said[1] == (3, 4, "solving")
    told = len(said)
    time.sleep(0.05)
    assert len(said) == told  # nobody looks any more


def test_a_session_without_a_tracker_is_run_all_the_same():
    said = []
    with watch_tasks(SimpleNamespace(), lambda *step: said.append(step), "solving"):
        pass
    assert said == [(0, 0, "solving")]


def test_what_fails_inside_is_raised():
    with pytest.raises(KeyError), watch_tasks(session(Tracker()), lambda *_: None, "solving"):
        raise KeyError
