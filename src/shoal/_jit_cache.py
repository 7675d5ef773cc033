"""Where compiled kernels are kept: a folder for every set of sources, in the user's cache."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

try:
    import fcntl
except ImportError:  # Windows: no turns are taken there
    fcntl = None  # type: ignore[assignment]

DAYS_UNUSED = 30.0
"""Folders that nobody used for so long are removed."""
MOST_FOLDERS = 300
"""And the longest unused of more than this many; one version of the sources needs about 30."""

_DAY = 86_400.0

WAITING: list[Callable[[], None]] = []
"""Who wants to know when this process waits for another one that compiles."""


@contextmanager
def kernel_folder(config: Any, digest: str) -> Iterator[str]:
    """Let numba keep what it compiles in a folder of these sources; called under a lock.

    numba looks at the kernel's own file only: a cached kernel outlives changes of the kernels
    that it calls, and an upgrade that moves a type breaks the reading of older caches.
    """
    before = config.CACHE_DIR
    root = os.path.join(before, "shoal-kernels") if before else _home()
    config.CACHE_DIR = os.path.join(root, digest)
    try:
        if not _use(config.CACHE_DIR):
            prune(root)
        yield config.CACHE_DIR
    finally:
        config.CACHE_DIR = before


def is_kept(digest: str, name: str, shipped: str | None = None) -> bool:
    """Whether something is kept for a kernel of these sources, told without loading numba.

    `shipped` is a folder of kernels that came with the installation.
    """
    before = os.environ.get("NUMBA_CACHE_DIR")
    roots = [os.path.join(before, "shoal-kernels") if before else _home()]
    if os.environ.get("SHOAL_JIT_CACHE", "1") != "1":
        return False
    roots += [shipped] if shipped else []
    files = (file for root in roots for file in _kept_files(os.path.join(root, digest)))
    return any(f".{name}-" in file for file in files)


@functools.cache
def _kept_files(folder: str) -> frozenset[str]:
    """Names of index files that were there when this process first asked."""
    listings = (files for _, _, files in os.walk(folder))
    return frozenset(file for files in listings for file in files if file.endswith(".nbi"))


def _home() -> str:
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    # what is compiled quickly runs a little slower: a folder of its own, for those who want it
    whole = os.environ.get("SHOAL_JIT_WHOLE", "0") != "0"
    return os.path.join(home, "shoal", "kernels-whole" if whole else "kernels")


def _use(folder: str) -> bool:
    """Make the folder, or note that it is used today; False when it is new."""
    try:
        os.makedirs(folder)
    except FileExistsError:
        if time.time() - os.stat(folder).st_mtime > _DAY:
            os.utime(folder)
        return True
    return False


def prune(root: str) -> None:
    """Remove folders of sources that have changed since: unused for a month, or too many."""
    with os.scandir(root) as entries:
        folders = sorted((-entry.stat().st_mtime, entry.path) for entry in entries)
    oldest = time.time() - DAYS_UNUSED * _DAY
    for rank, (used, path) in enumerate(folders):
        if rank >= MOST_FOLDERS or -used < oldest:
            # who still has it open has loaded its kernels, or compiles them again
            shutil.rmtree(path, ignore_errors=True)


def take_turns(dispatcher: Any, folder: str) -> None:
    """Let processes that compile the same kernel read and write its files one after the other.

    numba replaces each file at one stroke, but an entry is two files, index and machine code:
    two processes that compile a kernel for different types at the same moment could leave an
    index that names the other's code.
    """
    files = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    for name in ("load", "save"):
        if hasattr(files, name):  # numba offers no public way; a test sees it move
            setattr(files, name, in_turn(getattr(files, name), folder))


def compile_in_turn(dispatcher: Any, folder: str) -> None:
    """Let processes that need the same kernel wait for the one that compiles it, and load it."""
    if not hasattr(dispatcher, "_cache"):  # with NUMBA_DISABLE_JIT it is the function itself
        return
    from numba.core.compiler_lock import global_compiler_lock  # noqa: PLC0415  has a dispatcher

    plain_load, plain_compile = dispatcher._cache.load_overload, dispatcher.compile
    file = os.path.join(folder, f"{dispatcher.py_func.__qualname__}.turn")
    turns: list[ExitStack] = []

    def load_or_wait(signature: Any, context: Any) -> Any:
        overload = plain_load(signature, context)
        if overload is None and turns:
            turns[-1].enter_context(_turn(file, WAITING))
            overload = plain_load(signature, context)
        return overload

    def compile_in_turn(signature: Any) -> Any:
        with global_compiler_lock, ExitStack() as turn:
            turns.append(turn)
            try:
                return with_room(plain_compile, signature)
            finally:
                turns.pop()

    dispatcher._cache.load_overload = load_or_wait
    dispatcher.compile = compile_in_turn


def with_room(work: Callable[[Any], Any], argument: Any) -> Any:
    """Work with room on Python's stack for all that it calls.

    Python keeps frames in pieces of 16 kB.  A loop whose calls begin a new piece takes memory from
    the system and gives it back at every turn, a fifth of what compiling some kernels took.  Here a
    new piece begins that is large: as large as this frame, which says that it needs a megabyte and
    touches none of it, and as much again behind it.
    """
    return work(argument)


with_room.__code__ = with_room.__code__.replace(co_stacksize=2**17 + 64)


def in_turn(work: Callable[..., Any], folder: str) -> Callable[..., Any]:
    """The same work, done by one process at a time."""

    @functools.wraps(work)
    def wait_and_work(*arguments: Any) -> Any:
        with _turn(os.path.join(folder, "lock")):
            return work(*arguments)

    return wait_and_work


@contextmanager
def _turn(path: str, waiting: list[Callable[[], None]] | None = None) -> Iterator[None]:
    """Wait until no other process is in here; who is `waiting` is told once that it takes long."""
    with open(path, "a") as file:
        if fcntl is not None:
            with suppress(OSError):  # some network disks know no locks
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    while waiting:
                        waiting.pop()()
                    fcntl.flock(file, fcntl.LOCK_EX)
        yield


def digest_of(modules: Iterable[str], constants: Iterable[str]) -> str:
    """Name for the sources of modules and for the constants in them."""
    content = hashlib.sha256()
    for name in sorted(modules):
        content.update(_source(name))
    for constant in sorted(constants):
        content.update(constant.encode())
    return content.hexdigest()[:16]


def _source(module: str) -> bytes:
    path = getattr(sys.modules[module], "__file__", None)
    if path is None or not os.path.exists(path):
        return module.encode()
    with open(path, "rb") as file:
        return file.read()
