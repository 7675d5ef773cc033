"""A worker process and the jobs that wait for it: one at a time, cancelled by ending the process.

A worker that dies takes its job along and nothing else: the next job gets a new worker.  What it
was writing is whole or not there, since every writer goes through a journal.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Literal

State = Literal["waiting", "running", "done", "failed", "cancelled"]
_numbers = count(1)
_LONGEST_LINE = 256 * 2**20
_MEMORY = "500MB"
"""What the database of a worker takes before it goes on in files, unless the user says more."""
_PATIENCE = 3.0
"""Seconds that a worker gets to clean up before it is killed."""


@dataclass(eq=False)
class Job:
    """One piece of work.

    Parameters
    ----------
    task : str
        What the worker is asked to do.
    args : dict
        What it needs for it.
    title : str
        What people are told.
    """

    task: str
    args: dict[str, Any] = field(repr=False)
    title: str = ""
    number: int = field(default_factory=lambda: next(_numbers))
    state: State = "waiting"
    progress: tuple[int, int, str] = (0, 0, "")
    parts: list[Any] = field(default_factory=list, repr=False)
    value: Any = field(default=None, repr=False)
    error: str = ""
    is_lost: bool = False
    began: float = 0.0
    ended: asyncio.Event = field(default_factory=asyncio.Event, repr=False)

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come."""
        return self.state in ("done", "failed", "cancelled")

    @property
    def was_cancelled(self) -> bool:
        """Whether somebody took it back."""
        return self.state == "cancelled"

    def finish(self, state: State, value: Any = None, error: str = "") -> None:
        """Note the outcome."""
        self.state, self.value, self.error = state, value, error
        self.ended.set()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, without the result."""
        done, total, what = self.progress
        return {
            "number": self.number, "task": self.task, "title": self.title, "state": self.state,
            "done": done, "total": total, "what": what, "seconds_left": self._seconds_left(),
            "error": self.error,
        }  # fmt: skip

    def _seconds_left(self) -> float | None:
        done, total, _ = self.progress
        if self.state != "running" or not 0 < done < total:
            return None
        return round((time.monotonic() - self.began) / done * (total - done), 1)


class Lane:
    """Jobs one after the other, in one process.

    Parameters
    ----------
    tell : callable
        Called with a job whenever something about it changed.
    """

    def __init__(self, tell: Callable[[Job], None]) -> None:
        self._tell = tell
        self._waiting: deque[Job] = deque()
        self._running: Job | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._loop: asyncio.Task[None] | None = None

    @property
    def jobs(self) -> list[Job]:
        """What runs and what waits."""
        return [*([self._running] if self._running else []), *self._waiting]

    def submit(self, job: Job) -> Job:
        """Put a job at the end of the line."""
        self._waiting.append(job)
        if self._loop is None or self._loop.done():
            self._loop = asyncio.get_running_loop().create_task(self._work())
        return job

    def cancel(self, job: Job) -> None:
        """Take a job out of the line, or end the process that works on it."""
        if job.is_over:
            return
        job.finish("cancelled")
        if job in self._waiting:
            self._waiting.remove(job)
            self._tell(job)
        elif job is self._running and self._process is not None:
            _end(self._process, signal.SIGTERM)

    async def close(self) -> None:
        """End the process and forget the jobs."""
        for job in self.jobs:
            job.finish("cancelled")
        self._waiting.clear()
        if self._process is not None:
            _end(self._process, signal.SIGKILL)
            with suppress(ProcessLookupError):
                await self._process.wait()
        if self._loop is not None:
            self._loop.cancel()

    async def _work(self) -> None:
        while self._waiting:
            job = self._running = self._waiting.popleft()
            try:
                await self._run(job)
            except (OSError, ValueError) as error:
                job.finish(
                    "failed", error=f"the worker could not be used ({type(error).__name__})."
                )
            finally:
                self._running = None
                self._tell(job)

    async def _run(self, job: Job) -> None:
        process = await self._started()
        if job.is_over:  # taken back while the worker was starting
            return
        job.state, job.began = "running", time.monotonic()
        self._tell(job)
        assert process.stdin is not None
        assert process.stdout is not None
        request = json.dumps({"task": job.task, "args": job.args}) + "\n"
        with suppress(ConnectionError):
            process.stdin.write(request.encode())
            await process.stdin.drain()
        while not job.is_over:
            line = await process.stdout.readline()
            if not line:
                await self._gone(job, process)
                return
            self._hear(job, json.loads(line))
        if job.was_cancelled:
            await self._gone(job, process)

    def _hear(self, job: Job, message: dict[str, Any]) -> None:
        if job.is_over:
            return
        match message:
            case {"progress": [done, total, what]}:
                if what != job.progress[2]:
                    job.began = time.monotonic()  # another phase has another pace
                job.progress = (done, total, what)
            case {"part": part}:
                job.parts.append(part)
            case {"done": value}:
                job.finish("done", value)
            case {"failed": error}:
                job.finish("failed", error=error)
            case _:
                return
        if not job.is_over:  # the end is told when the next job can begin
            self._tell(job)

    async def _gone(self, job: Job, process: asyncio.subprocess.Process) -> None:
        """The worker has ended, or is being ended: what follows gets another."""
        self._process = None
        try:
            code = await asyncio.wait_for(process.wait(), _PATIENCE)
        except TimeoutError:
            _end(process, signal.SIGKILL)
            code = await process.wait()
        if not job.is_over:
            job.is_lost = True
            job.finish("failed", error=f"the worker process ended ({code}). Try again; nothing "
                                       "half-written was left.")  # fmt: skip

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            quiet = None if os.environ.get("SHOAL_DEBUG") == "1" else asyncio.subprocess.DEVNULL
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, "-P", "-m", "shoal.studio.work",  # -P: no module of this folder
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=quiet,
                limit=_LONGEST_LINE, start_new_session=True,
                env={"SHOAL_MEMORY": _MEMORY, **os.environ},
            )  # fmt: skip
        return self._process


def _end(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        process.send_signal(number)
