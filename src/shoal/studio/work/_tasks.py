"""What a worker can do, by name; what a task needs is loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from shoal.errors import ParameterError

if TYPE_CHECKING:
    from shoal.studio.work._bench import Args, Bench
    from shoal.typing import Progress

TASKS: dict[str, str] = {
    "attack": "_attacking.attack_release",
    "audit": "_judging_models.audit_model",
    "catalog": "_catalog.list_catalog",
    "column": "_column_values.look_at_column",
    "compare": "_comparing.compare_release",
    "explore": "_exploring.explore",
    "exposure": "_looking.count_exposed",
    "glance": "_looking.glance",
    "lattice": "_exploring.search_lattice",
    "look": "_looking.look",
    "sign": "_signing.write_release",
    "suggest": "_suggesting.suggest",
    "together": "_pairing.mine_together",
    "train": "_comparing.train_models",
}
"""Every task: a function of what is at hand, what is asked, whom to tell, and where parts go."""


def run_task(
    bench: Bench, name: str, args: Args, progress: Progress, send: Callable[[dict[str, Any]], None]
) -> Any:
    """Carry out the task of a name; parts of its result are sent as they come."""
    if name not in TASKS:
        raise ParameterError(f"there is no task {name!r}.")
    module, _, function = TASKS[name].partition(".")
    task = getattr(import_module(f"shoal.studio.work.{module}"), function)
    return task(bench, args, progress, lambda part: send({"part": part}))
