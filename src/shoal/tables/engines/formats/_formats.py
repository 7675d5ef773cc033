"""Every file format that Shoal reads, and files that hold several tables, or none."""

from __future__ import annotations

import atexit
import glob
import re
import shutil
import sys
import zlib
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import NoReturn
from zipfile import BadZipFile, ZipFile, ZipInfo

from shoal._resources import scratch
from shoal.errors import TableError
from shoal.tables._engine import STANDARD, Engine, OpenOptions
from shoal.tables.engines._logged_tables import refuse_logged_files
from shoal.tables.engines.formats._arrow import ARROW
from shoal.tables.engines.formats._csv import CSV
from shoal.tables.engines.formats._databases import DUCKDB, SQLITE
from shoal.tables.engines.formats._excel import EXCEL
from shoal.tables.engines.formats._file_format import FileFormat
from shoal.tables.engines.formats._json_lines import JSON_LINES
from shoal.tables.engines.formats._parquet import PARQUET
from shoal.tables.engines.formats._statistics import SAS, SPSS, STATA
from shoal.tables.engines.formats.text._bytes import PACKED

FORMATS: tuple[FileFormat, ...] = (
    CSV, PARQUET, ARROW, EXCEL, JSON_LINES, SPSS, STATA, SAS, SQLITE, DUCKDB,
)  # fmt: skip
"""A new format is one more file beside this one, and one more entry here."""

BEGINNINGS = (
    (b"PAR1", ".parquet"),
    (b"ARROW1", ".arrow"),
    (b"PK\x03\x04", ".xlsx"),
    (b"SQLite format 3\x00", ".sqlite"),
    (b"\x1f\x8b", ".csv.gz"),
    (b"\x28\xb5\x2f\xfd", ".csv.zst"),
    (b"$FL2", ".sav"),
    (b"<stata_dta>", ".dta"),
    (b"HEADER RECORD***", ".xpt"),
    (b"\xd0\xcf\x11\xe0", ".xls"),
)
"""How files of some formats begin, whatever they are called."""

NO_TEXT = re.compile(
    b"|".join([rb"[\xef\xbb\xbf\s]*[<\[{]", *(re.escape(mark) for mark, _ in BEGINNINGS)])
)
"""Beginnings of files that are no tables in text: those above, web pages and JSON."""

_OBJECT = re.compile(rb'(\xef\xbb\xbf)?\s*(\[\s*)?\{\s*"')
_PAGES = (b"<!doctype", b"<html", b"<table", b"<?xml")
"""How pages begin that programs save as tables."""


def refuse_name(path: Path) -> NoReturn:
    """Raise for a file whose name tells no format."""
    raise TableError(f"{path.name!r} is no {_listed('or')} file by its name. {_advice(path)}")


def refuse_content(path: Path, head: bytes, named: FileFormat) -> None:
    """Raise for a text file by its name that is something else by its first bytes."""
    begins = next((end for mark, end in BEGINNINGS if head.startswith(mark)), None)
    packed = path.suffix.lower() in PACKED
    if named is CSV and head.lstrip(b"\xef\xbb\xbf \r\n\t").lower().startswith(_PAGES):
        raise TableError(
            f"{path.name!r} is a web page or XML by its content, not a table in text. Open it in a "
            "spreadsheet and save it as .xlsx or .csv."
        )
    if named is CSV and not packed and _OBJECT.match(head):
        raise TableError(
            f"{path.name!r} is JSON by its content, not a table in text. Rename it to end in "
            ".jsonl if every line is a row, or in .json if it is a list."
        )
    if named in (CSV, JSON_LINES) and begins is not None and not packed:
        raise TableError(
            f"{path.name!r} is no text: it begins like a {begins} file. Rename it to end in "
            f"{begins}."
        )


def _advice(path: Path) -> str:
    if path.suffix.lower() == ".numbers":
        return "Save it as .xlsx or .csv from the program that it came from."
    if path.suffix.lower() in (".7z", ".rar", ".tar", ".bz2", ".xz"):
        return "Unpack it first; .gz, .zst and .zip are read as they are."
    ends = ", ".join(known.suffixes[0] for known in FORMATS)
    return f"Rename it to end as its content is: {ends}."


def find_format(path: Path) -> FileFormat | None:
    """Format that a file's name tells, or None."""
    name = path.name.lower()
    return next((known for known in FORMATS if name.endswith(known.suffixes)), None)


@cache
def spooled(path: Path) -> Path:
    """Standard input or a pipe, saved as a file."""
    return _keep(sys.stdin.buffer.read() if str(path) == STANDARD else path.read_bytes())


def unpacked(path: Path) -> Path:
    """The one table of an archive, as a file; unpacked again when the archive has changed."""
    about = path.stat()
    return _unpacked(path, about.st_mtime_ns, about.st_size)


@cache
def _unpacked(path: Path, changed: int, size: int) -> Path:
    """The one table of an archive, unpacked for this run; of its path only the name is used."""
    try:
        with ZipFile(path) as archive:
            inside = [entry for entry in archive.infolist() if _is_visible(entry)]
            tables = [entry for entry in inside if find_format(Path(entry.filename)) is not None]
            if len(tables) != 1:
                raise TableError(
                    f"{path.name!r} holds {len(tables)} tables among {len(inside)} files; one is "
                    "needed. Unpack it, and name the table or a folder of tables that are alike."
                )
            target = _own_folder() / Path(tables[0].filename).name
            with archive.open(tables[0]) as source, target.open("wb") as copy:
                shutil.copyfileobj(source, copy, 1 << 20)
    except RuntimeError:
        raise TableError(f"{path.name!r} is protected by a password. Unpack it first.") from None
    except (BadZipFile, NotImplementedError, EOFError, zlib.error, OSError):
        raise TableError(
            f"{path.name!r} cannot be unpacked: it is damaged, cut short, packed in a way that is "
            "not known, or the disk is full. Unpack it first."
        ) from None
    return target


def _is_visible(entry: ZipInfo) -> bool:
    """Whether an entry is a file that somebody put there: systems add their own."""
    parts = Path(entry.filename).parts
    return not entry.is_dir() and not any(part.startswith((".", "__MACOSX")) for part in parts)


def _own_folder() -> Path:
    """A folder that only this user can read, until the end of the run."""
    folder = Path(mkdtemp(dir=scratch()))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _keep(content: bytes) -> Path:
    """Save incoming content to a file."""
    folder = _own_folder()
    if not content:
        raise TableError("nothing came in on standard input. Pipe a table into the command.")
    text = {b"{": ".jsonl", b"[": ".json"}.get(content.lstrip()[:1], ".csv")
    suffix = next((end for mark, end in BEGINNINGS if content.startswith(mark)), text)
    path = folder / f"stdin{suffix}"
    path.write_bytes(content)
    return path


def open_several(path: Path, options: OpenOptions) -> Engine:
    """Open the files of a folder, or those that match a pattern; no file has that exact name."""
    if path.is_dir():
        return _open_folder(path, options)
    paths = [Path(name) for name in sorted(glob.glob(str(path), recursive=True))]
    files = [file for file in paths if file.is_file()]
    if not files:
        what = "no files match" if glob.has_magic(str(path)) else "no file or folder"
        raise TableError(f"{what} {path.name!r}. Check the path.")
    return _open_alike(files, repr(path.name), options)


def _open_folder(folder: Path, options: OpenOptions) -> Engine:
    # Spark and editors leave files behind that begin so
    visible = (
        path
        for path in folder.rglob("*")
        if not any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
    )
    files = [path for path in sorted(visible) if path.is_file()]
    return _open_alike(files, f"folder {folder.name!r}", options)


def _open_alike(files: list[Path], where: str, options: OpenOptions) -> Engine:
    format_of = {path: find_format(path) for path in files}
    paths = [path for path, known in format_of.items() if known is not None]
    formats = {known for known in format_of.values() if known is not None}
    refuse_logged_files(path for path, known in format_of.items() if known is PARQUET)
    if not formats:
        raise TableError(f"{where} holds no {_listed('or')} file.")
    if len(formats) > 1:
        names = [known.name for known in FORMATS if known in formats]
        raise TableError(f"{where} mixes {' and '.join(names)} files. Keep one kind.")
    return formats.pop().read(paths, options)


def _listed(conjunction: str) -> str:
    names = [known.name for known in FORMATS]
    return f"{', '.join(names[:-1])} {conjunction} {names[-1]}"
