"""What a worker can do, by name; what a task needs is loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from shoal.errors import ParameterError
from shoal.studio.work._registered import REGISTERED

if TYPE_CHECKING:
    from shoal.studio.work._bench import Args, Bench
    from shoal.typing import Progress

TASKS: dict[str, str] = {
    "attack": "_attacking",
    "audit": "_judging_models",
    "catalog": "_catalog",
    "column": "_column_values",
    "compare": "_comparing",
    "dossier": "_signing",
    "explore": "_exploring",
    "exposure": "_exposing",
    "glance": "_looking",
    "judge": "_signing",
    "kept": "_keeping",
    "key": "_keys",
    "lattice": "_exploring",
    "look": "_looking",
    "parts": "_parts",
    "sign": "_signing",
    "suggest": "_looking",
    "together": "_pairing",
    "train": "_comparing",
}
"""Every task, and the file that registers it."""


def run_task(
    bench: Bench, name: str, args: Args, progress: Progress, send: Callable[[dict[str, Any]], None]
) -> Any:
    """Carry out the task of a name; parts of its result are sent as they come."""
    if name not in TASKS:
        raise ParameterError(f"there is no task {name!r}.")
    import_module(f"shoal.studio.work.{TASKS[name]}")
    return REGISTERED[name](bench, args, progress, lambda part: send({"part": part}))
