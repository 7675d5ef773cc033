"""The one place that configures numba.

Importing numba takes more than a second, so a kernel is a thin wrapper until it is first called:
``import shoal`` loads no compiler and compiles nothing.
"""

import functools
import hashlib
import os
import sys
import threading
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])

_lock = threading.RLock()
_tell: list[Callable[[], None]] = []  # who wants to know of the next compilation
_hearing = threading.Event()


class _Kernel:
    """A function that compiles itself on its first call."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self._function = cast(types.FunctionType, function)
        self._compiled: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> Any:
        return self.compiled()(*arguments)

    def __reduce__(self) -> str:
        return self._function.__qualname__

    def compiled(self) -> Callable[..., Any]:
        """The numba dispatcher; kernels that this one calls are compiled with it."""
        if self._compiled is None:
            with _lock:
                if self._compiled is None:
                    self._compiled = _compile(self._link(), _digest(self._function))
        return self._compiled

    def _link(self) -> types.FunctionType:
        # numba looks global names up in the function's own globals: give it dispatchers there.
        function = self._function
        scope = dict(function.__globals__)
        for name in _names(function.__code__):
            if isinstance(scope.get(name), _Kernel):
                scope[name] = scope[name].compiled()
        linked = types.FunctionType(
            function.__code__, scope, function.__name__, function.__defaults__, None
        )
        linked.__qualname__ = function.__qualname__
        linked.__module__ = function.__module__
        return linked


def _names(code: types.CodeType) -> set[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names(constant)
    return names


def _compile(function: types.FunctionType, digest: str) -> Callable[..., Any]:
    import numba  # noqa: PLC0415  costs over a second: only when a kernel is called

    _listen()
    if os.environ.get("SHOAL_JIT_CACHE", "1") == "1":
        try:
            with _cache_folder(numba.config, digest):
                return cast(Callable[..., Any], numba.njit(cache=True, nogil=True)(function))
        except (RuntimeError, OSError):  # nowhere to write: containers, read-only installs
            pass
    return cast(Callable[..., Any], numba.njit(nogil=True)(function))


@contextmanager
def _cache_folder(config: Any, digest: str) -> Iterator[None]:
    """Let numba keep what it compiles in a folder of these sources; called under the lock.

    numba looks at the kernel's own file only: a cached kernel outlives changes of the kernels
    that it calls, and an upgrade that moves a type breaks the reading of older caches.
    """
    before = config.CACHE_DIR
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    config.CACHE_DIR = os.path.join(before or os.path.join(home, "shoal", "kernels"), digest)
    try:
        yield
    finally:
        config.CACHE_DIR = before


def _digest(function: types.FunctionType) -> str:
    """Names the sources that a kernel is made of: its own, its callees' and its types'."""
    modules: set[str] = set()
    _add_modules(function, modules)
    content = hashlib.sha256()
    for name in sorted(modules):
        content.update(_source(name))
    return content.hexdigest()[:16]


def _add_modules(function: types.FunctionType, modules: set[str]) -> None:
    modules.add(function.__module__)
    for name in _names(function.__code__):
        value = function.__globals__.get(name)
        home = str(getattr(value, "__module__", None))
        if home.startswith("shoal.") and home not in modules:
            modules.add(home)
            # what a callee's module holds besides, a type or a kernel, may be compiled with it
            for other in vars(sys.modules[home]).values():
                if isinstance(other, _Kernel):
                    _add_modules(other._function, modules)


@functools.cache
def _source(module: str) -> bytes:
    path = getattr(sys.modules.get(module), "__file__", None)
    if path is None or not os.path.exists(path):
        return module.encode()
    with open(path, "rb") as file:
        return file.read()


def kernel(function: F) -> F:
    """Compile on first call, never on import; keep the result on disk when the disk allows it."""
    return cast(F, _Kernel(function))


@contextmanager
def on_compile(tell: Callable[[], None]) -> Iterator[None]:
    """Call `tell` once if a kernel has to be compiled in the block: the first run on a machine."""
    _tell.append(tell)
    try:
        yield
    finally:
        if tell in _tell:
            _tell.remove(tell)


def _listen() -> None:
    """Hear numba compile; what it loads from its cache is not compiled."""
    if not _tell or _hearing.is_set():
        return
    from numba.core import event  # noqa: PLC0415  comes with numba

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            while _tell:
                _tell.pop()()

        def on_end(self, event: Any) -> None:
            pass

    _hearing.set()
    event.register("numba:compile", Listener())


def load_kernels(*kernels: Callable[..., Any]) -> threading.Thread:
    """Load numba and some kernels in the background, while an engine is busy counting."""

    def load() -> None:
        for function in kernels:
            cast(_Kernel, function).compiled()

    thread = threading.Thread(target=load, daemon=True)
    thread.start()
    return thread
