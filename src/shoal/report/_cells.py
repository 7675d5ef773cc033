"""Cells that carry a number of the manifest, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Callable
from html import escape
from typing import Any

from shoal.report._release_file import ReleaseFile

Show = Callable[[Any], str]
"""Turns a number into what people read."""


def data_cell(release: ReleaseFile, show: Show, *path: str | int) -> str:
    """A number of the manifest with its exact value and where it stands, for programs."""
    value = release.number(*path)
    if value is None:
        return "-"
    at = escape(json.dumps(path, ensure_ascii=False))
    return f'<data value="{json.dumps(value)}" data-at="{at}">{escape(show(value))}</data>'
