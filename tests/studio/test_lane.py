"""Workers: one job after the other, cancelled, killed, and started again."""

import asyncio
import os
import signal
import time

from shoal.studio._lane import Job, Lane
from tests.studio.desks import run, write_people


async def ended(job, seconds=60):
    await asyncio.wait_for(job.ended.wait(), seconds)
    return job


def looking(table, task="glance"):
    stamp = [table.stat().st_size, 0]
    return Job(task, {"table": str(table), "encoding": "", "stamp": stamp})


def test_a_killed_worker_takes_its_job_along_and_nothing_else(tmp_path):
    table, told = write_people(tmp_path / "people.csv"), []

    async def story():
        lane = Lane(told.append)
        first = await ended(lane.submit(looking(table)))
        assert (first.state, first.value["rows"]) == ("done", 200)
        process = lane._process
        os.kill(process.pid, signal.SIGSTOP)  # so that it is not done before it is killed
        second, third = lane.submit(looking(table, "suggest")), lane.submit(looking(table))
        while second.state != "running":
            await asyncio.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        await ended(second)
        assert second.state == "failed"
        assert "ended" in second.error
        assert (await ended(third)).state == "done"  # by another worker
        assert lane._process.pid != process.pid
        await lane.close()
        assert lane._process is None or lane._process.returncode is not None

    run(story())
    assert [job.state for job in told if job.is_over].count("failed") >= 1


def test_a_job_is_cancelled_while_it_waits_and_while_it_runs(tmp_path):
    table = write_people(tmp_path / "people.csv")

    async def story():
        states = []

        def tell(job):
            states.append(job.state)
            if job is first and job.state == "running":
                lane.cancel(first)

        lane = Lane(tell)
        first, second = lane.submit(looking(table)), lane.submit(looking(table))
        lane.cancel(second)
        assert second.state == "cancelled"
        assert lane.jobs in ([first], [])
        await ended(first)
        assert "running" in states  # it was, when it was cancelled
        third = await ended(lane.submit(looking(table)))
        assert (first.state, third.state) == ("cancelled", "done")
        lane.cancel(third)  # over already: nothing happens
        assert third.state == "done"
        await lane.close()

    run(story())


def test_a_job_that_is_taken_back_while_its_worker_starts_never_runs(tmp_path):
    table, states = write_people(tmp_path / "people.csv"), []

    async def story():
        lane = Lane(lambda job: states.append((job.number, job.state)))
        first = lane.submit(looking(table))
        await asyncio.sleep(0)  # its worker is being started
        assert lane.jobs == [first]
        assert lane._process is None
        lane.cancel(first)
        second = await ended(lane.submit(looking(table)))
        assert (first.state, second.state) == ("cancelled", "done")
        assert (first.number, "running") not in states
        await lane.close()

    run(story())


def test_what_is_wrong_is_a_sentence(tmp_path):
    async def story():
        lane = Lane(lambda job: None)
        lost = await ended(lane.submit(Job("glance", {"table": str(tmp_path / "no.csv")})))
        assert lost.state == "failed"
        assert "no.csv" in lost.error
        odd = await ended(lane.submit(Job("dance", {})))
        assert "no task" in odd.error
        await lane.close()

    run(story())


def test_the_time_left_follows_the_pace():
    job = Job("explore", {})
    assert job.to_dict()["seconds_left"] is None
    job.state, job.progress = "running", (1, 4, "releasing")
    job.began = time.monotonic() - 10
    assert 25 < job.to_dict()["seconds_left"] < 40
