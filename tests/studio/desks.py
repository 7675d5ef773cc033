"""Desks whose workers are at hand: tasks run here, in this process, when a test says so."""

import asyncio
from functools import partial

from shoal.studio._desk import Desk
from shoal.studio._folders import Folders
from shoal.studio._guard import Keys
from shoal.studio._lane import Job
from shoal.studio._studio import Studio
from shoal.studio.project._project import Project
from shoal.studio.screens._registry import SCREENS
from shoal.studio.screens._screen import Room
from shoal.studio.work._bench import Bench
from shoal.studio.work._loop import answer
from tests.extras import need

need("starlette")
PORT = 8765
CITIES = ("Kiel", "Bremen", "Ulm", "Passau", "Bonn")
ILLNESSES = ("flu", "gout", "asthma")


def write_people(path, n_rows=200):
    """A small table of nobody's."""
    lines = ["name,age,city,illness"]
    for n in range(n_rows):
        lines.append(f"Person{n},{20 + n % 41},{CITIES[n // 3 % 5]},{ILLNESSES[n % 3]}")
    path.write_text("\n".join(lines) + "\n")
    return path


class InlineLane:
    """Jobs that run in this process, when `settle` is called."""

    def __init__(self, tell):
        self.tell, self.jobs, self.bench = tell, [], Bench()

    def submit(self, job: Job) -> Job:
        self.jobs.append(job)
        return job

    def cancel(self, job: Job) -> None:
        self.jobs.remove(job)
        job.finish("cancelled")
        self.tell(job)

    async def close(self) -> None:
        self.jobs.clear()

    def settle(self) -> None:
        while self.jobs:
            job = self.jobs.pop(0)
            job.state = "running"
            answer(self.bench, {"task": job.task, "args": job.args}, partial(self._hear, job))
            self.tell(job)

    def _hear(self, job, message):
        if "part" in message:
            job.parts.append(message["part"])
        if "done" in message:
            job.finish("done", message["done"])
        if "failed" in message:
            job.finish("failed", error=message["failed"])


class Bureau:
    """A project with workers at hand, for tests of screens."""

    def __init__(self, folder, table=None):
        table = table or write_people(folder / "people.csv")
        self.desk = Desk(Project.create(folder / "people.shoal", table))
        self.desk._lanes = {n: InlineLane(self.desk._job_changed) for n in ("look", "make")}
        self.room = Room(self.desk, Folders([folder]))
        self.folder = folder

    def show(self, screen, **query):
        """What a screen shows once all work is done."""
        for _ in range(4):
            shown = SCREENS[screen].show(self.room, query)
            self.settle()
        return shown

    def act(self, screen, action, **given):
        """Do something on a screen."""
        one = SCREENS[screen].actions[action]
        one.run(self.room, one.read(given))

    def settle(self):
        for lane in self.desk._lanes.values():
            lane.settle()

    def with_roles(self):
        """The same, with roles as suggested but for one: nobody knows illnesses."""
        self.show("columns")
        return self


def make_client(folder, **keys):
    """A browser's view of a studio; not let in yet."""
    from starlette.testclient import TestClient

    from shoal.studio._app import make_app

    studio, own = Studio([folder]), Keys(PORT, **keys)
    client = TestClient(
        make_app(studio, own), base_url=f"http://127.0.0.1:{PORT}", raise_server_exceptions=False,
        follow_redirects=False,
    )  # fmt: skip
    client.studio, client.own = studio, own
    return client


def let_in(client):
    """Use the token."""
    answer = client.get(f"/?token={client.own.token}")
    assert answer.status_code == 303
    return client


def run(coroutine):
    """Run asynchronous code in a loop of its own."""
    return asyncio.run(coroutine)
