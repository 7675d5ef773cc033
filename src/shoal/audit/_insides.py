"""The parts of an object: its attributes, and what a pickle of it would hold."""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from shoal.audit._boosting import (
    BOOSTING,
    CATEGORIES,
    ENDS,
    categories_of,
    ends_of_columns,
    inside_of_boosting,
    is_boosting,
)
from shoal.audit._foreign import (
    LIBRARIES,
    has_library_globals,
    is_library_function,
    is_of_library,
)
from shoal.audit.opened._plain_containers import hides_state, slots_of
from shoal.audit.opened._tree_arrays import (
    CLOSED,
    inside_of_predictor,
    inside_of_tree,
    is_compiled_tree,
    is_predictor,
)

LONGEST_BYTES = 64  # longer ones may be a file within the file
LOSSES = "sklearn._loss"
"""Compiled objects that hold a few options."""
_CODE = (
    types.BuiltinFunctionType, types.MemberDescriptorType,
    types.GetSetDescriptorType, types.MethodDescriptorType, types.WrapperDescriptorType,
    types.ClassMethodDescriptorType,
)  # fmt: skip

_CALLED = (
    types.MethodType, functools.partial, types.FunctionType, classmethod, staticmethod, property,
    types.CodeType,
)  # fmt: skip

Inside = list[tuple[str, Any]]


def inside(piece: Any) -> Inside | None:
    """Names and values of what an object consists of; None where it stays closed."""
    match piece:
        case Mapping():
            more = [("default", piece.default_factory)] if hasattr(piece, "default_factory") else []
            if "tree_info" in piece and isinstance(piece.get(ENDS), Mapping):  # LightGBM's dump
                more.append((ENDS, ends_of_columns(piece[ENDS])))
            if "trees" in piece and "gbtree_model_param" in piece:  # XGBoost's model
                more.append((CATEGORIES, categories_of(piece)))
            return [("keys", list(piece)), *((str(k), v) for k, v in piece.items()), *more]
        case bytes() | bytearray():
            return [] if len(piece) <= LONGEST_BYTES else None
        case _ if isinstance(piece, _CALLED):
            return _of_called(piece)
        case Collection():
            return [(str(index), one) for index, one in enumerate(piece)]
        case _:
            return _of_object(piece)


def _of_called(piece: Any) -> Inside:
    """What is behind something that can be called."""
    match piece:
        case types.MethodType():
            return [("self", piece.__self__), ("function", piece.__func__)]
        case functools.partial():
            return [("func", piece.func), ("args", piece.args), ("keywords", piece.keywords)]
        case types.FunctionType():
            return _of_function(piece)
        case classmethod() | staticmethod():
            return [("function", piece.__func__)]
        case property():
            return [("get", piece.fget), ("set", piece.fset), ("delete", piece.fdel)]
        case types.CodeType():
            return [("constants", [one for one in piece.co_consts if one is not None])]
    return []


def inside_of_class(kind: type) -> Inside:
    """Values that somebody's class keeps beside its methods."""
    written = kind.__flags__ & _WRITTEN_IN_PYTHON and not kind.__flags__ & _CANNOT_BE_CHANGED
    if not written or is_of_library(kind, _KNOWN):
        return []
    own = [(name, one) for name, one in vars(kind).items() if not name.startswith("__")]
    return [(name, one) for name, one in own if not isinstance(one, _CODE)]


_KNOWN = {*LIBRARIES, *BOOSTING, *sys.stdlib_module_names}
_WRITTEN_IN_PYTHON, _CANNOT_BE_CHANGED = 1 << 9, 1 << 8  # flags of types, as CPython has them


def _of_object(piece: Any) -> Inside | None:
    """Attributes, and the state that a file of the object would hold, which compiled ones hide."""
    if type(piece).__module__.startswith(LOSSES) and is_of_library(type(piece)):
        return []
    if is_compiled_tree(piece):
        return inside_of_tree(piece)
    if is_predictor(piece):
        return inside_of_predictor(piece)
    if is_boosting(piece):
        return inside_of_boosting(piece)
    own = {name: getattr(piece, name) for name in slots_of(type(piece)) if hasattr(piece, name)}
    own |= getattr(piece, "__dict__", {})
    if hides_state(piece):
        return None
    try:
        state = piece.__reduce_ex__(2)
    except Exception:  # whatever an object does when it is asked; its attributes are there
        return [*own.items(), ("its state", CLOSED)] if own else None
    if not isinstance(state, str):  # a text is the name of something that is there anyway
        own["its state"] = [_without(part, own) for part in state[1:]]
    return list(own.items())


def _without(part: Any, own: Mapping[str, Any]) -> Any:
    """What a state has beside the attributes that are looked at in any case."""
    if type(part) is not dict:
        return part
    return {name: one for name, one in part.items() if own.get(name) is not one}


def inside_of_bits(piece: Any) -> dict[str, Any]:
    """State and seed of a source of random numbers, which have room for rows."""
    bits = getattr(piece, "_bit_generator", None) or piece.bit_generator
    state = bits.state
    seed = getattr(bits, "seed_seq", None)
    words = state["state"].get("key") if isinstance(state.get("state"), dict) else None
    parts = {"state": state, "entropy": getattr(seed, "entropy", None)}
    if isinstance(words, np.ndarray):  # rows may be there byte by byte
        even = words[: len(words) // 2 * 2]
        with np.errstate(all="ignore"):
            parts |= {kind: even.view(kind).astype(np.float64) for kind in ("f8", "f4", "i8")}
    return parts


def _of_function(function: types.FunctionType) -> Inside:
    """What a function remembers: defaults, enclosed values, constants, globals that it names."""
    if is_library_function(function):
        return []
    at_home = has_library_globals(function)
    cells = [cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell)]
    named = {} if at_home else {n: function.__globals__.get(n) for n in _named(function.__code__)}
    return [
        ("defaults", function.__defaults__),
        ("keyword defaults", function.__kwdefaults__),
        ("attributes", function.__dict__),
        ("annotations", function.__annotations__),
        ("code", function.__code__),
        *((f"enclosed {index}", one) for index, one in enumerate(cells)),
        *named.items(),
    ]


def _named(code: types.CodeType) -> set[str]:
    """Names that a function uses, or a function within it."""
    inner = [one for one in code.co_consts if isinstance(one, types.CodeType)]
    return set(code.co_names).union(*map(_named, inner))


def _is_filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018  reading an empty cell raises
    except ValueError:
        return False
    return True
