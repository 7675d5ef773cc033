"""The open projects of one user, and the folders that may be looked into."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from shoal._atomic import is_held, take
from shoal.errors import ParameterError
from shoal.studio._desk import Desk
from shoal.studio._folders import Folders, is_table_file
from shoal.studio._recent import recent_projects, remember_project
from shoal.studio.project._project import Project, folder_for, is_project

_MOST_OPEN = 12


class Studio:
    """What the server keeps while it runs.

    Parameters
    ----------
    allowed : iterable of path
        Folders that the user allowed.
    """

    def __init__(self, allowed: Iterable[Path]) -> None:
        self.folders = Folders(allowed)
        self.desks: dict[str, Desk] = {}
        self._locks: dict[str, int] = {}

    def desk(self, number: str) -> Desk:
        """An open project."""
        if number not in self.desks:
            raise ParameterError("that project is not open. Open it from the first page.")
        return self.desks[number]

    def open(self, path: Path, folder: Path | None = None, **reading: Any) -> Desk:
        """Open a project, or begin one for a table that is read as it is said."""
        if path.is_dir() and is_project(path):
            return self.take(Project(path))
        if not path.exists():
            raise ParameterError(f"there is no {path.name!r}. Check the path.")
        if path.is_file() and not is_table_file(path):
            raise ParameterError(f"{path.name!r} is no table by its name.")
        return self.take(Project.create(folder or self.folder_beside(path), path, **reading))

    def folder_beside(self, table: Path) -> Path:
        """Where the project of a table goes; raises where a link of that name leads elsewhere."""
        return self.folders.resolve(str(folder_for(table)))

    def open_demo(self, folder: Path) -> Desk:
        """Begin a project with Adult, or with a generated census where Adult is not installed."""
        from shoal.datasets import adult, census  # noqa: PLC0415  demo only
        from shoal.errors import DataNotFoundError  # noqa: PLC0415  demo only

        table = folder / "demo.csv"
        if not table.exists():
            try:
                adult("all").to_file(table)
            except DataNotFoundError:
                census(5_000).to_file(table)
        return self.open(table)

    def take(self, project: Project) -> Desk:
        """Put a project on the desk; an existing one is opened unchanged."""
        self._require_near(project)
        desk = Desk(project)
        if desk.number in self.desks:
            return self.desks[desk.number]
        if len(self.desks) >= _MOST_OPEN:
            raise ParameterError("too many projects are open. Start the studio again.")
        lock = project.scratch / "lock"
        if is_held(lock):
            raise ParameterError(f"{project.name!r} is open in another studio. Close it there.")
        self._locks[desk.number] = take(lock)
        self.folders.allow(str(project.folder))
        self.desks[desk.number] = desk
        remember_project(project.folder)
        return desk

    def _require_near(self, project: Project) -> None:
        """Raise where a project that came from elsewhere names a table the user did not allow."""
        table = project.table.resolve()
        beside = table.parent in (project.folder, project.folder.parent)
        if not beside and not any(table.is_relative_to(known) for known in self.folders.allowed):
            raise ParameterError(
                f"the table of {project.name!r} lies outside the folders that you allowed: in "
                f"{str(table.parent)!r}. Allow that folder first, if you know it."
            )
        near = [*self.folders.allowed, project.folder, project.folder.parent]
        inside = _inside(project.folder)
        for path in inside:
            if path.exists() and not (path.is_file() or path.is_dir()):
                raise ParameterError(
                    f"{path.name!r} in {project.name!r} is neither a file nor a folder: a pipe, "
                    "say, which would be waited for. Remove it."
                )
        links = [path for path in inside if path.is_symlink()]
        for path in [*links, *_hierarchy_files(project)]:
            if not any(path.resolve().is_relative_to(known) for known in near):
                raise ParameterError(
                    f"{path.name!r} in {project.name!r} leads outside the folders that you "
                    "allowed. Remove it, or allow the folder it leads to, if you know it."
                )

    def recent(self) -> list[dict[str, Any]]:
        """Projects opened lately that lie in folders the user allowed."""
        shown = []
        for one in recent_projects():
            try:
                self.folders.resolve(one["folder"])
            except ParameterError:
                continue
            shown.append(one)
        return shown

    async def close(self) -> None:
        """End all workers, and let others open the projects."""
        for desk in self.desks.values():
            await desk.close()
        for lock in self._locks.values():
            os.close(lock)
        self._locks.clear()


def _inside(folder: Path) -> list[Path]:
    """What is in a project and in its folders: whoever sent it may have put there anything."""
    inside = [Path(entry.path) for entry in os.scandir(folder)]
    below = [
        Path(entry.path)
        for path in inside
        if path.is_dir() and not path.is_symlink()
        for entry in os.scandir(path)
    ]
    return [*inside, *below]


def _hierarchy_files(project: Project) -> list[Path]:
    """Files that the schema takes hierarchies from."""
    written = [column.to_toml().get("hierarchy") for column in (project.schema or {}).values()]
    names = [one["file"] for one in written if isinstance(one, dict) and "file" in one]
    return [project.folder / str(name) for name in names]
