"""Projects opened lately, remembered in a file of the user's that nobody else can read."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from shoal._atomic import atomic_path
from shoal._plain import from_json
from shoal.errors import ShoalError

_MOST = 12


def recent_file() -> Path:
    """Where they are remembered."""
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return Path(base, "shoal", "studio.json")


def recent_projects() -> list[dict[str, Any]]:
    """Folders of projects that are still there, the last one first."""
    try:
        data = from_json(recent_file().read_text("utf-8"))
        folders = [str(folder) for folder in data["recent"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    there = [Path(folder) for folder in folders if Path(folder).is_dir()]
    return [{"folder": str(path), "name": path.name.removesuffix(".shoal")} for path in there]


def remember_project(folder: Path) -> None:
    """Put a project at the top; where nothing can be written, nothing is remembered."""
    others = [one["folder"] for one in recent_projects() if one["folder"] != str(folder)]
    path = recent_file()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with atomic_path(path, private=True) as draft:
            draft.write_text(json.dumps({"recent": [str(folder), *others][:_MOST]}), "utf-8")
    except (OSError, ShoalError):
        return
