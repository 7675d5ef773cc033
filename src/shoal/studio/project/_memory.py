"""What was worked out before, kept in the scratch folder: it may be removed at any time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from shoal._atomic import atomic_path
from shoal.errors import ShoalError


def remember(scratch: Path, name: str, data: dict[str, Any]) -> None:
    """Keep plain values under a name, for their owner only; where that fails, nothing is kept."""
    try:
        with atomic_path(scratch / f"{name}.json", private=True) as draft:
            draft.write_text(json.dumps(data), "utf-8")
    except (OSError, ShoalError):
        return


def recall(scratch: Path, name: str) -> dict[str, Any]:
    """What was kept under a name; nothing when it is gone or damaged."""
    try:
        data = json.loads((scratch / f"{name}.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}
