"""Everything that a model object holds, opened piece by piece."""

from __future__ import annotations

import functools
import re
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_PIECES = 200_000  # pieces that are opened; a model of more is not read completely
LARGEST_DENSE = 10_000_000  # cells up to which a sparse matrix is compared row by row
LONGEST_BYTES = 64  # longer ones may be a file within the file
LONGEST_TEXT = 1000  # longer ones may list rows
MANY_NUMBERS = 8  # numbers in a text from which on it may list rows
ATOMS = (
    type(None), bool, int, float, complex, str, type, np.generic, np.dtype, np.ufunc, range, slice,
    types.ModuleType, types.BuiltinFunctionType, np.random.RandomState, np.random.Generator,
)  # fmt: skip
READ_BY_ADAPTERS = ("sklearn.tree._tree", "sklearn._loss", "xgboost", "lightgbm")
"""Compiled objects whose arrays adapters read node by node, and libraries with their own files."""
_NUMBERS = re.compile(r"(?<![\w.])[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.]*\w)")
LIBRARIES = ("sklearn", "numpy", "scipy", "pandas", "polars", "joblib", "shoal")


@dataclass(frozen=True, eq=False)
class Piece:
    """One array of a model, or a piece that could not be opened.

    Parameters
    ----------
    path : str
        Where it is: names of attributes, keys and places.
    array : ndarray or None
        Its values; None where the piece could not be opened.
    """

    path: str
    array: NDArray[Any] | None


def open_model(model: Any) -> Iterator[Piece]:
    """Arrays of a model at any depth; lists of plain values and data frames count as arrays."""
    todo: list[tuple[str, Any]] = [("", model)]
    seen: dict[int, Any] = {}  # keeps what is made on the way alive, so that ids stay unique
    while todo:
        path, piece = todo.pop()
        if id(piece) in seen or isinstance(piece, ATOMS):
            if isinstance(piece, str) and piece:
                yield from _of_text(path, piece)
            continue
        seen[id(piece)] = piece
        if len(seen) > MOST_PIECES:
            yield Piece(path, None)
            return
        array = _as_array(piece)
        if array is not None:
            yield Piece(path, array)
            if array.dtype == object and array.size <= MOST_PIECES:
                own = [one for one in array.ravel().tolist() if not isinstance(one, ATOMS)]
                todo += [(f"{path}[{place}]", one) for place, one in enumerate(own)]
            continue
        for rows in (_pairs(piece), _stacked(piece)):
            if rows is not None:
                yield Piece(path, rows)
        inner = _inside(piece)
        if inner is None:
            yield Piece(path, None)
        else:
            todo += [(f"{path}.{name}" if path else name, one) for name, one in inner]


def _as_array(piece: Any) -> NDArray[Any] | None:
    """Arrays, frames, columns, sparse matrices and lists of plain values."""
    if isinstance(piece, np.ndarray):
        return piece
    if hasattr(piece, "toarray") and hasattr(piece, "nnz"):
        small = piece.shape[0] * piece.shape[-1] <= LARGEST_DENSE
        return np.asarray(piece.toarray() if small else piece.data)
    if hasattr(piece, "to_numpy") and not isinstance(piece, type):
        return np.asarray(piece.to_numpy())
    if isinstance(piece, memoryview):
        return np.asarray(piece)
    if isinstance(piece, list | tuple | set | frozenset) and piece:
        own = list(piece)
        if all(isinstance(one, ATOMS) for one in own):
            return _plain(own)
        if all(isinstance(row, list | tuple) and row for row in own):
            return _plain(own) if len({len(row) for row in own}) == 1 else None
    return None


def _of_text(path: str, said: str) -> Iterator[Piece]:
    """A text as it is, and the numbers in it: rows may be printed there."""
    numbers = _NUMBERS.findall(said) if len(said) <= LONGEST_TEXT else []
    if len(said) > LONGEST_TEXT or len(numbers) >= MANY_NUMBERS:
        yield Piece(path, None)
    else:
        yield Piece(path, np.array([said], object))
    if len(numbers) >= 2:
        yield Piece(path, np.array(numbers, np.float64))


def _stacked(piece: Any) -> NDArray[Any] | None:
    """Rows that lie one by one in a list, or behind the names of people, as one array."""
    own = list(piece.values()) if isinstance(piece, Mapping) else piece
    if not isinstance(own, list | tuple) or len(own) < 2:
        return None
    rows = [row.tolist() if isinstance(row, np.ndarray) else row for row in own]
    if not all(isinstance(row, list | tuple) and row for row in rows):
        return None
    if len({len(row) for row in rows}) > 1 or len(rows[0]) < 2:
        return None
    return _plain(rows) if all(isinstance(one, ATOMS) for row in rows for one in row) else None


def _pairs(piece: Any) -> NDArray[Any] | None:
    """Keys and values of a mapping from one plain value to another, as rows of two."""
    if not isinstance(piece, Mapping) or not piece:
        return None
    own = [(key, value) for key, value in piece.items() if not isinstance(key, str)]
    if not own or not all(isinstance(one, ATOMS) for pair in own for one in pair):
        return None
    return _plain(own)


def _plain(own: list[Any]) -> NDArray[Any] | None:
    try:
        found = np.array(own)
    except ValueError:  # rows of rows of different lengths
        return None
    return found if found.dtype.kind in "biufU" else np.array(own, object)


def _inside(piece: Any) -> list[tuple[str, Any]] | None:
    """Names and values of what an object consists of; None where it stays closed."""
    match piece:
        case Mapping():
            return [(str(key), value) for key, value in piece.items()]
        case list() | tuple() | set() | frozenset():
            return [(str(place), one) for place, one in enumerate(piece)]
        case bytes() | bytearray():
            return [] if len(piece) <= LONGEST_BYTES else None
        case types.MethodType():
            return [("self", piece.__self__)]
        case functools.partial():
            return [("func", piece.func), ("args", piece.args), ("keywords", piece.keywords)]
        case types.FunctionType():
            return _of_function(piece)
        case _:
            return _of_object(piece)


def _of_object(piece: Any) -> list[tuple[str, Any]] | None:
    if type(piece).__module__.startswith(READ_BY_ADAPTERS):
        return []
    slots = [name for kind in type(piece).__mro__ for name in getattr(kind, "__slots__", ())]
    own = {name: getattr(piece, name) for name in slots if hasattr(piece, name)}
    own |= getattr(piece, "__dict__", {})
    if own or hasattr(piece, "__dict__"):
        return list(own.items())
    try:
        return [("state", piece.__reduce_ex__(2)[1:])]
    except Exception:  # whatever a foreign object does when it is asked
        return None


def _of_function(function: types.FunctionType) -> list[tuple[str, Any]]:
    """What a function remembers: defaults, enclosed values, and globals that it names."""
    if (function.__module__ or "").split(".")[0] in LIBRARIES:
        return []
    cells = [cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell)]
    named = {name: function.__globals__.get(name) for name in function.__code__.co_names}
    return [
        ("defaults", function.__defaults__),
        ("keyword defaults", function.__kwdefaults__),
        *((f"enclosed {place}", one) for place, one in enumerate(cells)),
        *((name, one) for name, one in named.items() if not isinstance(one, types.FunctionType)),
    ]


def _is_filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018  reading an empty cell raises
    except ValueError:
        return False
    return True
