"""Files that appear whole or not at all, and never in place of another by accident.

A set of files is written through a journal.  Drafts go into a scratch folder `.shoal-…` beside
their targets, which its writer holds a lock on for as long as it lives.  When all drafts are on
disk, a record of the moves is written (`commit.json`): from then on the set is decided.  Then every
draft takes its name and the scratch folder goes.  Whoever is killed before the record leaves a
scratch folder that nobody will use, whoever is killed after it leaves a set that is only to be
moved; :func:`settle` does the one or the other, and every command that reads or writes there calls
it first.  So there is the old set or the new one, complete, and nothing else.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from shoal.errors import TableError

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:  # loads numpy, which `--help` has no use for
    from shoal.typing import PathText

SCRATCH = ".shoal-"
"""How the names of folders with drafts begin."""

_LOCK = "lock"
_RECORD = "commit.json"

_ABANDONED = 86_400
"""Seconds after which a lock counts as left behind where the system has no locks."""

_open: set[Path] = set()
"""Scratch folders of sets that this process is writing."""


def refuse_existing(paths: Iterable[PathText], *, force: bool) -> None:
    """Raise, before any work, if a result would replace an existing file."""
    wanted = [Path(path) for path in paths]
    for folder in {path.parent for path in wanted}:
        settle(folder)
    there = [path.name for path in wanted if path.exists()]
    if there and not force:
        raise TableError(
            f"{there[0]!r} is there already. Choose another name or use --force "
            "(in Python force=True)."
        )


@contextmanager
def atomic_path(path: PathText, *, private: bool = False) -> Iterator[Path]:
    """A place to write to; what is there takes the name `path` when the block ends well.

    When the block fails, or is interrupted, what was written is removed and an older `path`
    stays as it was.  A `private` file can be read by its owner only, from the first byte on.
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise TableError(
            f"cannot write {path.name}: its folder {path.parent.name!r} does not exist. Make it."
        )
    private_names = ("file",) if private else ()
    with atomic_paths({"file": path}, path.name, private=private_names) as drafts:
        yield drafts["file"]


@contextmanager
def atomic_paths(
    paths: Mapping[str, Path],
    what: str,
    *,
    private: Iterable[str] = (),
    outdated: Iterable[Path] = (),
) -> Iterator[dict[str, Path]]:
    """Twins of `paths` to write to, moved into place together at the end; `what` names them all.

    All of them go into the folder of the first, or into folders in it; folders are made when they
    are not there.  Files named in `private` can be read by their owner only, and so can folders
    made for them.  `outdated` files of an older set are removed with the same step.
    """
    folder, hidden = next(iter(paths.values())).parent, set(private)
    if folder.parts[:1] == ("~",):  # a folder of that name would be made here
        raise TableError("'~' is no folder here. Write the path of the home folder out.")
    with terminating() as request:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            settle(folder)
            scratch = folder / f"{SCRATCH}{secrets.token_hex(4)}"  # on the disk of the targets
            with hold(folder):  # nobody settles a folder between its making and its lock
                scratch.mkdir(0o700)
                lock = take(scratch / _LOCK)
        except OSError as error:
            raise TableError(
                f"cannot write into folder {folder.absolute().name!r}: {error.strerror}. "
                "Choose another folder or mend its permissions."
            ) from None
        _open.add(scratch)
        try:
            drafts = {name: scratch / f"{n}" / path.name for n, (name, path) in
                      enumerate(paths.items())}  # fmt: skip
            for name in drafts:
                drafts[name].parent.mkdir()
                if name in hidden:
                    os.close(os.open(drafts[name], os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            yield drafts
            request.waits = True
            for draft in drafts.values():
                _sync(draft, *draft.rglob("*"))  # a Spark release is a folder of files
            with hold(folder):
                record = _commit(folder, scratch, paths, hidden, outdated)
                _carry_out(folder, scratch, record)
        except OSError as error:
            kept = _give_up(scratch, drafts)
            raise TableError(
                f"cannot write {what}: {error.strerror or 'the system refused'}. Check the folder, "
                f"its permissions and the space left; {kept}."
            ) from None
        finally:
            request.waits = True
            if not (scratch / _RECORD).exists():
                shutil.rmtree(scratch, ignore_errors=True)
            _open.discard(scratch)
            os.close(lock)
            request.waits = False


def _give_up(scratch: Path, drafts: Mapping[str, Path]) -> str:
    """Take the decision back unless it is half carried out; says what becomes of the files."""
    if (scratch / _RECORD).exists() and not all(draft.exists() for draft in drafts.values()):
        return "the next command that writes there moves what is left"
    (scratch / _RECORD).unlink(missing_ok=True)
    return "nothing was kept"


def abandon() -> None:
    """Remove the drafts of this process, which is about to end; a set that is decided stays.

    For a thread that ends a program whose other threads are busy: a folder gets another name first,
    so that nobody can decide on a set of which a part is gone.
    """
    for scratch in list(_open):
        gone = scratch.with_name(f"{scratch.name}-gone")
        with suppress(OSError):
            if not (scratch / _RECORD).exists():
                scratch.rename(gone)
                shutil.rmtree(gone, ignore_errors=True)


def settle(folder: PathText) -> None:
    """Finish what killed writers left in a folder: move a decided set, remove anything else."""
    folder = Path(folder)
    try:
        leftovers = [entry for entry in folder.iterdir() if entry.name.startswith(SCRATCH)]
    except OSError:
        return
    if not leftovers:
        return
    with hold(folder):
        for scratch in leftovers:
            if scratch.is_dir() and not is_held(scratch / _LOCK):
                _settle_one(folder, scratch)


def write_text(path: PathText, content: str) -> None:
    """Write a text file, whole or not at all."""
    with atomic_path(path) as part:
        part.write_text(content, "utf-8", newline="\n")


def _commit(
    folder: Path,
    scratch: Path,
    paths: Mapping[str, Path],
    private: Collection[str],
    outdated: Iterable[Path],
) -> dict[str, Any]:
    """The one step that decides: before it the old set stands, after it the new one.

    What is to be done is told in names below the folder: they hold when the folder itself moves.
    """
    record = {
        "moves": [
            (f"{n}/{path.name}", path.relative_to(folder).as_posix(), name in private)
            for n, (name, path) in enumerate(paths.items())
        ],
        "removes": [path.relative_to(folder).as_posix() for path in outdated],
    }
    draft = scratch / f"{_RECORD}.part"
    draft.write_text(json.dumps(record), "utf-8")
    _sync(draft)
    os.replace(draft, scratch / _RECORD)
    _sync(scratch)
    return record


def _carry_out(folder: Path, scratch: Path, record: Mapping[str, Any]) -> None:
    """Do what is recorded; whatever was done before a crash is not done again."""
    for source, target, private in record["moves"]:
        draft, path = scratch / source, folder / target
        if not draft.exists():
            continue
        if not path.parent.is_dir():
            path.parent.mkdir(mode=0o700 if private else 0o777)
        if path.is_dir():  # a Spark release is a folder of files
            shutil.rmtree(path)
        os.replace(draft, path)
    for name in record["removes"]:
        (folder / name).unlink(missing_ok=True)
    _sync(folder)
    (scratch / _RECORD).unlink()  # last: until here the next command would do it all again
    shutil.rmtree(scratch, ignore_errors=True)


def _settle_one(folder: Path, scratch: Path) -> None:
    try:
        record = json.loads((scratch / _RECORD).read_text("utf-8"))
    except (OSError, ValueError):
        shutil.rmtree(scratch, ignore_errors=True)
        return
    _refuse_strange(folder, scratch, record)
    try:
        _carry_out(folder, scratch, record)
    except OSError as error:
        raise TableError(
            f"files of a set that was cut short wait in {scratch.name!r} and cannot be moved: "
            f"{error.strerror}. Mend the folder's permissions and run the command again."
        ) from None


def _refuse_strange(folder: Path, scratch: Path, record: Any) -> None:
    """Raise for a record that no writer made here: it may have come with files of others.

    Whoever unpacks somebody's folder and lists it must not move or remove files elsewhere.
    """
    try:
        inside = all(
            _is_below(scratch, source) and _is_below(folder, target)
            for source, target, _ in record["moves"]
        ) and all(_is_below(folder, name) for name in record["removes"])
    except (KeyError, TypeError, ValueError, OSError):
        inside = False
    if not inside:
        raise TableError(
            f"{scratch.name!r} holds a record of moves that Shoal did not write here: it leads out "
            "of its folder, or cannot be read. Nothing was moved. Find out where the folder came "
            f"from, and remove {scratch.name!r}."
        )


def _is_below(folder: Path, name: str) -> bool:
    """Whether a name leads to a place in a folder, links followed up to its last part."""
    path = folder / name
    if Path(name).is_absolute() or path.name in ("", "..") or path == folder:
        return False
    return path.parent.resolve().is_relative_to(folder.resolve())


def _sync(*paths: Path) -> None:
    """See that files and folders outlive a loss of power."""
    for path in paths:
        with suppress(OSError):  # not every system opens folders
            descriptor = os.open(path, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


# -- who is at work in a folder, and what a request to end does while files are moved ------------


@contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Be the only one to settle or move sets of files in a folder; wait for another."""
    if fcntl is None:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def take(path: Path) -> int:
    """Make a lock file and hold it until the descriptor is closed, or its process dies."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    if fcntl is not None:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return descriptor


def is_held(path: Path) -> bool:
    """Whether somebody who lives holds a lock file."""
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        if fcntl is None:
            return time.time() - path.stat().st_mtime < _ABANDONED
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


class _Request:
    """A request to end, which waits while files are moved."""

    asked = waits = False

    def end(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        if not self.waits:
            raise SystemExit(128 + number)


_heard: list[_Request] = []
"""Blocks that hear SIGTERM now, the outermost first: those within share its request."""


@contextmanager
def terminating() -> Iterator[_Request]:
    """Let SIGTERM end the block as Ctrl-C does, so that it cleans up; it can be told to wait.

    Only the main thread of a program that does not handle SIGTERM itself is changed, and only for
    the block.
    """
    is_main = threading.current_thread() is threading.main_thread()
    request = _heard[0] if is_main and _heard else _Request()
    is_ours = is_main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if is_ours:
        signal.signal(signal.SIGTERM, request.end)
        _heard.append(request)
    try:
        yield request
        if request.asked:
            raise SystemExit(128 + signal.SIGTERM)
    finally:
        if is_ours:
            _heard.remove(request)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def is_moving() -> bool:
    """Whether files are being moved, so that an end has to wait."""
    return any(request.waits for request in _heard)


def hears_termination() -> bool:
    """Whether SIGTERM is left to this module: no other part of the program handles it."""
    handler = signal.getsignal(signal.SIGTERM)
    return any(handler == request.end for request in _heard)
