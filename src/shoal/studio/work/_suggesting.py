"""Roles, kinds and hierarchies with the reason for each."""

from __future__ import annotations

from typing import Any

from shoal.discover import suggest_schema
from shoal.studio.work._bench import Args, Bench
from shoal.studio.work._registered import task
from shoal.typing import Progress


@task("suggest")
def suggest(bench: Bench, args: Args, progress: Progress, part: Any) -> dict[str, Any]:
    """What `shoal schema` suggests."""
    progress(0, 0, "looking at the columns")
    return suggest_schema(bench.engine(args)).to_dict()
