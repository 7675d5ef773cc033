"""Every file format that Shoal reads, and the way from a path to a table."""

from __future__ import annotations

from pathlib import Path

from shoal.errors import TableError
from shoal.tables._engine import Engine, OpenOptions
from shoal.tables.engines.formats._arrow import ARROW
from shoal.tables.engines.formats._csv import CSV
from shoal.tables.engines.formats._file_format import FileFormat
from shoal.tables.engines.formats._parquet import PARQUET
from shoal.typing import PathText

FORMATS: tuple[FileFormat, ...] = (CSV, PARQUET, ARROW)
"""A new format is one more file beside this one, and one more entry here."""


def open_files(source: PathText, options: OpenOptions) -> Engine:
    """The table in a file, or in all files of a folder."""
    path = Path(source)
    if not path.exists():
        raise TableError(f"no file or folder {path.name!r}. Check the path.")
    if path.is_dir():
        return _open_folder(path, options)
    file_format = find_format(path)
    if file_format is None:
        raise TableError(
            f"{path.name!r} is no {_listed('or')} file by its name. Rename it to end in "
            f"{' or '.join(known.suffixes[0] for known in FORMATS)}, as its content is."
        )
    return file_format.read([path], options)


def find_format(path: Path) -> FileFormat | None:
    """Format that a file's name tells, or None."""
    return next((known for known in FORMATS if known.recognizes(path)), None)


def _open_folder(folder: Path, options: OpenOptions) -> Engine:
    # Spark and editors leave files behind that begin so
    visible = (
        path
        for path in folder.rglob("*")
        if not any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
    )
    format_of = {path: find_format(path) for path in sorted(visible) if path.is_file()}
    paths = [path for path, known in format_of.items() if known is not None]
    formats = {known for known in format_of.values() if known is not None}
    if not formats:
        raise TableError(f"folder {folder.name!r} holds no {_listed('or')} file.")
    if len(formats) > 1:
        names = [known.name for known in FORMATS if known in formats]
        raise TableError(
            f"folder {folder.name!r} mixes {' and '.join(names)} files. Keep one kind."
        )
    return formats.pop().read(paths, options)


def _listed(conjunction: str) -> str:
    names = [known.name for known in FORMATS]
    return f"{', '.join(names[:-1])} {conjunction} {names[-1]}"
