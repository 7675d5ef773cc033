"""Files that appear whole or not at all."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shoal.errors import TableError
from shoal.typing import PathText


@contextmanager
def atomic_path(path: PathText) -> Iterator[Path]:
    """A place beside `path` to write to; it takes the name `path` when the block ends well.

    When the block fails, or is interrupted, what was written is removed and an older `path`
    stays as it was.
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise TableError(
            f"cannot write {path.name}: its folder {path.parent.name!r} does not exist. Make it."
        )
    # the suffix stays last: writers choose the format by it
    part = path.with_name(f".{secrets.token_hex(4)}.part.{path.name}")
    try:
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


def write_text(path: PathText, content: str) -> None:
    """Write a text file, whole or not at all."""
    with atomic_path(path) as part:
        part.write_text(content, "utf-8", newline="\n")


def _to_disk(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
