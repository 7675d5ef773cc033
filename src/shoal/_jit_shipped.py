"""Compiled kernels that come with an installation, so that the first run waits for none of them.

Installing the package compiles its kernels (``hatch_build.py``) for processors of any age.  What
was compiled for other versions of the sources, of Python or of numba is passed over, and
whatever is not there is compiled on first use as ever.
"""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from shoal._jit_cache import in_turn

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_kernels")
"""Where an installation has its compiled kernels."""

ANY_PROCESSOR = ("generic", "")
"""What numba calls a processor without features of its own (``NUMBA_CPU_NAME=generic``)."""


def tag() -> str:
    """What compiled code depends on besides the sources: Python, numba and the system."""
    from importlib.metadata import version  # noqa: PLC0415  only where kernels are shipped

    python, system = sys.implementation.cache_tag, sysconfig.get_platform()
    return f"{python}-numba-{version('numba')}-{system}"


@functools.cache
def shipped_folder() -> str | None:
    """The folder with kernels that can run here; None when there is none."""
    if os.environ.get("SHOAL_JIT_SHIPPED", "1") != "1" or not os.path.isdir(FOLDER):
        return None
    path = os.path.join(FOLDER, tag())
    return path if os.path.isdir(path) else None


@contextmanager
def folder_for_now(config: Any) -> Iterator[None]:
    """Let numba keep its files until the process ends: without any, it would load none either."""
    before, config.CACHE_DIR = config.CACHE_DIR, _folder_for_now()
    try:
        yield
    finally:
        config.CACHE_DIR = before


@functools.cache
def _folder_for_now() -> str:
    folder = tempfile.mkdtemp(prefix="shoal-kernels-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def lend(dispatcher: Any, digest: str, folder: str | None) -> None:
    """Let a numba dispatcher load what was shipped when its own cache has nothing."""
    files = _files(dispatcher, digest, folder)
    if files is None:
        return
    own: Callable[..., Any] = dispatcher._cache._cache_file.load

    @functools.wraps(own)
    def load(key: Any) -> Any:
        overload = own(key)
        if overload is None:
            with suppress(Exception):  # whatever is wrong with the file: compile instead
                overload = files.load(_for_any_processor(key))
        return overload

    dispatcher._cache._cache_file.load = load


def ship(dispatcher: Any, digest: str, folder: str | None) -> None:
    """Write what a numba dispatcher compiles into a folder that is to be shipped, too."""
    files = _files(dispatcher, digest, folder)
    if files is None:
        return
    own: Callable[..., Any] = dispatcher._cache._cache_file.save
    os.makedirs(files._cache_path, exist_ok=True)

    @functools.wraps(own)
    def save(key: Any, data: Any) -> Any:
        if key[1][1:] == ANY_PROCESSOR:  # else it might not run elsewhere
            in_turn(files.save, files._cache_path)(key, data)
        return own(key, data)

    dispatcher._cache._cache_file.save = save


def _files(dispatcher: Any, digest: str, folder: str | None) -> Any:
    """Index and code of a kernel in a folder of shipped ones; numba offers no public way."""
    name = getattr(getattr(dispatcher, "_cache", None), "_impl", None)
    if folder is None or name is None:
        return None
    from numba.core.caching import IndexDataCacheFile  # noqa: PLC0415  comes with numba

    return IndexDataCacheFile(os.path.join(folder, digest), name.filename_base, digest)


def _for_any_processor(key: Any) -> Any:
    """The key of a cache entry, with the triple of its machine and any processor instead."""
    signature, machine, sources = key
    return signature, (machine[0], *ANY_PROCESSOR), sources
