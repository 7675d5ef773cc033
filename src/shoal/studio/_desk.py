"""A project on the desk: what is known about it, what is being worked out, who is watching."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.errors import ParameterError, SchemaError
from shoal.schema import Column, Schema
from shoal.studio._lane import Job, Lane
from shoal.studio.project._memory import recall, remember
from shoal.studio.project._project import Project

_MOST_UNDO = 100
_MOST_WATCHERS = 20
_MOST_KEPT = 60
_IN_HISTORY = ("attack", "sign", "judge", "dossier")
"""Work whose outcomes are kept with the project."""
_REMEMBERED = ("suggestion", "exposure")
"""Facts that are kept with the project, and hold for as long as what they depend on."""


@dataclass
class Fact:
    """What is known of one thing, and what it depends on."""

    key: str
    job: Job | None
    value: Any = None
    error: str = ""
    is_lost: bool = False


class Desk:
    """One open project.

    Views ask it for facts and get what is known at once; what is not known is worked out by a
    worker meanwhile, and watchers are told when it is there.  There are two workers: one for
    looking, which is quick, and one for making, which may take long.

    Parameters
    ----------
    project : Project
        The folder.
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        self.number = hashlib.sha256(str(project.folder).encode()).hexdigest()[:12]
        self.revealed: set[str] = set()
        self.results: dict[str, Any] = {}
        self.column_texts: dict[str, tuple[Column, str]] = {}
        self._facts: dict[str, Fact] = {}
        self._lanes = {name: Lane(self._job_changed) for name in ("look", "make")}
        self._watchers: set[asyncio.Queue[dict[str, Any]]] = set()
        self._undo: list[str] = []
        self._redo: list[str] = []
        self.history: dict[str, list[dict[str, Any]]] = recall(project.scratch, "history")
        self._place = str(recall(project.scratch, "place").get("screen", ""))

    @property
    def place(self) -> str:
        """The screen where somebody left the project, if anybody was there."""
        return self._place

    def be_at(self, screen: str) -> None:
        """Note which screen is looked at, so that the project opens there again."""
        if screen != self._place:
            self._place = screen
            remember(self.project.scratch, "place", {"screen": screen})

    # -- facts ------------------------------------------------------------------------------

    def fact(
        self, name: str, task: str, args: Mapping[str, Any], lane: str = "look"
    ) -> dict[str, Any]:
        """What is known: a `state` ("ready", "working", "failed") and a `value` or an `error`."""
        key = _key(task, args)
        known = self._facts.get(name)
        if known is None or known.key != key:
            if known is not None and known.job is not None and known.job.state == "waiting":
                self._lanes[lane].cancel(known.job)
            known = self._facts[name] = self._begin(name, key, Job(task, dict(args), name), lane)
        return _shown(known)

    def _begin(self, name: str, key: str, job: Job, lane: str) -> Fact:
        """A fact that was worked out before, or is being worked out now."""
        if name in _REMEMBERED:
            kept = recall(self.project.scratch, name)
            if kept.get("key") == key:
                return Fact(key, None, kept.get("value"))
        return Fact(key, self._lanes[lane].submit(job))

    def asked(self, name: str, task: str, args: Mapping[str, Any]) -> dict[str, Any] | None:
        """A fact that was asked for as things stand now; None where it was not, or of others."""
        fact = self._facts.get(name)
        return None if fact is None or fact.key != _key(task, args) else _shown(fact)

    def ask(self, name: str, task: str, args: Mapping[str, Any]) -> dict[str, Any]:
        """Begin long work on things as they stand; what failed before is tried again."""
        before = self.asked(name, task, args)
        if before is not None and before["state"] == "failed":  # cancelled, say
            self.forget(name)
        return self.fact(name, task, args, lane="make")

    def known(self, name: str) -> Any:
        """The value of a fact, if it is there; nothing is begun."""
        fact = self._facts.get(name)
        return None if fact is None else fact.value

    def forget_failed(self) -> bool:
        """Forget what could not be found out, so that pages ask anew; whether there was any."""
        failed = [name for name, fact in self._facts.items() if fact.error]
        for name in failed:
            del self._facts[name]
            self.tell({"changed": name.split(":")[0]})
        return bool(failed)

    def forget(self, prefix: str) -> None:
        """Forget facts, so that they are worked out again when somebody asks."""
        for name in [name for name in self._facts if name.startswith(prefix)]:
            del self._facts[name]

    @property
    def n_lost(self) -> int:
        """Facts whose work ended before its time: cancelled, or with the worker."""
        return sum(fact.is_lost for fact in self._facts.values())

    def try_again(self) -> None:
        """Forget such facts, so that pages ask for them anew; nothing does that by itself.

        Work that ends its worker, for want of memory perhaps, would end one after the other.
        """
        for name in [name for name, fact in self._facts.items() if fact.is_lost]:
            del self._facts[name]
            self.tell({"changed": name.split(":")[0]})

    # -- jobs -------------------------------------------------------------------------------

    def start(self, task: str, args: Mapping[str, Any], title: str) -> Job:
        """Begin long work; its result is kept in `results` under the name of the task."""
        return self._lanes["make"].submit(Job(task, dict(args), title=title))

    def running(self, task: str) -> Job | None:
        """A job of this task that runs or waits."""
        return next((job for job in self._lanes["make"].jobs if job.task == task), None)

    def jobs(self) -> list[dict[str, Any]]:
        """Everything that runs or waits."""
        return [job.to_dict() for lane in self._lanes.values() for job in lane.jobs]

    def cancel(self, number: int) -> None:
        """Cancel a job."""
        for lane in self._lanes.values():
            for job in lane.jobs:
                if job.number == number:
                    lane.cancel(job)
                    return
        raise ParameterError("that work is over already.")

    async def close(self) -> None:
        """End the workers."""
        for lane in self._lanes.values():
            await lane.close()

    def _job_changed(self, job: Job) -> None:
        if job.is_over:
            job.args.pop("passphrase", None)  # nobody needs it any more
        for name, fact in self._facts.items():
            if fact.job is job and job.is_over:
                fact.value, fact.error, fact.job = job.value, job.error, None
                fact.is_lost = job.is_lost or job.was_cancelled
                if job.was_cancelled:
                    fact.error = "cancelled"
                elif job.state == "done" and name in _REMEMBERED:
                    remember(self.project.scratch, name, {"key": fact.key, "value": job.value})
                if name == "suggestion" and job.value:
                    self.take_suggestion(job.value)
                self.tell({"changed": name.split(":")[0]})
        if job.parts and not job.is_over:
            self.results[job.task] = {"state": "working", "parts": list(job.parts)}
            self.tell({"changed": job.task})
        if job.is_over and job.title not in self._facts:
            self.results[job.task] = {
                "state": job.state, "value": job.value, "error": job.error,
                "parts": list(job.parts),
            }  # fmt: skip
            if job.state == "done" and job.task in _IN_HISTORY:
                self._keep(job)
            self.tell({"changed": job.task})
        self.tell({"jobs": self.jobs()})

    def _keep(self, job: Job) -> None:
        """Remember what was done, with what it depends on."""
        done = {"on": job.args.get("on", ""), "basis": basis_of(job.args), "value": job.value}
        kept = [done, *self.history.get(job.task, ())]
        self.history[job.task] = kept[:_MOST_KEPT]
        remember(self.project.scratch, "history", self.history)

    def take_suggestion(self, value: Mapping[str, Any]) -> None:
        """Begin with what was suggested, if there is no schema; nothing counts as accepted yet."""
        if self.project.schema is not None:
            return
        schema = Schema.from_dict(value["schema"], folder=str(self.project.folder))
        self.project.save_schema(schema, value["reasons"])
        self.project.note(f"took over the roles suggested for {len(schema)} columns")
        self.tell({"changed": "schema"})

    # -- watchers ---------------------------------------------------------------------------

    def watch(self) -> asyncio.Queue[dict[str, Any]]:
        """A queue of what happens, for one page that is open."""
        if len(self._watchers) >= _MOST_WATCHERS:
            self._watchers.pop().put_nowait({"closed": True})
        queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue(1000)
        self._watchers.add(queue)
        return queue

    def unwatch(self, queue: asyncio.Queue[dict[str, Any]]) -> None:
        """The page is closed."""
        self._watchers.discard(queue)

    def tell(self, message: dict[str, Any]) -> None:
        """Tell every open page; one that does not listen misses it."""
        for queue in self._watchers:
            if not queue.full():
                queue.put_nowait(message)

    # -- the schema -------------------------------------------------------------------------

    @property
    def schema(self) -> Schema:
        """The schema; raises while there is none."""
        if self.project.schema is None:
            raise SchemaError("the columns have no roles yet. Look at them first.")
        return self.project.schema

    def change_schema(self, schema: Schema, what: str, why: str = "") -> None:
        """Write a changed schema; the previous one can be restored."""
        before = self.project.schema_text()
        self.project.save_schema(schema, self.reasons())
        if before:
            self._undo = [*self._undo, before][-_MOST_UNDO:]
            self._redo.clear()
        self.project.note(what, why)
        self.tell({"changed": "schema"})

    def drop_schema(self) -> None:
        """Drop the schema for a new suggestion; the previous one can be restored."""
        before = self.project.schema_text()
        if before:
            self._undo = [*self._undo, before][-_MOST_UNDO:]
            self._redo.clear()
            self.project.schema_path.unlink()
            self.project.reload()
            self.tell({"changed": "schema"})

    def undo(self, back: bool = True) -> None:
        """Take the last change of the schema back, or do it again."""
        taken, kept = (self._undo, self._redo) if back else (self._redo, self._undo)
        if not taken:
            raise ParameterError(
                "there is nothing to take back." if back else "nothing to do again."
            )
        if now := self.project.schema_text():
            kept.append(now)
        self.project.restore_schema(taken.pop(), self.reasons())
        self.project.note("took a change of the schema back" if back else "did a change again")
        self.tell({"changed": "schema"})

    @property
    def can_undo(self) -> bool:
        """Whether there is something to take back."""
        return bool(self._undo)

    @property
    def can_redo(self) -> bool:
        """Whether there is something to do again."""
        return bool(self._redo)

    def reasons(self) -> dict[str, Sequence[str]]:
        """Why each column got the role that was suggested."""
        suggested = self.known("suggestion") or {}
        return dict(suggested.get("reasons", {}))

    # -- what tasks need --------------------------------------------------------------------

    def table_args(self) -> dict[str, Any]:
        """The table, for a worker."""
        return {
            "table": str(self.project.table),
            "reading": self.project.reading,
            "stamp": self.project.table_stamp(),
        }

    def schema_args(self) -> dict[str, Any]:
        """Table and schema."""
        return self.table_args() | {
            "schema": self.project.schema_text(),
            "folder": str(self.project.folder),
        }

    def promise_args(self, method: str = "", k: int | None = None) -> dict[str, Any]:
        """Table, schema, promise and method."""
        settings = self.project.settings
        return self.schema_args() | {
            "k": settings.k if k is None else k,
            "conditions": list(settings.conditions),
            "suppress": settings.suppress,
            "method": method or settings.method,
        }


def basis_of(args: Mapping[str, Any]) -> str:
    """What an outcome depends on: table, how it is read, schema, promise and method."""
    names = ("table", "reading", "stamp", "schema", "k", "conditions", "suppress", "method")
    text = json.dumps([args.get(name) for name in names], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _key(task: str, args: Mapping[str, Any]) -> str:
    return json.dumps([task, args], sort_keys=True)


def _shown(fact: Fact) -> dict[str, Any]:
    if fact.job is not None and not fact.job.is_over:
        return {"state": "working", "job": fact.job.to_dict(), "value": None, "error": ""}
    state = "failed" if fact.error else "ready"
    return {"state": state, "value": fact.value, "error": fact.error, "job": None}
