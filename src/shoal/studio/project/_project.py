"""A project folder: what it holds, how it begins, and how one of the command line is taken up."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal._atomic import write_text
from shoal._plain import from_json
from shoal.errors import ParameterError, SchemaError, TableError
from shoal.schema import Schema
from shoal.studio.project._decisions import Decision, add_decision, read_decisions
from shoal.studio.project._reading import (
    FIELDS,
    Reading,
    read_reading,
    reading_keywords,
    reading_of,
    reading_of_keywords,
)
from shoal.studio.project._settings import Settings, read_settings, write_settings
from shoal.typing import PathText

SETTINGS, SCHEMA, DECISIONS = "project.toml", "schema.toml", "decisions.jsonl"
RELEASES, HIERARCHIES, SCRATCH = "releases", "hierarchies", ".studio"


class Project:
    r"""One folder: schema, hierarchies, settings, releases and a log of decisions.

    Parameters
    ----------
    folder : path
        The folder.  It has `project.toml`, or was made by the command line: a table and a
        `schema.toml` beside it.

    Notes
    -----
    Nothing in it needs the studio: `shoal anonymize` takes its schema, and what the command line
    writes into `releases` is found when the project is opened again.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "people.csv").write_text("age,illness\n31,flu\n")
    >>> project = Project.create(folder / "people.shoal", folder / "people.csv")
    >>> project.table.name, project.settings.k, project.schema
    ('people.csv', 10, None)
    """

    def __init__(self, folder: PathText) -> None:
        self.folder = Path(folder).resolve()
        if (self.folder / SETTINGS).is_file():
            self.settings = read_settings(self.folder / SETTINGS)
        elif (self.folder / SCHEMA).is_file():
            self.settings = _adopted(self.folder)
        else:
            raise ParameterError(
                f"{self.folder.name!r} is no project: it has neither {SETTINGS} nor {SCHEMA}."
            )
        self.schema: Schema | None = None
        self.reload()

    @classmethod
    def create(cls, folder: PathText, table: PathText, **reading: Any) -> Project:
        """Begin a project for a table; a project of it that is there is opened as it is.

        `reading` says how the file is read, in the words of `project.toml`: ``encoding``,
        ``delimiter``, ``decimal``, ``sheet`` and others.
        """
        folder, table = Path(folder).resolve(), Path(table).resolve()
        if not (folder / SETTINGS).exists() and not (folder / SCHEMA).exists():
            try:
                folder.mkdir(mode=0o700, exist_ok=True)
            except OSError as error:
                raise TableError(
                    f"cannot make the folder {folder.name!r}: {error.strerror}. Choose another."
                ) from None
            said: dict[str, Any] = read_reading(reading)
            settings = Settings(table=_relative(table, folder), **said)
            write_settings(folder / SETTINGS, settings)
            add_decision(folder / DECISIONS, f"opened {table.name}")
        project = cls(folder)
        if project.table.resolve() != table:
            raise ParameterError(
                f"{folder.name!r} is the project of {project.table.name!r}, not of "
                f"{table.name!r}. Choose another folder."
            )
        return project

    # -- parts ------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """What people call it."""
        return self.folder.name.removesuffix(".shoal")

    @property
    def table(self) -> Path:
        """The raw table."""
        return Path(os.path.normpath(self.folder / self.settings.table))

    @property
    def schema_path(self) -> Path:
        """The schema file."""
        return self.folder / SCHEMA

    @property
    def scratch(self) -> Path:
        """A folder for what can be computed again; it may be removed at any time."""
        path = self.folder / SCRATCH
        path.mkdir(mode=0o700, exist_ok=True)
        return path

    @property
    def reading(self) -> Reading:
        """How the table is read, as far as somebody said it, in a schema or before there is one."""
        return reading_of(self.settings)

    def table_stamp(self) -> list[int]:
        """Size and time of change of the table: whether what is known about it still holds."""
        try:
            status = self.table.stat()
        except OSError:
            raise TableError(
                f"the table {self.table.name!r} is not there any more. Put it back, or write "
                f"where it is now into {SETTINGS} of the project."
            ) from None
        return [status.st_size, status.st_mtime_ns]

    def reload(self) -> None:
        """Read the schema again, if there is one: somebody may have edited it by hand.

        What its `[reading]` says holds, as it does for the command line and in Python.
        """
        self.schema = Schema.from_toml(self.schema_path) if self.schema_path.is_file() else None
        if self.schema is not None and self.schema.reading:
            self.settings = replace(self.settings, **reading_of_keywords(self.schema.reading))

    def schema_text(self) -> str:
        """The schema file, or nothing."""
        return self.schema_path.read_text("utf-8") if self.schema_path.is_file() else ""

    def decisions(self) -> list[Decision]:
        """What was decided, oldest first."""
        return read_decisions(self.folder / DECISIONS)

    def releases(self) -> list[dict[str, Any]]:
        """Releases in the project, newest first: those in `releases`, and those beside the schema.

        A release of the command line counts like one of the studio.
        """
        # loads the methods, which the first page of a new project has no use for
        from shoal.anonymize._release_files import manifests_in  # noqa: PLC0415

        folders = (self.folder / RELEASES, self.folder)
        manifests = [path for folder in folders for path in manifests_in(folder)]
        releases = [release for path in manifests if (release := _release(path)) is not None]
        return sorted(releases, key=lambda release: -release["written"])

    # -- changes ----------------------------------------------------------------------------

    def set(self, **changes: Any) -> None:
        """Change settings, and write them."""
        self.settings = replace(self.settings, **changes)
        write_settings(self.folder / SETTINGS, self.settings)

    def save_schema(self, schema: Schema, reasons: Mapping[str, Sequence[str]]) -> None:
        """Write the schema with the reasons as comments, and with how the table is read now."""
        said = reading_keywords(self.reading)
        Schema(schema, schema.requirements, said).to_toml(self.schema_path, comments=reasons)
        self.schema = Schema.from_toml(self.schema_path)

    def set_reading(self, reading: Reading, reasons: Mapping[str, Sequence[str]]) -> None:
        """Read the table in another way, and say so in the schema, too."""
        unsaid = Settings()
        self.set(**{name: reading.get(name, getattr(unsaid, name)) for name in FIELDS})
        if self.schema is not None:
            self.save_schema(self.schema, reasons)

    def restore_schema(self, text: str, reasons: Mapping[str, Sequence[str]]) -> None:
        """Put an earlier text of the schema back; how the table is read stays as it is now."""
        said = reading_keywords(self.reading)
        write_text(self.schema_path, text)
        self.schema = Schema.from_toml(self.schema_path)
        if self.schema.reading != said:
            self.save_schema(self.schema, reasons)

    def note(self, what: str, why: str = "", who: str = "") -> None:
        """Add to the log of decisions."""
        add_decision(self.folder / DECISIONS, what, why, who)

    def copy_for(self, table: PathText, folder: PathText) -> Project:
        """A new project for another table with the same schema, promise and method."""
        if self.schema is None:
            raise SchemaError("this project has no schema yet. Decide on the columns first.")
        other = Project.create(folder, table, **self.reading)
        if other.schema is not None:
            raise ParameterError(
                f"there is a project of {other.table.name!r} already, with roles of its own: "
                f"{other.folder.name!r}. Open it, or move it away first."
            )
        if (self.folder / HIERARCHIES).is_dir():
            shutil.copytree(self.folder / HIERARCHIES, other.folder / HIERARCHIES,
                            dirs_exist_ok=True)  # fmt: skip
        write_text(other.schema_path, self.schema_text())
        other.reload()
        mine = self.settings
        other.set(accepted=mine.accepted, recipient=mine.recipient, k=mine.k,
                  conditions=mine.conditions, method=mine.method,
                  suppress=mine.suppress)  # fmt: skip
        other.note(f"took schema and promise over from {self.name}")
        return other


def is_project(folder: Path) -> bool:
    """Whether a folder can be opened as a project."""
    return (folder / SETTINGS).is_file() or (folder / SCHEMA).is_file()


def folder_for(table: Path) -> Path:
    """Where the project of a table is or goes: beside it, apart from that of one named alike."""
    beside = [table.with_name(f"{name}.shoal") for name in (table.name.split(".")[0], table.name)]
    there = [folder for folder in beside if is_project(folder)]
    own = [folder for folder in there if Project(folder).table.resolve() == table.resolve()]
    return [*own, *(folder for folder in beside if folder not in there), *there][0]


def _relative(table: Path, folder: Path) -> str:
    return Path(os.path.relpath(table, folder)).as_posix()


def _release(manifest: Path) -> dict[str, Any] | None:
    """A release by its manifest; None where its table is gone."""
    from shoal.anonymize._release_files import file_beside, table_beside  # noqa: PLC0415  see below

    table = table_beside(manifest)
    if table is None:
        return None
    try:
        data = from_json(manifest.read_text("utf-8"))
    except (OSError, ValueError):
        data = None
    data = data if isinstance(data, dict) else {}
    report, dossier = file_beside(table, "report"), file_beside(table, "dossier")
    return {
        "name": table.name,
        "path": str(table),
        "written": manifest.stat().st_mtime,
        "guarantee": str(data.get("guarantee", "")),
        "method": str(data.get("method", "")),
        "rows": data.get("released_rows"),
        "suppressed": data.get("suppressed_rows"),
        "report": str(report) if report.exists() else None,
        "dossier": str(dossier) if dossier.exists() else None,
        "privacy": data.get("privacy"),
    }


def _adopted(folder: Path) -> Settings:
    """Settings of a project that the command line made: its table."""
    # loads the engines, which the first page of a new project has no use for
    from shoal.anonymize._release_files import manifests_in, table_names  # noqa: PLC0415
    from shoal.studio._folders import is_table_file  # noqa: PLC0415

    names = sorted(path.name for path in folder.iterdir() if path.is_file())
    released = {name for path in manifests_in(folder) for name in table_names(path)}
    tables = [name for name in names if is_table_file(Path(name)) and name not in released]
    if not tables:
        raise ParameterError(f"{folder.name!r} has a schema and no table beside it.")
    return Settings(table="table.csv" if "table.csv" in tables else tables[0])
