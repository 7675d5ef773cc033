"""Attributes that somebody hung on a library's object: its own code never names them."""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import Any

LIBRARIES = ("sklearn", "numpy", "scipy", "pandas", "polars", "joblib", "shoal")
"""Packages whose classes are taken to be what they are called."""
MOST_WRAPPED = 5
_SET_FROM_OUTSIDE = {
    "feature_names_in_", "n_features_in_", "n_features_out_", "_sklearn_version",
    "_sklearn_output_config", "_metadata_request", "_skl_output_config",
}  # fmt: skip
"""Names that functions of scikit-learn set on estimators of any class."""


def foreign_names(piece: Any) -> list[str]:
    """Names of attributes that the class of a library's object does not know.

    A library says `self.coef_` somewhere if its objects have that attribute.  What no method names
    was put there by hand, and may be anything.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier(max_depth=3)
    >>> tree.rows = [[31, 2.5], [42, 3.5]]
    >>> foreign_names(tree)
    ['rows']
    """
    own = getattr(piece, "__dict__", None)
    if not is_of_library(type(piece)) or not isinstance(own, dict) or not own:
        return []
    known = _known(type(piece).__mro__)
    return [name for name in own if name not in known and name not in _SET_FROM_OUTSIDE]


def is_of_library(kind: type, packages: Collection[str] = LIBRARIES) -> bool:
    """Whether a class comes from a package that is known.

    A class can say that it is of any module: it has to be found there under its name.
    """
    if str(kind.__module__).partition(".")[0] not in packages:
        return False
    original: Any = sys.modules.get(kind.__module__)
    for name in kind.__qualname__.split("."):
        original = getattr(original, name, None)
    return original is kind


def has_library_globals(function: types.FunctionType) -> bool:
    """Whether a function was written in a module of a library: `__module__` can be anything."""
    home = str(function.__globals__.get("__name__", ""))
    module = sys.modules.get(home)
    if module is None or home.partition(".")[0] not in LIBRARIES:
        return False
    return vars(module) is function.__globals__


def is_library_function(function: types.FunctionType) -> bool:
    """Whether a function is the very one that a library has under its name."""
    home = str(function.__module__)
    if home.partition(".")[0] not in LIBRARIES:
        return False
    original: Any = sys.modules.get(home)
    for name in function.__qualname__.split("."):
        original = getattr(original, name, None)
    original = getattr(original, "__func__", original)
    for _ in range(MOST_WRAPPED):  # what a decorator of the library has wrapped is the library's
        if original is function:
            return True
        original = getattr(original, "__wrapped__", None)
    return False


@lru_cache(maxsize=256)
def _known(kinds: tuple[type, ...]) -> frozenset[str]:
    names: set[str] = set()
    for one in kinds:
        names |= {*vars(one), *getattr(one, "__annotations__", {})}
        for member in vars(one).values():
            for code in _codes(member):
                names |= _names(code)
    return frozenset(names)


def _codes(member: Any) -> Iterator[types.CodeType]:
    """The code of a method, a property, or what a decorator has wrapped."""
    if isinstance(member, property):
        parts = [member.fget, member.fset, member.fdel]
    else:
        parts = [getattr(member, "__func__", member), getattr(member, "fn", None)]
    for part in parts:
        try:
            plain = inspect.unwrap(part) if callable(part) else None
        except ValueError:  # wrapped in itself
            continue
        code = getattr(plain, "__code__", None)
        if isinstance(code, types.CodeType):
            yield code


def _names(code: types.CodeType) -> set[str]:
    names = {*code.co_names, *code.co_varnames}
    for constant in code.co_consts:
        if isinstance(constant, str):
            names.add(constant)  # setattr(self, "coef_", ...)
        elif isinstance(constant, tuple):
            names |= {one for one in constant if isinstance(one, str)}
        elif isinstance(constant, types.CodeType):
            names |= _names(constant)
    return names
