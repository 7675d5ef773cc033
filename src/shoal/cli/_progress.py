"""Progress of long work, for people who watch a terminal."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from shoal._jit import on_compile

if TYPE_CHECKING:
    from rich.console import Console

    from shoal.typing import Progress

PATIENCE = 0.5
"""Seconds before a bar appears: quick work shows none."""

COMPILING = "First use on this machine: compiling, which can take a minute. It is kept."


def silent(done: int, total: int, what: str, /) -> None:
    """Show nothing."""


@contextmanager
def bar(console: Console) -> Iterator[Progress]:
    """A bar that appears after half a second and is gone at the end.

    A new `what` takes the place of the one before; what follows a comma may change while the same
    work goes on, whose time left is told then.  A `total` of 0 means that nobody knows how much
    there is.
    """
    from rich.progress import (  # only when something takes long
        BarColumn,
        Progress as Bars,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[count]}"),
        TimeRemainingColumn(compact=True),
    )
    bars = Bars(*columns, console=console, transient=True)
    tasks: dict[str, int] = {}
    began = time.monotonic()
    shown = False

    def progress(done: int, total: int, what: str, /) -> None:
        nonlocal shown
        work = what.partition(",")[0]
        if work not in tasks:
            for task in bars.tasks:  # what came before is over, even if nobody counted it
                bars.update(task.id, visible=False)
            tasks[work] = int(bars.add_task(what, total=total or None, count=""))
        count = f"{done:,}/{total:,}" if total else f"{done:,}" if done else ""
        bars.update(
            bars.task_ids[tasks[work]],
            completed=done,
            total=total or None,
            count=count,
            description=what,
        )
        if not shown and time.monotonic() - began > PATIENCE:
            bars.start()
            shown = True

    def compiling() -> None:
        console.print(COMPILING, markup=False, highlight=False)

    try:
        with on_compile(compiling):
            yield progress
    finally:
        if shown:
            bars.stop()
