"""Cells that carry a number, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from shoal.report.release.facts._release_file import ReleaseFile

Show = Callable[[Any], str]
"""Turns a number into what people read."""


@dataclass(frozen=True)
class NumberCell:
    """A number in a table; the template writes it as a `<data>` element.

    Parameters
    ----------
    shown : str
        What people read.
    value : str
        The exact value, as JSON.
    origin : {"at", "counted"}
        Whether it stands in the manifest or was counted for this report.
    name : str
        Its keys in the manifest, or what was counted, as JSON.
    """

    shown: str
    value: str
    origin: Literal["at", "counted"]
    name: str


def manifest_cell(release: ReleaseFile, show: Show, *path: str | int) -> NumberCell | str:
    """A number of the manifest; a dash where it has none."""
    value = release.number(*path)
    return "-" if value is None else _cell(show, value, "at", path)


def counted_cell(show: Show, value: float | int | None, *name: str | int) -> NumberCell | str:
    """A number that was counted for this report; a dash where there is none."""
    return "-" if value is None else _cell(show, value, "counted", name)


def _cell(
    show: Show, value: float | int, origin: Literal["at", "counted"], name: tuple[str | int, ...]
) -> NumberCell:
    return NumberCell(show(value), json.dumps(value), origin, json.dumps(name, ensure_ascii=False))
