"""Everything the command line says: results on stdout, notes and progress on stderr."""

from __future__ import annotations

import dataclasses
import errno
import math
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from shoal._jit import COMPILING, WAITS, on_compile
from shoal._plain import to_json as to_json  # for the commands

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from shoal.typing import Progress

PATIENCE = 0.5
"""Seconds before a bar appears: quick work shows none."""


@dataclasses.dataclass
class Output:
    """How this run talks.

    Parameters
    ----------
    json : bool
        Write one JSON object to stdout and nothing else.
    quiet : bool
        Write nothing but errors (and the JSON object, when asked for).
    show_values : bool
        Show values that a hierarchy lacks here instead of writing them to a file.
    """

    json: bool = False
    quiet: bool = False
    show_values: bool = False
    _said: list[str] = dataclasses.field(default_factory=list, init=False, repr=False)

    def emit(self, data: Any, show: Callable[[], None] | None = None) -> None:
        """Write the result: `data` as JSON, or whatever `show` prints for people."""
        if self.json:
            told = to_json(data).translate(_IN_JSON)
            sys.stdout.write(f"{told}\n")
        elif show is not None and not self.quiet:
            show()

    def print(self, *parts: RenderableType) -> None:
        """Write something for people to stdout."""
        if self.json or self.quiet:
            return
        for part in parts:
            if isinstance(part, str):  # a path or a sentence: never cut by us, never markup
                console().print(
                    part.translate(WRITTEN_OUT), markup=False, highlight=False, soft_wrap=True
                )
            else:
                console().print(part)

    def note(self, text: str) -> None:
        """Say something beside the result, on stderr."""
        if not (self.json or self.quiet):
            on = console(stderr=True)  # a file or a program gets it in one line
            on.print(
                text.translate(WRITTEN_OUT),
                markup=False,
                highlight=False,
                soft_wrap=not on.is_terminal,
            )

    def say_compiling(self, on: Console | None = None, text: str = COMPILING) -> None:
        """Say once why the first run takes long: it compiles, or waits for another that does."""
        if not (text in self._said or self.json or self.quiet):
            self._said.append(text)
            on = on or console(stderr=True)  # a file or a program gets it in one line
            on.print(text, markup=False, highlight=False, soft_wrap=not on.is_terminal)

    def table(self, title: str, header: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Print a table; columns of numbers are set right."""
        from rich import box  # a table is not needed for --help
        from rich.table import Table

        table = Table(box=box.SIMPLE_HEAD)
        cells = [[_cell(value) for value in row] for row in rows]
        for index, name in enumerate(header):
            numeric = all(row[index].is_number for row in cells)
            side: Any = "right" if numeric and rows else "left"
            shown = name.translate(WRITTEN_OUT)
            table.add_column(shown, justify=side, overflow="fold")  # no word is cut off
        for row in cells:
            table.add_row(*(cell.text for cell in row))
        if title:  # a line of its own: above a narrow table it would be broken
            self.print(title)
        self.print(table)

    @contextmanager
    def progress(self, on: Console | None = None) -> Iterator[Progress]:
        """A bar on stderr that appears after half a second and is gone at the end.

        A new `what` takes the place of the one before; what follows a comma may change while the
        same work goes on, whose time left is told then.  A `total` of 0 means that nobody knows how
        much there is.  With -q and --json there is none.
        """
        if self.json or self.quiet:
            yield silent
            return
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
        shown_on = on or console(stderr=True)
        bars = Bars(*columns, console=shown_on, transient=True)
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

        try:
            with on_compile(
                lambda: self.say_compiling(shown_on),
                lambda: self.say_compiling(shown_on, WAITS),
            ):
                yield progress
        finally:
            if shown:
                bars.stop()


CURRENT: ContextVar[Output] = ContextVar("output")
"""Each run begins with one of its own."""


def output() -> Output:
    """The output of the command that is running."""
    return CURRENT.get()


def console(*, stderr: bool = False) -> Console:
    """A rich console on the stream as it is now (tests and pipes exchange it)."""
    from rich.console import Console  # a tenth of a second

    made = Console(file=sys.stderr if stderr else sys.stdout, soft_wrap=False)
    vars(made)["on_broken_pipe"] = _tell_the_group  # rich would exit with 1: a failed check
    return made


def _tell_the_group() -> NoReturn:
    raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


_UNSEEN = (
    *range(9),
    *range(11, 32),
    *range(127, 160),
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
)
WRITTEN_OUT = {code: ascii(chr(code))[1:-1] for code in _UNSEEN}
"""What a terminal obeys instead of showing it, as it can be shown (`str.translate`).

Names and texts of somebody's file could rewrite a verdict that stands above them.
"""
_IN_JSON = {code: f"\\u{code:04x}" for code in _UNSEEN}


class _Cell(NamedTuple):
    text: str
    is_number: bool


def _cell(value: Any) -> _Cell:
    match value:
        case None:
            return _Cell("-", True)
        case bool():
            return _Cell("yes" if value else "no", True)
        case int():
            return _Cell(f"{value:,}", True)
        case float():
            digits = ",.4g" if abs(value) < 1e4 else ",.0f"
            return _Cell("-" if math.isnan(value) else f"{value:{digits}}", True)
        case _:
            text = str(value).translate(WRITTEN_OUT)
            is_number = isinstance(value, str) and re.fullmatch(r"<?-?[\d.,]+( ?%)?", text)
            return _Cell(text.replace("[", "\\["), bool(is_number))


def silent(done: int, total: int, what: str, /) -> None:
    """Show nothing."""
