"""The one place that configures numba.

Importing numba takes more than a second, so a kernel is a thin wrapper until it is first called:
``import shoal`` loads no compiler and compiles nothing.

Installing the package compiles the kernels that releases need (:mod:`shoal._jit_shipped`).  Where
that was left out or does not fit, compiling all that a method needs takes up to half a minute.  So
kernels that releases need run as plain Python first where there is little to do, and each is
compiled once it has taken about as long as compiling it would.
"""

from __future__ import annotations

import dis
import functools
import logging
import os
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar, cast

from shoal._jit_cache import (
    WAITING,
    compile_in_turn,
    digest_of,
    is_kept,
    kernel_folder,
    take_turns,
)
from shoal._jit_shipped import folder_for_now, lend, ship, shipped_folder
from shoal._jit_whole import compile_once, compile_whole

F = TypeVar("F", bound=Callable[..., Any])

MOST_ROWS = 3_000
"""Length of arrays up to which a kernel that is not compiled yet may run as plain Python."""
SECONDS = 0.3
"""Processor time in plain Python, for each kernel that is compiled together, after which they are.

Compiling takes 0.7 s for each: who has needed almost half of it will need more.
"""
WEIGHT_OF_ARRAYS = 5.0
"""As how many kernels one counts that works on whole arrays."""
SECONDS_TO_LOAD = 1.0
"""The same for loading numba, which the first compilation waits for besides."""
SECONDS_OF_A_CALL = 1e-4
"""Calls that are shorter on average are not compiled alone: calling would take as long."""

ASKED_EVERY = 16
"""Of so many calls from other plain kernels one is timed, and stands for all of them."""

_TRIED = ("shoal.tables.", "shoal.anonymize.", "shoal.privacy.")
"""Kernels that may run as plain Python; what they give is judged before it leaves the house."""

_lock = threading.RLock()
_tell: list[Callable[[], None]] = []  # who wants to know of the next compilation
_hearing = threading.Event()
_tells_itself = threading.Event()  # set where a command says what is to be said
_said: list[str] = []

COMPILING = "First use on this machine: compiling, which may take minutes. It is kept."
WAITS = "Another process compiles what is needed here: waiting until it has. It is kept."


class _Kernel:
    """A function that compiles itself on its first call."""

    def __init__(self, function: Callable[..., Any], weight: float = 1.0) -> None:
        functools.update_wrapper(self, function)
        self._weight = weight
        self._function = cast(types.FunctionType, function)
        self._compiled: Callable[..., Any] | None = None
        self._called: Callable[..., Any] | None = None  # by other kernels alone
        self._seconds, self._calls = 0.0, 0  # as plain Python

    def __call__(self, *arguments: Any) -> Any:
        if self._compiled is None and self._may_interpret() and _rows(arguments) <= MOST_ROWS:
            import numpy as np  # noqa: PLC0415  who calls has it; who asks for help need not

            with np.errstate(all="ignore"):  # whole numbers wrap around, as they do compiled
                return _as_compiled(self._interpret(*arguments))
        return self.compiled()(*arguments)

    def __reduce__(self) -> str:
        return self._function.__qualname__

    def compiled(self) -> Callable[..., Any]:
        """The numba dispatcher; kernels that this one calls are compiled with it."""
        if self._compiled is None:
            with _lock:
                if self._compiled is None:
                    linked = self._link(lambda callee: callee._inner())
                    self._compiled = _compile(linked, _digest(self._function.__module__))
        return self._compiled

    def _inner(self) -> Callable[..., Any]:
        """The dispatcher for kernels that call this one; calling it from Python would crash.

        Taking Python's objects apart is more code than most kernels are, since each argument is
        dozens of arrays: without it, compiling takes a third less.  Callers keep their callees'
        code with their own.
        """
        if self._compiled is not None:
            return self._compiled
        if self._called is None:
            import numba  # noqa: PLC0415  costs over a second: only when a kernel is called

            linked = self._link(lambda callee: callee._inner())
            self._called = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)(linked)
            compile_once(self._called)
        return cast(Callable[..., Any], self._called)

    def _may_interpret(self) -> bool:
        """Whether nothing is compiled for this kernel yet, and it has not taken long so far."""
        if not self._function.__module__.startswith(_TRIED):
            return False
        to_load = 0.0 if "numba" in sys.modules else SECONDS_TO_LOAD
        own = SECONDS * sum(one._weight for one in self._compiled_with) + to_load
        patience = max(own, SECONDS_OF_A_CALL * self._calls)
        if self._seconds > patience or os.environ.get("SHOAL_JIT_INTERPRET", "1") != "1":
            return False
        return not self._was_compiled

    @functools.cached_property
    def _was_compiled(self) -> bool:
        digest = _digest(self._function.__module__)
        return is_kept(digest, self._function.__qualname__, shipped_folder())

    def _interpret(self, *arguments: Any) -> Any:
        started = time.thread_time()
        result = self._plain(*arguments)
        self._seconds += time.thread_time() - started
        self._calls += 1
        return result

    def _inside(self, *arguments: Any) -> Any:
        """Run for another kernel that is plain Python itself."""
        if self._compiled is not None:
            return self._compiled(*arguments)
        self._calls += 1
        if self._calls % ASKED_EVERY:  # asking and timing take as long as a short call
            return self._plain(*arguments)
        if not self._may_interpret():
            return self.compiled()(*arguments)
        started = time.thread_time()
        result = self._plain(*arguments)
        self._seconds += ASKED_EVERY * (time.thread_time() - started)
        return result

    @functools.cached_property
    def _plain(self) -> Callable[..., Any]:
        """The function as it is written; kernels that call no others are called without detour."""
        return self._link(lambda callee: callee._inside if callee._callees else callee._function)

    @functools.cached_property
    def _compiled_with(self) -> set[_Kernel]:
        """The kernel, and all that it calls on the way."""
        return {self}.union(*(callee._compiled_with for callee in self._callees.values()))

    @functools.cached_property
    def _callees(self) -> dict[str, _Kernel]:
        scope, names = self._function.__globals__, _names(self._function.__code__)
        return {name: scope[name] for name in names if isinstance(scope.get(name), _Kernel)}

    def _link(self, linked_callee: Callable[[_Kernel], Any]) -> types.FunctionType:
        """The function with other objects in place of the kernels that it calls.

        Both Python and numba look global names up in the function's own globals.
        """
        function = self._function
        callees = {name: linked_callee(callee) for name, callee in self._callees.items()}
        scope = dict(function.__globals__) | callees
        linked = types.FunctionType(
            function.__code__, scope, function.__name__, function.__defaults__, None
        )
        linked.__qualname__ = function.__qualname__
        linked.__module__ = function.__module__
        return linked


def _rows(arguments: tuple[Any, ...]) -> int:
    """Length of the longest array among arguments and in tuples of them.

    What is called `table` there is looked up, never walked through.
    """
    longest = 0
    names = getattr(arguments, "_fields", ("",) * len(arguments))
    for name, argument in zip(names, arguments, strict=True):
        if isinstance(argument, tuple):
            longest = max(longest, _rows(argument))
        elif name != "table" and (shape := getattr(argument, "shape", ())):
            longest = max(longest, *shape)
    return longest


def _as_compiled(result: Any) -> Any:
    """A result as compiled code gives it: numbers are Python's own."""
    if isinstance(result, tuple):
        parts = map(_as_compiled, result)
        return type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)
    return result.item() if getattr(result, "shape", None) == () else result


def _names(code: types.CodeType) -> set[str]:
    """Global names that a function reads; an attribute of the same name is none of them."""
    names = {step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names(constant)
    return names


def _compile(function: types.FunctionType, digest: str) -> Callable[..., Any]:
    import numba  # noqa: PLC0415  costs over a second: only when a kernel is called

    _listen()
    if os.environ.get("SHOAL_JIT_CACHE", "1") == "1":
        # nowhere to write: containers, read-only installs
        with suppress(RuntimeError, OSError):
            return _with_cache(function, digest, numba)
        if shipped_folder() is not None:
            with suppress(RuntimeError, OSError), folder_for_now(numba.config):
                return _with_cache(function, digest, numba)
    compiled = numba.njit(nogil=True, no_cfunc_wrapper=True)(function)
    compile_whole(compiled)
    return cast(Callable[..., Any], compiled)


def _with_cache(function: types.FunctionType, digest: str, numba: Any) -> Callable[..., Any]:
    with kernel_folder(numba.config, digest) as folder:
        kept: Callable[..., Any] = numba.njit(cache=True, nogil=True, no_cfunc_wrapper=True)(
            function
        )
        compile_whole(kept)
        take_turns(kept, folder)
        lend(kept, digest, shipped_folder())
        ship(kept, digest, os.environ.get("SHOAL_JIT_SHIP"))
        compile_in_turn(kept, folder)
        return kept


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
            # a callee, or named tuples, which kernels take: their own module counts as well
            taken = isinstance(value, type) and issubclass(value, tuple)
            if (taken or isinstance(value, _Kernel)) and value.__module__.startswith("shoal."):
                todo.append(value.__module__)
            elif isinstance(value, int | float | str) and not key.startswith("__"):
                constants.append(f"{name}.{key}={value!r}")  # compiled in, wherever it comes from
    return digest_of(sources, constants)


def kernel(function: F) -> F:
    """Compile on first call, never on import; keep the result on disk when the disk allows it."""
    return cast(F, _Kernel(function))


def array_kernel(function: F) -> F:
    """The same for operations on whole arrays, which numba is slow to compile, and NumPy quick at.

    Sorting alone takes some seconds: such a kernel may run as plain Python for longer.
    """
    return cast(F, _Kernel(function, weight=WEIGHT_OF_ARRAYS))


@contextmanager
def on_compile(tell: Callable[[], None], wait: Callable[[], None] | None = None) -> Iterator[None]:
    """Call `tell` once if a kernel has to be compiled in the block: the first run on a machine.

    And `wait` once if another process compiles it, which this one waits for.
    """
    _tells_itself.set()
    _tell.append(tell)
    if wait is not None:
        WAITING.append(wait)
    try:
        yield
    finally:
        if tell in _tell:
            _tell.remove(tell)
        if wait in WAITING:
            WAITING.remove(wait)


def tell_of_compiling(is_waiting: bool) -> None:
    """Say that another process, which works for this one, compiles or waits for one that does."""
    told = WAITING if is_waiting else _tell
    while told:
        told.pop()()


def _say_once(text: str) -> None:
    """Say something to people who call Shoal from Python, unless a command says it itself."""
    if text not in _said:
        _said.append(text)
        logging.getLogger("shoal").warning(text)


def _listen() -> None:
    """Hear numba compile; what it loads from its cache is not compiled."""
    if _hearing.is_set():
        return
    if not _tells_itself.is_set():
        _tell.append(functools.partial(_say_once, COMPILING))
        WAITING.append(functools.partial(_say_once, WAITS))
    from numba.core import event  # noqa: PLC0415  comes with numba

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            while _tell:
                _tell.pop()()

        def on_end(self, event: Any) -> None:
            pass

    _hearing.set()
    event.register("numba:compile", Listener())


def _fill_registries() -> None:
    """Make numba read what it knows of NumPy, which the first kernel would wait for."""
    if "numba" not in sys.modules:
        return
    with suppress(ImportError, AttributeError):  # numba's own rooms: without them it is as slow
        from numba.core.compiler_lock import global_compiler_lock  # noqa: PLC0415
        from numba.core.registry import cpu_target  # noqa: PLC0415

        with global_compiler_lock:
            cpu_target.typing_context.refresh()
            cpu_target.target_context.refresh()


def load_kernels(*kernels: Callable[..., Any]) -> threading.Thread:
    """Load numba and some kernels in the background, while an engine is busy counting."""

    def load() -> None:
        for function in cast(tuple[_Kernel, ...], kernels):
            if not function._may_interpret():  # then it may never be needed compiled
                function.compiled()
        _fill_registries()

    thread = threading.Thread(target=load, daemon=True)
    thread.start()
    return thread
