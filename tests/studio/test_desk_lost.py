"""Work that is lost, on every screen that has some: told, asked for again, and asked for once."""

import pytest
from typer.testing import CliRunner

from shoal.cli import app
from shoal.errors import ParameterError
from shoal.studio._page import page_of
from shoal.studio.screens._registry import SCREENS
from tests.audit.trials import quick_audits as quick_audits
from tests.extras import need
from tests.studio.desks import Bureau

need("cryptography")

pytestmark = pytest.mark.usefixtures("quick_audits")
ENDED = "the worker process ended (-9). Try again; nothing half-written was left."
LONG = {
    "explore": ("explore", "start", {"ks": "5", "methods": ["top-down"]}),
    "lattice": ("explore", "lattice", {}),
    "train": ("compare", "train", {"candidate": "top-down:5"}),
    "kept": ("compare", "measure", {"candidate": "top-down:5"}),
    "attack": ("attack", "run", {"attack": "linking"}),
    "sign": ("sign", "write", {"name": "new.csv"}),
    "judge": ("sign", "judge", {"release": "first.csv"}),
    "dossier": ("sign", "dossier", {"release": "first.csv"}),
    "key": ("sign", "key", {"passphrase": "p", "again": "p"}),
    "audit": ("model", "audit", {"model": "tree.json", "k": "4"}),
    "together": ("together", "start", {"way": "listen", "address": "127.0.0.1:1",
                                       "target": "illness"}),
}  # fmt: skip
"""What a worker may be busy with, by its task."""


@pytest.fixture(scope="module")
def bureau(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lost")
    made = Bureau(folder).with_roles()
    made.act("columns", "set", columns=["name"], role="identifier")
    made.act("columns", "set", columns=["illness"], role="sensitive", target="yes")
    made.act("columns", "set", columns=["age", "city"], role="quasi-identifier")
    own = made.desk.project
    own.set(method="top-down", k=5)
    made.act("sign", "write", name="first.csv")
    made.settle()
    words = ["tree", str(own.table), "--schema", str(own.schema_path), "-k", "4"]
    words += ["--out", str(own.folder / "tree.json"), "--test-share", "0"]
    assert CliRunner().invoke(app, words).exit_code == 0
    from shoal.parties import make_keys

    make_keys("bob", folder)
    made.act("together", "keys", name="ann")
    made.act("together", "peer", path=str(folder / "bob.crt"))
    made.act("together", "compared")
    for screen in SCREENS:
        made.show(screen)
    return made


def end_worker(bureau, task):
    """What a lane does when the process of a job is gone."""
    (lane, job), *rest = [
        (lane, job) for lane in bureau.desk._lanes.values() for job in lane.jobs if job.task == task
    ]
    assert rest == []
    lane.jobs.remove(job)
    job.is_lost = True
    job.finish("failed", error=ENDED)
    lane.tell(job)


def page(bureau, screen, **query):
    shown = SCREENS[screen].show(bureau.room, query)
    return page_of(bureau.room, SCREENS[screen], shown, query, "")


@pytest.mark.parametrize("task", LONG)
def test_a_page_tells_that_its_worker_is_gone_and_the_work_can_be_asked_for_again(bureau, task):
    screen, action, fields = LONG[task]
    before = bureau.desk.project.schema_text()
    if task == "key":  # asked for where people get tokens
        bureau.act("columns", "set", columns=["name"], role="pseudonym")
    bureau.act(screen, action, **fields)
    assert bureau.desk.running(task)
    end_worker(bureau, task)
    query = {"candidate": fields["candidate"]} if "candidate" in fields else {}
    assert "The worker process ended" in page(bureau, screen, **query)
    bureau.act(screen, action, **fields)  # the same once more
    job = bureau.desk.running(task)
    assert job is not None
    assert "passphrase" not in str(job.to_dict())
    bureau.desk.cancel(job.number)
    assert bureau.desk.running(task) is None
    page(bureau, screen, **query)
    bureau.desk.project.restore_schema(before, {})
    bureau.desk.results.pop(task, None)
    bureau.desk.try_again()


@pytest.mark.parametrize("task", LONG)
def test_two_tabs_that_ask_for_the_same_get_it_once(bureau, task):
    screen, action, fields = LONG[task]
    bureau.act(screen, action, **fields)
    try:
        bureau.act(screen, action, **fields)
    except ParameterError as error:
        assert "already" in str(error)  # noqa: PT017  facts are shared, jobs are refused
    jobs = [job for lane in bureau.desk._lanes.values() for job in lane.jobs if job.task == task]
    assert len(jobs) == 1
    bureau.desk.cancel(jobs[0].number)
    bureau.desk.results.pop(task, None)
    bureau.desk.try_again()


def test_every_task_of_the_lane_that_makes_is_tried_here():
    from shoal.studio.work._tasks import TASKS

    quick = {"glance", "look", "parts", "suggest", "exposure", "catalog", "column", "compare"}
    assert set(LONG) == set(TASKS) - quick


@pytest.mark.parametrize(
    ("screen", "task"),
    [("table", "glance"), ("promise", "exposure"), ("hierarchies", "column"),
     ("compare", "compare")],
)  # fmt: skip
def test_what_a_page_looks_at_is_looked_at_again_when_somebody_says_so(bureau, screen, task):
    desk = bureau.desk
    prefix = "exposure" if task == "exposure" else task
    desk.forget(prefix)
    if task == "exposure":
        (desk.project.scratch / "exposure.json").unlink(missing_ok=True)
    page(bureau, screen)
    for lane in desk._lanes.values():
        while any(job.task == task for job in lane.jobs):
            job = next(job for job in lane.jobs if job.task == task)
            lane.jobs.remove(job)
            job.is_lost = True
            job.finish("failed", error=ENDED)
            lane.tell(job)
    assert desk.n_lost
    text = page(bureau, screen)
    assert 'id="try-again"' in text
    assert not any(job.task == task for lane in desk._lanes.values() for job in lane.jobs)
    desk.try_again()
    bureau.show(screen)
    assert desk.n_lost == 0
    assert 'id="try-again"' not in page(bureau, screen)
