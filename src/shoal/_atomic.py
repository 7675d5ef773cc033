"""Files that appear whole or not at all, and never in place of another by accident."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.errors import TableError

if TYPE_CHECKING:  # loads numpy, which `--help` has no use for
    from shoal.typing import PathText


def refuse_existing(paths: Iterable[PathText], *, force: bool) -> None:
    """Raise, before any work, when a result would replace something that is there."""
    there = [Path(path).name for path in paths if Path(path).exists()]
    if there and not force:
        raise TableError(f"{there[0]!r} is there already. Choose another name or use --force.")


@contextmanager
def atomic_path(
    path: PathText, *, private: bool = False, keep_suffix: bool = True
) -> Iterator[Path]:
    """A place beside `path` to write to; it takes the name `path` when the block ends well.

    When the block fails, or is interrupted, what was written is removed and an older `path`
    stays as it was.  A `private` file can be read by its owner only, from the first byte on.
    Writers choose the format by the suffix, so the draft keeps it; without `keep_suffix`, whoever
    lists the folder by suffix does not see the draft.
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise TableError(
            f"cannot write {path.name}: its folder {path.parent.name!r} does not exist. Make it."
        )
    token = secrets.token_hex(4)
    draft = f".{token}.part.{path.name}" if keep_suffix else f".{path.name}.{token}.part"
    part = path.with_name(draft)
    try:
        if private:
            os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        yield part
        _to_disk(part)
        os.replace(part, path)
    except OSError as error:
        raise TableError(
            f"cannot write {path.name}: {error.strerror or 'the system refused'}. "
            "Check the folder, its permissions and the space left; nothing was kept."
        ) from None
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def atomic_paths(paths: Mapping[str, Path], what: str) -> Iterator[dict[str, Path]]:
    """Twins of `paths` to write to, moved into place together at the end; `what` names them all.

    All of them go into the folder of the first, which is made when it is not there.
    """
    folder = next(iter(paths.values())).parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # in the same folder, since only a move within one disk is a single step
        scratch = Path(tempfile.mkdtemp(prefix=".shoal-", dir=folder))
    except OSError as error:
        raise TableError(
            f"cannot write into folder {folder.name!r}: {error.strerror}. "
            "Choose another folder or mend its permissions."
        ) from None
    try:
        twins = {name: scratch / path.name for name, path in paths.items()}
        yield twins
        for name, path in paths.items():
            if path.is_dir():  # a Spark release is a folder of files
                shutil.rmtree(path)
            os.replace(twins[name], path)
    except OSError as error:
        raise TableError(f"cannot write {what}: {error.strerror}. Nothing was kept.") from None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def write_text(path: PathText, content: str) -> None:
    """Write a text file, whole or not at all."""
    with atomic_path(path) as part:
        part.write_text(content, "utf-8", newline="\n")


def _to_disk(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
