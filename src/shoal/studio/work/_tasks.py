"""What a worker can do, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shoal.errors import ParameterError
from shoal.studio.work._attacking import attack_release
from shoal.studio.work._bench import Args, Bench
from shoal.studio.work._catalog import list_catalog
from shoal.studio.work._column_values import look_at_column
from shoal.studio.work._comparing import compare_release, train_models
from shoal.studio.work._exploring import explore, search_lattice
from shoal.studio.work._judging_models import audit_model
from shoal.studio.work._looking import count_exposed, glance, look, suggest
from shoal.studio.work._pairing import mine_together
from shoal.studio.work._signing import write_demo, write_release
from shoal.typing import Progress

Part = Callable[[dict[str, Any]], None]
Task = Callable[[Bench, Args, Progress, Part], Any]

TASKS: dict[str, Task] = {
    "attack": attack_release,
    "audit": audit_model,
    "catalog": list_catalog,
    "column": look_at_column,
    "compare": compare_release,
    "demo": write_demo,
    "explore": explore,
    "exposure": count_exposed,
    "glance": glance,
    "lattice": search_lattice,
    "look": look,
    "sign": write_release,
    "suggest": suggest,
    "together": mine_together,
    "train": train_models,
}
"""Every task: what is at hand, what is asked, whom to tell, and where parts of a result go."""


def run_task(bench: Bench, name: str, args: Args, progress: Progress, send: Part) -> Any:
    """Carry out the task of a name; parts of its result are sent as they come."""
    if name not in TASKS:
        raise ParameterError(f"there is no task {name!r}.")
    return TASKS[name](bench, args, progress, lambda part: send({"part": part}))
