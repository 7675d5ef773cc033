"""Where tasks are registered under their names, by the files that hold them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Task = Callable[..., Any]
"""A function of what is at hand, what is asked, whom to tell, and where parts of a result go."""

REGISTERED: dict[str, Task] = {}


def task(name: str) -> Callable[[Task], Task]:
    """Register a function as a task.

    Examples
    --------
    >>> @task("nothing")
    ... def nothing(bench, args, progress, part):
    ...     return {}
    >>> REGISTERED.pop("nothing") is nothing
    True
    """

    def register(function: Task) -> Task:
        REGISTERED[name] = function
        return function

    return register
