"""What the lines of the screen Attack need: the attack that somebody asked for last."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.studio._desk import Desk
from shoal.studio.project._reading import reading_keywords


def attack_values(desk: Desk, shown: Mapping[str, Any]) -> dict[str, Any] | None:
    """Values for the templates; None as long as it is not known which attacks there are.

    The command line attacks with all quasi-identifiers; lines for fewer are of Python alone.
    """
    asked, schema, said = shown["asked"], desk.schema, desk.project.reading
    name = asked.get("attack") or "linking"
    functions = {attack["name"]: attack["function"] for attack in shown["attacks"]}
    if name not in functions:
        return None
    from shoal.anonymize._release_files import read_making  # noqa: PLC0415  loads the engines

    release = _release(desk, shown, asked.get("release", ""))
    made, ends = read_making(desk.project.folder / release)
    known = list(asked.get("known") or schema.quasi_identifiers)
    sensitive = asked.get("sensitive", "")
    return {
        "attack": name,
        "function": functions[name],
        "release": release,
        "known": known,
        "all_known": set(known) == set(schema.quasi_identifiers),
        "sensitive": sensitive,
        "secret": sensitive or schema.target or next(iter(schema.sensitive), ""),
        "register": asked.get("register", ""),
        "control": asked.get("control", ""),
        "made": made,
        "ends": ends,
        "of_release": _of(said, ("encoding", "missing")),
        "of_others": _of(said, [key for key in said if key not in ("sheet", "database_table")]),
    }


def _release(desk: Desk, shown: Mapping[str, Any], name: str) -> str:
    """The release that was attacked, else the newest one; a draft is nobody else's."""
    paths = {release["name"]: Path(release["path"]) for release in shown["releases"]}
    path = paths.get(name) or next(iter(paths.values()), None)
    if path is None:
        return "releases/NAME.csv"
    folder = desk.project.folder
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path)


def _of(said: Mapping[str, Any], names: Any) -> dict[str, Any]:
    return reading_keywords({key: said[key] for key in names if key in said})
