"""The one place that configures numba.

Importing numba takes more than a second, so a kernel is a thin wrapper until it is first called:
``import shoal`` loads no compiler and compiles nothing.
"""

import functools
import os
import sys
import threading
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from shoal._jit_cache import digest_of, kernel_folder, take_turns

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
                    self._compiled = _compile(self._link(), _digest(self._function.__module__))
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
            with kernel_folder(numba.config, digest) as folder:
                kept: Callable[..., Any] = numba.njit(cache=True, nogil=True)(function)
                take_turns(kept, folder)
                return kept
        except (RuntimeError, OSError):  # nowhere to write: containers, read-only installs
            pass
    return cast(Callable[..., Any], numba.njit(nogil=True)(function))


@functools.cache
def _digest(module: str) -> str:
    """Name of the sources that the kernels of a module are made of."""
    sources, todo = set[str](), [module]
    constants = []
    while todo:
        name = todo.pop()
        if name in sources or name not in sys.modules:
            continue
        sources.add(name)
        for key, value in vars(sys.modules[name]).items():
            # a callee, or a type that a kernel takes: its own module counts as well
            if isinstance(value, _Kernel | type) and value.__module__.startswith("shoal."):
                todo.append(value.__module__)
            elif isinstance(value, int | float | str) and not key.startswith("__"):
                constants.append(f"{name}.{key}={value!r}")  # compiled in, wherever it comes from
    return digest_of(sources, constants)


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
