"""Cells that carry a number, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Callable
from html import escape
from typing import Any

from shoal.report.release.facts._release_file import ReleaseFile

Show = Callable[[Any], str]
"""Turns a number into what people read."""


def data_cell(release: ReleaseFile, show: Show, *path: str | int) -> str:
    """A number of the manifest with its exact value and where it stands, for programs."""
    value = release.number(*path)
    if value is None:
        return "-"
    at = escape(json.dumps(path, ensure_ascii=False))
    return f'<data value="{json.dumps(value)}" data-at="{at}">{escape(show(value))}</data>'


def counted_cell(show: Show, value: float | int | None, *name: str | int) -> str:
    """A number that was counted for this report, with its exact value and its name."""
    if value is None:
        return "-"
    of = escape(json.dumps(name, ensure_ascii=False))
    return f'<data value="{json.dumps(value)}" data-counted="{of}">{escape(show(value))}</data>'
