"""The first page: open a table or a project, try the demo, allow a folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.errors import ParameterError, ShoalError
from shoal.studio._studio import Studio
from shoal.studio.project._project import folder_for
from shoal.studio.screens._reading import READING, said_of
from shoal.studio.screens._screen import Field


def show_start(studio: Studio, query: Mapping[str, str]) -> dict[str, Any]:
    """What can be opened; a folder that is not allowed is told, and nothing of it is listed."""
    folder = query.get("folder", "")
    try:
        listing, error = studio.folders.list(folder), ""
    except ShoalError as refused:
        listing, error = studio.folders.list(""), str(refused)
    return {
        "listing": listing,
        "error": error,
        "recent": studio.recent(),
        "open": [
            {"number": desk.number, "name": desk.project.name} for desk in studio.desks.values()
        ],
    }


def typed_again(start: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """What stands in the fields after an error, so that nobody types it twice."""
    if start == "allow":
        return {"allow": given.get("folder", "")}
    said = {name: given[name] for name in READING if given.get(name)}
    if "missing" in said:
        said["missing"] = [said["missing"]]
    return {"path": given.get("path", ""), "reading": said}


def open_path(studio: Studio, given: dict[str, Any]) -> str:
    """Open a project, or begin one for a table; the number of its desk."""
    path = studio.folders.resolve(given["path"])
    folder = studio.folders.resolve(given["folder"]) if given["folder"] else None
    return studio.open(path, folder, **said_of(given)).number


def open_demo(studio: Studio, given: Mapping[str, Any]) -> str:
    """Begin a project with a table of nobody's."""
    folder = studio.folders.resolve(given["folder"] or str(studio.folders.allowed[0]))
    return studio.open_demo(folder).number


def open_again(studio: Studio, given: Mapping[str, Any]) -> str:
    """Begin a project for another table with schema and promise of one that is open."""
    desk = studio.desk(given["project"])
    path = studio.folders.resolve(given["path"])
    if not path.is_file() and not path.is_dir():
        raise ParameterError("there is no such table.")
    other = desk.project.copy_for(path, folder_for(path))
    return studio.take(other).number


def allow_folder(studio: Studio, given: Mapping[str, Any]) -> str:
    """Allow one more folder."""
    studio.folders.allow(given["folder"])
    return ""


STARTS: dict[str, tuple[str, Any, dict[str, Field]]] = {
    "open": (
        "Open a table or a project by its path.",
        open_path,
        {
            "path": Field("text", "In a folder you allowed."),
            "folder": Field("text", "Folder of the project; beside the table unless given.", ""),
        }
        | READING,
    ),
    "demo": ("Begin with a table of nobody's.", open_demo, {"folder": Field("text", "Where.", "")}),
    "again": (
        "Begin a project for another table with the same schema and promise.",
        open_again,
        {
            "project": Field("text", "Number of the project."),
            "path": Field("text", "The other table."),
        },
    ),
    "allow": ("Allow one more folder.", allow_folder, {"folder": Field("text", "A folder.")}),
}
"""What can be done on the first page; what returns a number leads to that project."""
