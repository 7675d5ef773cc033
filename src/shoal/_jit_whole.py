"""Compile a kernel and all that it calls as one whole.

numba turns every function into machine code that Python could call, optimizes it, puts it into its
callers and optimizes it once more with each of them.  Only the outermost kernel is ever called from
Python, and in it all others are optimized with it: leaving the rest out saves a third of the time.

What comes out is 5 to 10 % slower, since callees are put into their callers before they are
optimized, and it takes private parts of numba.  So it is for those who compile much and compute
little, as tests do (``SHOAL_JIT_WHOLE=1``), and for the versions of numba that it was tried with.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

TRIED_WITH = ("0.68.",)
"""How versions of numba begin that this was tried with."""

_outermost: list[str] = []
"""Names of the kernels that are being compiled for Python; numba compiles under a lock."""


def compile_whole(dispatcher: Any) -> None:
    """Let a kernel that Python calls compile no code of its own for those that it calls."""
    if not _is_wanted(dispatcher):
        return
    plain = dispatcher.compile

    @functools.wraps(plain)
    def compile_whole(signature: Any) -> Any:
        from numba.core.compiler_lock import global_compiler_lock  # noqa: PLC0415  is loaded

        generator = dispatcher.targetctx.codegen()
        name = dispatcher.py_func.__qualname__
        with global_compiler_lock, _parts_of(name, generator), _calls_resolved_once():
            return plain(signature)

    dispatcher.compile = compile_whole


def compile_once(dispatcher: Any) -> None:
    """Let a kernel that others call take a number as a number, whether its value is known or not.

    numba compiles it once more for every constant that a caller writes, and optimizing does as well
    what could be gained by it.
    """
    if not _is_wanted(dispatcher):
        return
    plain = dispatcher.get_call_template

    @functools.wraps(plain)
    def get_call_template(arguments: Any, keywords: Any) -> Any:
        from numba.core.types.misc import unliteral  # noqa: PLC0415  is loaded

        return plain(tuple(map(unliteral, arguments)), keywords)

    dispatcher.get_call_template = get_call_template


def _is_wanted(dispatcher: Any) -> bool:
    if os.environ.get("SHOAL_JIT_WHOLE", "0") == "0":
        return False
    import numba  # noqa: PLC0415  is loaded: it made the dispatcher

    # with NUMBA_DISABLE_JIT it is the function itself
    is_compiled = isinstance(dispatcher, numba.core.dispatcher.Dispatcher)
    return is_compiled and numba.__version__.startswith(TRIED_WITH)


@contextmanager
def _parts_of(name: str, generator: Any) -> Iterator[None]:
    """Make libraries of code that are parts of the outermost kernel and nothing else."""
    before = {key: vars(generator).get(key) for key in ("_library_class", "set_env")}
    generator._library_class = _part_class()
    generator.set_env = _set_where_defined(type(generator).set_env, generator)
    _outermost.append(name)
    try:
        yield
    finally:
        _outermost.pop()
        for key, value in before.items():
            if value is None:
                delattr(generator, key)
            else:
                setattr(generator, key, value)


@contextmanager
def _calls_resolved_once() -> Iterator[None]:
    """Remember what a call of some types gives while a kernel is compiled.

    Whether `a + b` is a sum of whole numbers is asked at every place, of five places in six not
    for the first time, and numba tries all its definitions of `+` each time, twice.
    """
    from numba.core.targetconfig import ConfigStack  # noqa: PLC0415  is loaded
    from numba.core.types import functions  # noqa: PLC0415

    owner: Any = functions.BaseFunction
    plain, settings = owner.get_call_type, ConfigStack.top_or_none
    known: dict[tuple[Any, ...], tuple[Any, ...]] = {}

    @functools.wraps(plain)
    def get_call_type(function: Any, context: Any, arguments: Any, keywords: Any) -> Any:
        flags = settings()
        key = id(function), id(flags), context, tuple(arguments), tuple(keywords.items())
        if key not in known:
            resolved = plain(function, context, arguments, keywords)
            known[key] = resolved, function, flags  # an id lasts as long as what has it
        return known[key][0]

    owner.get_call_type = get_call_type
    try:
        yield
    finally:
        owner.get_call_type = plain


def _set_where_defined(set_env: Callable[..., None], generator: Any) -> Callable[..., None]:
    """Give code its environment only where there is code: a part of a whole has none."""

    def set_where_defined(name: str, environment: Any) -> None:
        if generator._engine.is_symbol_defined(name):
            set_env(generator, name, environment)

    return set_where_defined


@functools.cache
def _part_class() -> type:
    from numba.core.codegen import JITCodeLibrary  # noqa: PLC0415  is loaded when this is needed

    class Part(JITCodeLibrary):
        """Code that becomes machine code as part of its callers, unless it is the outermost."""

        @property
        def _is_outermost(self) -> bool:
            return self.name in _outermost or getattr(self, "_was_outermost", False)

        def _optimize_final_module(self) -> None:
            if self._is_outermost:
                super()._optimize_final_module()

        def _finalize_final_module(self) -> None:
            if self._is_outermost:
                self._was_outermost = True
                super()._finalize_final_module()
                return
            self._finalize_dynamic_globals()
            self._verify_declare_only_symbols()
            self._finalized = True

        def get_pointer_to_function(self, name: str) -> int:
            self._ensure_finalized()
            return super().get_pointer_to_function(name) if self._is_outermost else 0

    return Part
