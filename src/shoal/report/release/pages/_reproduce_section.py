"""The section on how to make the release again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from shoal.report.release.facts._command import WORD, commands
from shoal.report.release.facts._original import Original
from shoal.report.release.facts._recount import Recount
from shoal.report.release.facts._release_file import ReleaseFile
from shoal.report.release.pages._cells import NumberCell, manifest_cell
from shoal.report.release.pages._numbers import number


@dataclass(frozen=True)
class ReproduceView:
    """How a release was made.

    Parameters
    ----------
    commands : list of str
        The commands for the release and for this report; empty where there is none.
    seed : int or None
        Seed of the search; None where nothing is drawn.
    parameters, columns, versions, seconds : list of list
        Rows of the tables.
    digests : dict of str to str
        SHA-256 of the files of the release.
    shoal : str
        The version that made the report.
    """

    commands: list[str]
    seed: int | None
    parameters: list[list[str]]
    columns: list[list[str]]
    versions: list[list[str]]
    seconds: list[list[NumberCell | str]]
    digests: dict[str, str]
    shoal: str


def reproduce(
    release: ReleaseFile, seen: Recount | None, original: Original | None
) -> ReproduceView:
    """Commands, seed, parameters, schema, versions, time and digests."""
    seed = release.mapping("parameters").get("random_state")
    return ReproduceView(
        commands=(
            commands(release, seen, original.name, original.reading)
            if original
            else commands(release, seen, None)
        ),
        seed=seed if isinstance(seed, int) else None,
        parameters=[[name, _plain(v)] for name, v in release.mapping("parameters").items()],
        columns=[_column(release, name) for name in release.mapping("schema", "columns")],
        versions=[[name, str(v)] for name, v in release.mapping("versions").items()],
        seconds=[
            [phase, manifest_cell(release, number, "seconds", phase)]
            for phase in release.mapping("seconds")
        ],
        digests=release.digests,
        shoal=version("shoal"),
    )


def _column(release: ReleaseFile, name: str) -> list[str]:
    column = release.mapping("schema", "columns", name)
    role = str(release.get("schema", "columns", name, "role"))
    return [
        name,
        role + (", to be predicted" if column.get("target") else ""),
        str(column.get("kind", "categorical")),
        _hierarchy(column.get("hierarchy")),
    ]


def _plain(value: Any) -> str:
    """A parameter, unless it could hold what somebody wrote about people."""
    if value is None or isinstance(value, bool):
        return {None: "not set", True: "yes", False: "no"}[value]
    if isinstance(value, int | float):
        return f"{value:g}" if isinstance(value, float) else str(value)
    if isinstance(value, str) and WORD.fullmatch(value):
        return value
    if isinstance(value, Mapping | list):
        return f"{len(value)} entries, in the manifest"
    return "text, in the manifest"


def _hierarchy(given: Any) -> str:
    """Which sort of hierarchy; its labels stay in the manifest."""
    if given is None:
        return "none"
    if isinstance(given, Mapping) and given:
        sort = str(next(iter(given)))
        return sort if re.fullmatch(r"[a-z_]{1,20}", sort) else "given"
    return given if given == "flat" else "given"
