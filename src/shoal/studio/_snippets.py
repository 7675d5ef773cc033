"""The same in a terminal and in Python: templates in files, filled in with the project's settings.

Whatever a project says goes through a filter: `shell` quotes a word for a shell, `python` writes a
literal, `name` lets nothing but a name through.  Nothing else enters a line that somebody will run.
"""

from __future__ import annotations

import os
import shlex
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from shoal.errors import ParameterError
from shoal.privacy._words import read_condition, read_promise
from shoal.studio.project._project import Project
from shoal.studio.project._reading import reading_keywords, reading_words

_FOLDER = Path(__file__).parent / "snippets"


def snippets(screen: str, values: dict[str, Any]) -> dict[str, str]:
    """Lines for a terminal and for Python that do what a screen shows; empty where none can."""
    lines = {}
    for kind, ending in (("command", "sh"), ("python", "py")):
        name = f"{screen}.{ending}.jinja"
        there = (_FOLDER / name).is_file()
        lines[kind] = _environment().get_template(name).render(values).strip() if there else ""
    return lines


def snippet_values(project: Project, suppresses: bool = True) -> dict[str, Any]:
    """Values for the templates, all of them plain."""
    settings = project.settings
    return {
        "folder": str(project.folder),
        "table": _seen(project.table, project.folder),
        "schema": "schema.toml",
        "has_schema": project.schema is not None,
        "encoding": settings.encoding,
        "reading": reading_words(project.reading),
        "keywords": reading_keywords(project.reading),
        "key": _key(project),
        "method": settings.method or "local",
        "k": settings.k,
        "conditions": list(settings.conditions),
        "suppress": settings.suppress if suppresses else 0,
        "privacy": read_promise(settings.k, settings.conditions).to_dict(),
        "further": [read_condition(c, settings.k).to_dict() for c in settings.conditions],
    }


def _key(project: Project) -> str:
    """File of the key that a release needs; empty where it needs none."""
    schema = project.schema
    if schema is None or (schema.pseudonym is None and not schema.shifted):
        return ""
    known = project.settings.key or project.folder / "keys" / "pseudonyms.key"
    return _seen(Path(known), project.folder)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_FOLDER, encoding="utf-8"),
        autoescape=False,  # these are commands; pages escape them when they show them
        undefined=StrictUndefined,
        finalize=_refuse_unquoted,
    )
    environment.filters["shell"] = lambda value: _Quoted(shlex.quote(str(value)))
    environment.filters["python"] = lambda value: _Quoted(repr(value))
    environment.filters["name"] = _name
    return environment


def _name(value: str) -> _Quoted:
    """A name of ours in a line of Python."""
    if not value.isidentifier():
        raise ParameterError("a line to run has a part that is no name")
    return _Quoted(value)


class _Quoted(str):
    """A text that went through a filter."""


def _refuse_unquoted(value: Any) -> Any:
    """Let nothing into a line that was not quoted for it; numbers need no quotes."""
    if isinstance(value, _Quoted | int | float):
        return value
    raise ParameterError("a line to run has a part that is not quoted")


def _seen(path: Path, folder: Path) -> str:
    return Path(os.path.relpath(path, folder)).as_posix()
