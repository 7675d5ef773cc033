"""Containers as what they hold: methods of a class of one's own may tell something else."""

from __future__ import annotations

import collections
import types
from typing import Any

import numpy as np

from shoal.audit._boosting import is_boosting
from shoal.audit._foreign import is_of_library

_BUILT_IN: tuple[type, ...] = (list, tuple, set, frozenset, collections.deque)
_OWN_CLASS, _CANNOT_BE_CHANGED = 1 << 9, 1 << 8  # flags of types, as CPython has them
_STATES = ("__reduce_ex__", "__reduce__", "__getstate__")


def plain(piece: Any) -> Any:
    """An array, mapping or list without the methods of its class.

    Examples
    --------
    >>> class Empty(list):
    ...     def __iter__(self):
    ...         return iter(())
    >>> list(Empty([1, 2])), plain(Empty([1, 2]))
    ([], [1, 2])
    """
    kind = type(piece)
    if issubclass(kind, np.ndarray):
        return piece if kind is np.ndarray else np.ndarray.view(piece, np.ndarray)
    if issubclass(kind, dict):
        return piece if kind is dict else dict(dict.items(piece))
    for base in _BUILT_IN:
        if issubclass(kind, base):
            return piece if kind is base else base(base.__iter__(piece))  # type: ignore[attr-defined]
    return piece


def beside_entries(piece: Any) -> list[tuple[str, Any]]:
    """What containers of libraries hold that is no entry: masks, makers of entries."""
    entries: list[tuple[str, Any]] = []
    if isinstance(piece, np.ma.MaskedArray):
        entries += [("mask", np.ma.getmaskarray(piece)), ("fill_value", piece.fill_value)]
    if issubclass(type(piece), collections.defaultdict):
        entries.append(("default", vars(collections.defaultdict)["default_factory"].__get__(piece)))
    return entries


def slots_of(kind: type) -> list[str]:
    """Names of attributes that objects keep without a dictionary."""
    return [name for one in kind.__mro__ for name in _slots(one)]


def _slots(kind: type) -> tuple[str, ...]:
    own = vars(kind).get("__slots__", ())
    names = (own,) if isinstance(own, str) else tuple(own)
    prefix = kind.__name__.lstrip("_")
    hidden = [name.startswith("__") and not name.endswith("__") for name in names]
    return tuple(f"_{prefix}{n}" if h else n for n, h in zip(names, hidden, strict=True))


def is_own_class(kind: type) -> bool:
    """Whether somebody wrote a class in Python that is of no known library."""
    written = kind.__flags__ & _OWN_CLASS and not kind.__flags__ & _CANNOT_BE_CHANGED
    return bool(written) and not is_of_library(kind)


def hides_attributes(piece: Any) -> bool:
    """Whether an object's class decides which of its attributes are seen."""
    own = [one for one in type(piece).__mro__ if is_own_class(one)]
    if is_boosting(piece):
        return False
    for one in own:
        held = vars(one)
        if "__getattribute__" in held or isinstance(held.get("__class__"), property):
            return True
        if not isinstance(held.get("__dict__"), types.GetSetDescriptorType | None):
            return True
    return False


def hides_state(piece: Any) -> bool:
    """Whether an object's class decides what its pickle holds, and one of its bases is compiled."""
    own = [one for one in type(piece).__mro__ if is_own_class(one)]
    compiled = [one for one in type(piece).__mro__ if one not in own and one is not object]
    return bool(compiled) and any(name in vars(one) for one in own for name in _STATES)
