"""The files of a release, which of them may leave the house, and the way between them.

`NAME.csv`, `NAME.manifest.json` and `NAME.schema.toml` may be published together.  What lies in
`NAME.private/` may not: a recoding knows every value of the table, those of suppressed people
included, and the ends behind coarse labels.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from shoal._addresses import address_of, is_address, path_of, read_address
from shoal._atomic import atomic_paths, refuse_existing
from shoal.errors import ParameterError, TableError

if TYPE_CHECKING:
    from shoal.schema import Schema
    from shoal.tables._engine import OpenOptions
    from shoal.typing import Native, PathText

_TEXT = (".csv", ".tsv", ".txt", ".jsonl", ".ndjson")
_PACKED = tuple(end + packed for packed in (".gz", ".zst") for end in _TEXT)
FORMATS = (
    ".csv", ".parquet", ".arrow", ".feather", ".xlsx", ".tsv", ".txt", ".jsonl", ".ndjson",
    ".sqlite", ".duckdb", *_PACKED,
)  # fmt: skip
"""How the name of a released table may end."""

PRIVATE = ".private"
"""How the name of the folder ends whose files stay in the house."""

PUBLISHED = ("table", "manifest", "schema")
"""Kinds of files that may be published."""

FileKind = Literal[
    "manifest", "recoding", "schema", "full schema", "promise", "seed", "reading", "report",
    "dossier", "dossier form", "former recoding",
]  # fmt: skip

_ENDINGS: dict[FileKind, str] = {
    "manifest": ".manifest.json",
    "schema": ".schema.toml",
    "report": ".report.html",
    "dossier": ".dossier.html",
    "dossier form": ".dossier.toml",
    "recoding": f"{PRIVATE}/recoding.json",
    "full schema": f"{PRIVATE}/schema.toml",
    "promise": f"{PRIVATE}/promise.json",
    "seed": f"{PRIVATE}/draws.json",
    "reading": f"{PRIVATE}/reading.json",
    "former recoding": ".recoding.json",  # where it lay before it had a folder of its own
}
MANIFESTS = f"*{_ENDINGS['manifest']}"
"""Pattern of the manifests in a folder."""

_NOT_OF_LABELS = {
    "means": "means of groups; with --as labels there are other groups, and a report on those",
    "perturbed": "values that were changed at random",
    "sets": "sets of items",
}
"""What releases hold that were not made of labels, by the form that the manifest names."""

_WRITTEN = ("encoding", "delimiter", "decimal")
"""What a manifest says of a released text file."""


def release_files(table: PathText) -> dict[str, Path]:
    """Paths of the files that a release writes: "table", "manifest", "schema" and "recoding".

    Examples
    --------
    >>> [path.name for path in release_files("out/people.csv").values()]
    ['people.csv', 'people.manifest.json', 'people.schema.toml', 'recoding.json']
    """
    table = _in_database(table) if is_address(table) else Path(table)
    if not table.name.lower().endswith((*FORMATS, IN_DATABASE)):
        raise ParameterError(
            f"cannot tell the format of {table.name!r}. End it in {', '.join(FORMATS[:11])}, or a "
            "text format with .gz or .zst behind it."
        )
    return {
        "table": table,
        "manifest": file_beside(table, "manifest"),
        "schema": file_beside(table, "schema"),
        "recoding": file_beside(table, "recoding"),
    }


def file_beside(path: PathText, kind: FileKind) -> Path:
    """Where another file of the same release lies; `path` is its table or any of its files.

    Examples
    --------
    >>> file_beside("people.csv", "manifest").name
    'people.manifest.json'
    >>> file_beside("people.private/recoding.json", "schema").as_posix()
    'people.schema.toml'
    """
    path = _in_database(path) if is_address(path) else Path(path)
    if path.parent.name.endswith(PRIVATE):  # one of the house's own
        path = path.parent
    own = next((end for end in (*_ENDINGS.values(), PRIVATE) if path.name.endswith(end)), None)
    if own is not None:
        stem = path.name.removesuffix(own)
    elif path.name.lower().endswith(_PACKED):
        stem = Path(path.stem).stem
    else:
        stem = path.name.removesuffix(path.suffix)
    return path.parent / (stem + _ENDINGS[kind])


def read_making(path: PathText) -> tuple[str, str]:
    """Method and ends of ranges, as the manifest beside a release says; what is likely else."""
    try:
        manifest = json.loads(file_beside(path, "manifest").read_text("utf-8"))
        return str(manifest["method"]), str(manifest.get("parameters", {}).get("ranges", "nodes"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return "LocalRecoding", "lines"


def find_schema(path: PathText) -> Path:
    """The schema of a release: all of it where the house has it, else what is published."""
    full = file_beside(path, "full schema")
    return full if full.exists() else file_beside(path, "schema")


def find_recoding(path: PathText) -> Path:
    """The recoding, given as it is, or by its folder, or by any other file of its release."""
    path = Path(path)
    house: tuple[FileKind, ...] = ("promise", "seed", "reading")
    is_other = is_manifest(path) or path in [file_beside(path, kind) for kind in house]
    return path if path.suffix == ".json" and not is_other else file_beside(path, "recoding")


def is_manifest(path: PathText) -> bool:
    """Whether the name is that of a manifest."""
    return Path(path).name.endswith(_ENDINGS["manifest"])


def manifests_in(folder: PathText) -> list[Path]:
    """Manifests of the releases in a folder, by name.

    Examples
    --------
    >>> manifests_in("no-such-folder")
    []
    """
    return sorted(Path(folder).glob(MANIFESTS))


def table_names(path: PathText) -> list[str]:
    """What the released table of a file may be called.

    Examples
    --------
    >>> table_names("people.manifest.json")[:2]
    ['people.csv', 'people.parquet']
    """
    stem = file_beside(path, "manifest").name.removesuffix(_ENDINGS["manifest"])
    return [stem + end for end in FORMATS]


def table_beside(path: PathText) -> Path | None:
    """The released table that a file belongs to; None when it is not there."""
    folder = file_beside(path, "manifest").parent
    there = [table for name in table_names(path) if (table := folder / name).exists()]
    if len(there) > 1:
        shown = ", ".join(table.name for table in there)
        raise TableError(f"{Path(path).name} may belong to {shown}. Name the table instead.")
    return there[0] if there else None


def written_form(table: PathText) -> str:
    """How the manifest beside a table says that its columns are written; "labels" without one."""
    try:
        return str(json.loads(file_beside(table, "manifest").read_text("utf-8"))["form"])
    except (OSError, ValueError, KeyError, TypeError):
        return "labels"


def require_labels(table: PathText, what: str) -> None:
    """Raise for a release whose columns are written in another form, for what reads labels."""
    form = written_form(table)
    if form in _NOT_OF_LABELS:
        raise TableError(
            f"{what} reads labels, and {Path(table).name} holds {_NOT_OF_LABELS[form]}. "
            "`shoal attack any` and `shoal compare` take any table."
        )
    if form != "labels":
        raise TableError(
            f"{what} reads labels, and {Path(table).name} was written as {form}. Write the same "
            "release once more with --as labels: what holds for labels holds for what is made "
            "of them."
        )


def as_written(table: PathText, told: OpenOptions, *, of_raw: bool = False) -> OpenOptions:
    """How a released file is read: as its manifest says, as long as it is that very file.

    What was told is kept for every other file, unless it was told about a raw table (`of_raw`):
    then a file that a manifest names, and that was changed since, is read by what stands in it.
    """
    try:
        manifest = json.loads(file_beside(table, "manifest").read_text("utf-8"))
        known, how = manifest["files"][Path(table).name], manifest["written"]
        own = type(told)(guess=told.guess, types=told.types)  # nothing is said of how it is read
        if known != digest(Path(table)):
            return own if of_raw else told
        if how is None:  # no text: all stands in the file
            return own
        written = {name: str(how[name]) for name in _WRITTEN}
        # every row of it is one, also one of empty cells
        return replace(own, **written, header=True, keep_empty_rows=True)  # type: ignore[arg-type]
    except (OSError, ValueError, KeyError, TypeError):
        return told


def as_files_say(table: Native, schema: Schema | None = None) -> Native:
    """A path that is read as the manifest beside it says, or else as the schema of its rows does.

    What is no path, or knows already how it is read, stays as it is.

    Examples
    --------
    >>> from shoal.schema import Schema
    >>> schema = Schema({"age": {"role": "quasi-identifier"}}, reading={"delimiter": ";"})
    >>> as_files_say("no-such-release.csv", schema).options.delimiter
    ';'
    """
    from shoal.tables._engine import OpenOptions, TableFile  # noqa: PLC0415  names load nothing

    if not isinstance(table, str | PathLike) or isinstance(table, TableFile):
        return table
    told = OpenOptions().filled({} if schema is None else schema.reading)
    if is_address(table):
        return TableFile.of(str(table), told)
    path = path_of(table)
    return TableFile.of(str(path), as_written(path, told))


def keep_reading(table: PathText, told: OpenOptions) -> None:
    """Note in the house how the raw table of a release was said to be read, for later commands."""
    path = file_beside(table, "reading")
    if not (asked := told.said()):
        path.unlink(missing_ok=True)
        return
    with atomic_paths({"reading": path}, "the reading options", private={"reading"}) as drafts:
        drafts["reading"].write_text(json.dumps({"shoal": "reading"} | asked) + "\n", "utf-8")


def as_told(release: PathText, told: OpenOptions) -> OpenOptions:
    """How to read the raw table of a release: unless said otherwise, as when it was released.

    Examples
    --------
    >>> from shoal.tables._engine import OpenOptions
    >>> as_told("no-such-release.csv", OpenOptions(delimiter=";")).delimiter
    ';'
    """
    from shoal.schema._reading import READING, read_reading  # noqa: PLC0415  names load nothing

    try:
        kept = json.loads(file_beside(release, "reading").read_text("utf-8"))
        return told.filled(read_reading({n: kept[n] for n in READING if kept.get(n) is not None}))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return told


def publish_files(table: PathText, folder: PathText, *, force: bool = False) -> dict[str, Path]:
    """Copy what may be published of a written release into a folder, all or nothing."""
    written = release_files(table)
    copies = {kind: Path(folder) / written[kind].name for kind in PUBLISHED}
    refuse_existing(copies.values(), force=force)
    with atomic_paths(copies, "the published release") as drafts:
        for kind, draft in drafts.items():
            if written[kind].is_dir():  # a Spark release is a folder of files
                shutil.copytree(written[kind], draft)
            else:
                shutil.copyfile(written[kind], draft)
    return copies


def require_file(table: PathText) -> None:
    """Raise when a table is not a file that :func:`publish_files` could copy."""
    if is_address(table):
        raise ParameterError(
            "publishing copies files, and the table is to be in a database. Write the release to a "
            "file, or leave publishing out: manifest and schema may go with the table."
        )


def digest(path: Path) -> str:
    """SHA-256 of a file, or of all files of a folder in the order of their names."""
    if not path.is_dir():
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    whole = hashlib.sha256()
    for inner in sorted(inner for inner in path.rglob("*") if inner.is_file()):
        whole.update(f"{inner.relative_to(path).as_posix()} {digest(inner)}\n".encode())
    return whole.hexdigest()


IN_DATABASE = ".table"
"""How the name ends that stands for a table in a database, where files are named after it."""


def _in_database(path: PathText) -> Path:
    """The path after which the files beside a database table are named."""
    address = read_address(address_of(path))
    folder = Path(".") if address.kind == "postgresql" else Path(address.place).parent
    return folder / f"{address.table or 'table'}{IN_DATABASE}"
