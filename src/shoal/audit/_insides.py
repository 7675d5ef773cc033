"""What an object consists of: its attributes, and what a file of it would hold."""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Collection, Mapping
from typing import Any

from shoal.audit._boosting import BOOSTING, ENDS, ends_of_columns, inside_of_boosting, is_boosting
from shoal.audit._foreign import LIBRARIES, is_of_library

LONGEST_BYTES = 64  # longer ones may be a file within the file
READ_BY_ADAPTERS = ("sklearn.tree._tree", "sklearn._loss")
"""Compiled objects whose arrays adapters read node by node."""
_CODE = (
    types.FunctionType, types.BuiltinFunctionType, types.MemberDescriptorType,
    types.GetSetDescriptorType, types.MethodDescriptorType, types.WrapperDescriptorType,
    types.ClassMethodDescriptorType, classmethod, staticmethod, property,
)  # fmt: skip

Inside = list[tuple[str, Any]]


def inside(piece: Any) -> Inside | None:
    """Names and values of what an object consists of; None where it stays closed."""
    match piece:
        case Mapping():
            more = [("default", piece.default_factory)] if hasattr(piece, "default_factory") else []
            if "tree_info" in piece and isinstance(piece.get(ENDS), Mapping):  # LightGBM's dump
                more.append((ENDS, ends_of_columns(piece[ENDS])))
            return [("keys", list(piece)), *((str(k), v) for k, v in piece.items()), *more]
        case bytes() | bytearray():
            return [] if len(piece) <= LONGEST_BYTES else None
        case types.MethodType():
            return [("self", piece.__self__)]
        case functools.partial():
            return [("func", piece.func), ("args", piece.args), ("keywords", piece.keywords)]
        case types.FunctionType():
            return _of_function(piece)
        case types.CodeType():
            return [("constants", [one for one in piece.co_consts if one is not None])]
        case Collection():
            return [(str(place), one) for place, one in enumerate(piece)]
        case _:
            return _of_object(piece)


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
    if type(piece).__module__.startswith(READ_BY_ADAPTERS) and is_of_library(type(piece)):
        return []
    if is_boosting(piece):
        return inside_of_boosting(piece)
    slots = [name for kind in type(piece).__mro__ for name in _slots(kind)]
    own = {name: getattr(piece, name) for name in slots if hasattr(piece, name)}
    own |= getattr(piece, "__dict__", {})
    try:
        state = piece.__reduce_ex__(2)
    except Exception:  # whatever a foreign object does when it is asked
        return None
    if not isinstance(state, str):  # a text is the name of something that is there anyway
        own["its state"] = [_without(part, own) for part in state[1:]]
    return list(own.items())


def _without(part: Any, own: Mapping[str, Any]) -> Any:
    """What a state has beside the attributes that are looked at in any case."""
    if type(part) is not dict:
        return part
    return {name: one for name, one in part.items() if own.get(name) is not one}


def _slots(kind: type) -> tuple[str, ...]:
    own = vars(kind).get("__slots__", ())
    return (own,) if isinstance(own, str) else tuple(own)


def _of_function(function: types.FunctionType) -> Inside:
    """What a function remembers: defaults, enclosed values, constants, globals that it names."""
    home = str(function.__globals__.get("__name__", ""))  # `__module__` can be anything
    if home.partition(".")[0] in LIBRARIES:
        return []
    cells = [cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell)]
    named = {name: function.__globals__.get(name) for name in function.__code__.co_names}
    return [
        ("defaults", function.__defaults__),
        ("keyword defaults", function.__kwdefaults__),
        ("attributes", function.__dict__),
        ("annotations", function.__annotations__),
        ("code", function.__code__),
        *((f"enclosed {place}", one) for place, one in enumerate(cells)),
        *((name, one) for name, one in named.items() if not isinstance(one, types.FunctionType)),
    ]


def _is_filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018  reading an empty cell raises
    except ValueError:
        return False
    return True
