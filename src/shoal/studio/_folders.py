"""The folders that the user allowed, and what is in them; nothing outside is ever read."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from shoal.errors import ParameterError, TableError
from shoal.studio.project._project import is_project

_MOST = 500
"""Entries of a folder that are listed."""


class Folders:
    """The folders that the user allowed.

    Parameters
    ----------
    allowed : iterable of path
        Folders, with all that is in them.
    """

    def __init__(self, allowed: Iterable[Path]) -> None:
        self.allowed: list[Path] = []
        for folder in allowed:
            self.allow(str(folder))

    def allow(self, text: str) -> Path:
        """Allow one more folder."""
        folder = _real(text)
        if not folder.is_dir():
            raise ParameterError(f"{folder.name or text!r} is no folder on this machine.")
        if not any(folder.is_relative_to(known) for known in self.allowed):
            self.allowed.append(folder)
        return folder

    def resolve(self, text: str, *, base: Path | None = None) -> Path:
        """The path behind a text, links followed; raises unless it lies in an allowed folder."""
        path = _real(text, base)
        if not any(path.is_relative_to(folder) for folder in self.allowed):
            raise ParameterError(
                "that is outside the folders that you allowed. Allow its folder first."
            )
        return path

    def file(self, text: str, *, most: int, base: Path | None = None) -> Path:
        """A plain file of at most so many bytes, for what is read while others wait."""
        path = self.resolve(text, base=base)
        if not path.is_file():  # a pipe, say, from which nothing ever comes
            raise ParameterError("there is no such file.")
        if path.stat().st_size > most:
            raise ParameterError(f"{path.name!r} has more than {most // 10**6} MB: another file?")
        return path

    def list(self, text: str) -> dict[str, Any]:
        """Folders, projects and tables in a folder; hidden ones are left out."""
        folder = self.resolve(text) if text else self.allowed[0]
        try:
            listed_entries = sorted(os.scandir(folder), key=lambda entry: entry.name.lower())
        except OSError as error:
            raise TableError(f"cannot look into {folder.name!r}: {error.strerror}.") from None
        entries = [shown for entry in listed_entries if (shown := self._entry(entry)) is not None]
        listed = {shown["name"] for shown in entries}
        others = [
            entry
            for entry in listed_entries
            if _is_visible_file(entry) and entry.name not in listed
        ]
        inside = folder not in self.allowed
        return {
            "folder": str(folder),
            "parent": str(folder.parent) if inside else None,
            "entries": entries[:_MOST],
            "more": max(0, len(entries) - _MOST),
            "others": len(others),
            "allowed": [str(known) for known in self.allowed],
        }

    def _entry(self, entry: os.DirEntry[str]) -> dict[str, Any] | None:
        path = Path(entry.path)
        if entry.name.startswith(".") or not _printable(entry.name):
            return None
        try:
            self.resolve(entry.path)  # a link may lead out of what is allowed
            if entry.is_dir():
                kind = "project" if is_project(path) else "folder"
                return {"name": entry.name, "path": entry.path, "kind": kind}
            if entry.is_file() and is_table_file(path):
                size = entry.stat().st_size
                return {"name": entry.name, "path": entry.path, "kind": "table", "bytes": size}
        except (OSError, ParameterError):
            return None
        return None


def _is_visible_file(entry: os.DirEntry[str]) -> bool:
    try:
        return not entry.name.startswith(".") and entry.is_file(follow_symlinks=False)
    except OSError:
        return False


def is_table_file(path: Path) -> bool:
    """Whether a file's name is that of a table, as the registry of formats has it."""
    from shoal.tables.engines.formats._formats import find_format  # noqa: PLC0415  loads a database

    return find_format(path) is not None or path.suffix.lower() == ".zip"


def _real(text: str, base: Path | None = None) -> Path:
    if not text or "\0" in text or not _printable(text):
        raise ParameterError("give a path on this machine.")
    path = Path(os.path.expanduser(_pasted(text)))
    if not path.is_absolute():
        path = (base or Path.cwd()) / path
    try:
        path = path.resolve()
        path.exists()  # says of a name that is too long that it is
        return path
    except (OSError, RuntimeError):
        raise ParameterError("that path leads nowhere.") from None


def _pasted(text: str) -> str:
    """The path in what a file manager puts on the clipboard: in quotes, or as an address."""
    bare = text.strip()
    if len(bare) > 2 and bare[0] == bare[-1] and bare[0] in "'\"":
        return bare[1:-1]
    return unquote(bare.removeprefix("file://")) if bare.startswith("file:///") else text


def _printable(text: str) -> bool:
    """Whether a name can be written down; bytes that are no text cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
