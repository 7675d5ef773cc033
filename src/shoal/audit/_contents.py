"""Everything that a model object holds, opened piece by piece."""

from __future__ import annotations

import datetime as dt
import re
import sys
import types
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.lib.recfunctions import structured_to_unstructured
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from shoal.audit._boosting import is_boosting
from shoal.audit._foreign import foreign_names, is_of_library
from shoal.audit._insides import inside, inside_of_bits, inside_of_class
from shoal.audit.opened._loose_numbers import loose_numbers
from shoal.audit.opened._options import crowded_options
from shoal.audit.opened._plain_containers import (
    beside_entries,
    hides_attributes,
    is_own_class,
    plain,
    slots_of,
)
from shoal.audit.opened._tree_arrays import Closed

MOST_PIECES = 200_000  # pieces that are opened; a model of more is not read completely
LARGEST_DENSE = 10_000_000  # cells up to which a sparse matrix is compared row by row
LONGEST_NUMBER = 512  # bits; a whole number of more may be a file within the file
LONGEST_TEXT = 1000  # longer ones may list rows
MANY_NUMBERS = 8  # numbers in a text from which on it may list rows
CROWDED = "holds more than an option does: set it to None before you publish the model"
ATOMS = (
    type(None), bool, int, float, complex, str, type, np.generic, np.dtype, np.ufunc, range, slice,
    types.ModuleType, types.BuiltinFunctionType, np.random.RandomState, np.random.Generator,
    Decimal, Fraction, dt.date, dt.time, dt.timedelta,
)  # fmt: skip
_NUMBERS = re.compile(r"(?<![\w.])[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.]*\w)")
_LARGEST = 1e300  # of numbers that are compared
_MANY_ENTRIES = 20  # of an array that nobody expects, from which on it may be rows in disguise
_NO_LISTS = (Mapping, bytes, bytearray, str)
_SINGLE = {type(None), bool, int, float, complex, str, *np.sctypeDict.values()}
"""Types of values that have nothing beside them."""


@dataclass(frozen=True, eq=False)
class Piece:
    """One array of a model, or a piece that could not be opened.

    Parameters
    ----------
    path : str
        Where it is: names of attributes, keys and places.
    array : ndarray or None
        Its values; None where the piece could not be opened.
    why : str
        Why it is None.
    """

    path: str
    array: NDArray[Any] | None
    why: str = "could not be opened"


def open_model(model: Any, known: Collection[str] = ()) -> Iterator[Piece]:
    """Arrays of a model at any depth; lists of plain values and data frames count as arrays.

    Options that hold more than `known` texts and a few numbers are reported.
    """
    todo: list[tuple[str, Any]] = [("", model)]
    seen: dict[int, Any] = {}  # keeps what is made on the way alive, so that ids stay unique
    while todo:
        path, piece = todo.pop()
        if id(piece) in seen:
            continue
        if is_atom(piece):
            yield from _of_atom(path, piece)
            if type(piece) in _SINGLE or isinstance(piece, types.ModuleType):
                continue
        seen[id(piece)] = piece
        if len(seen) > MOST_PIECES:
            yield Piece(path, None)
            return
        if isinstance(piece, Closed) or hides_attributes(piece):
            yield Piece(path, None)
            continue
        yield from (Piece(_join(path, name), None) for name in _hung_on(piece))
        for name in crowded_options(piece, known):
            yield Piece(_join(path, name), None, CROWDED)
        todo += [(_join(path, name), one) for name, one in _beside(piece)]
        if not is_atom(piece):
            yield from _of_object(path, plain(piece), todo)


def is_atom(piece: Any) -> bool:
    """Whether this is a single value, by its type: what it says of its class may be anything."""
    return issubclass(type(piece), ATOMS)


def _of_object(path: str, piece: Any, todo: list[tuple[str, Any]]) -> Iterator[Piece]:
    """What an array, a container or an object holds; what is in it is opened next."""
    array = _as_array(piece)
    if array is not None:
        yield from _of_array(path, array)
        todo += _on_shelf(path, array)
        return
    yield from (Piece(path, rows) for rows in _gathered(piece))
    inner = inside(piece)
    if inner is None:
        yield Piece(path, None)
    else:
        todo += [(_join(path, name), one) for name, one in inner]


def _on_shelf(path: str, array: NDArray[Any]) -> list[tuple[str, Any]]:
    """Objects in an array, which are opened in turn."""
    if array.dtype != object or array.size > MOST_PIECES:
        return []
    own = [one for one in array.ravel().tolist() if not is_atom(one)]
    return [(f"{path}[{index}]", one) for index, one in enumerate(own)]


def _gathered(piece: Any) -> list[NDArray[Any]]:
    """Arrays that are stored in parts."""
    matrices = (_pairs(piece), _stacked(piece), _scalars(piece), loose_numbers(piece))
    return [rows for rows in matrices if rows is not None]


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _of_atom(path: str, piece: Any) -> Iterator[Piece]:
    """A single value, where it may be more than that."""
    if isinstance(piece, str) and piece:
        yield from _of_text(path, piece)
    if isinstance(piece, int) and piece.bit_length() > LONGEST_NUMBER:
        yield Piece(path, None)
    if isinstance(piece, np.dtype) and piece.metadata:
        yield Piece(path, None)
    if isinstance(piece, types.ModuleType) and sys.modules.get(piece.__name__) is not piece:
        yield Piece(path, None)


def _of_array(path: str, array: NDArray[Any]) -> Iterator[Piece]:
    """An array as what it holds: fields as columns, rows that are printed as numbers."""
    if array.dtype.metadata:
        yield Piece(path, None)
    if array.dtype.names:
        try:
            array = structured_to_unstructured(array)
        except (TypeError, ValueError, NotImplementedError):  # fields within fields, objects
            array = np.array(array.tolist(), object)
    elif array.dtype.kind in "VSc" and array.size:
        yield Piece(path, None)
    if array.ndim > 1 and array.size and 1 in array.shape:
        yield Piece(path, array.reshape(-1))
    yield Piece(path, array)
    if array.dtype == object:
        if array.size > MOST_PIECES:
            yield Piece(path, None)
        elif (numbers := loose_numbers(array.ravel().tolist())) is not None:
            yield Piece(path, numbers)
    if array.dtype.kind in "OU" and array.size <= MOST_PIECES:
        yield from _of_texts(path, [one for one in array.ravel().tolist() if isinstance(one, str)])


def _of_texts(path: str, said: list[str]) -> Iterator[Piece]:
    """Rows printed as text, one text for each row."""
    if any(len(one) > LONGEST_TEXT for one in said):
        yield Piece(path, None)
        return
    rows = [numbers for one in said if len(numbers := _NUMBERS.findall(one)) >= 2]
    if rows and len({len(row) for row in rows}) == 1:
        yield Piece(path, np.array(rows, np.float64))


def _hung_on(piece: Any) -> list[str]:
    """Attributes that the object's class does not know and that are more than one short value."""
    return [name for name in foreign_names(piece) if not _is_read(vars(piece)[name])]


def _is_read(value: Any) -> bool:
    if type(value) is np.ndarray:  # compared with the rows like any other array
        return value.dtype.kind in "biuf" and value.size < _MANY_ENTRIES
    if isinstance(value, BaseEstimator):  # opened like the model, and what is hung on it told
        return is_of_library(type(value))
    return type(value) in (type(None), bool, int, float, str)


def _beside(piece: Any) -> list[tuple[str, Any]]:
    """Attributes of a value, an array or a list, and those that its class keeps."""
    if isinstance(piece, type):
        return inside_of_class(piece)
    attributes: list[tuple[str, Any]] = []
    if hasattr(piece, "to_numpy") and getattr(piece, "attrs", None):
        attributes.append(("attrs", piece.attrs))
    if isinstance(piece, np.random.RandomState | np.random.Generator):
        attributes.append(("bits", inside_of_bits(piece)))
    if not is_of_library(type(piece)) and not is_boosting(piece):
        attributes += getattr(piece, "__dict__", {}).items()
        attributes += [(name, getattr(piece, name)) for name in _filled_slots(piece)]
        attributes += inside_of_class(type(piece))
    return attributes + beside_entries(piece)


def _filled_slots(piece: Any) -> list[str]:
    if not is_own_class(type(piece)):
        return []
    return [name for name in slots_of(type(piece)) if hasattr(piece, name)]


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
    if isinstance(piece, Collection) and not isinstance(piece, _NO_LISTS) and len(piece):
        own = list(piece)
        if all(is_atom(one) for one in own):
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
    return _plain(rows) if all(is_atom(one) for row in rows for one in row) else None


def _pairs(piece: Any) -> NDArray[Any] | None:
    """Keys and values of a mapping from one plain value to another, as rows of two."""
    if not isinstance(piece, Mapping) or not piece:
        return None
    own = [(key, value) for key, value in piece.items() if not isinstance(key, str)]
    if not own or not all(is_atom(one) for pair in own for one in pair):
        return None
    return _plain(own)


def _plain(own: list[Any]) -> NDArray[Any] | None:
    try:
        array = np.array(own)
    except ValueError:  # rows of rows of different lengths
        return None
    return array if array.dtype.kind in "biufU" else np.array(own, object)


def _scalars(piece: Any) -> NDArray[Any] | None:
    """Numbers that an object or a mapping has one by one, in their order: a row in parts.

    Of objects of a library only fractions count: whole numbers are its options.
    """
    own = piece if isinstance(piece, Mapping) else getattr(piece, "__dict__", None)
    if not isinstance(own, Mapping):
        return None
    kinds = (int, float, np.floating, np.integer, Decimal)
    plain: list[Any] = [
        v for v in own.values() if issubclass(type(v), kinds) and type(v) is not bool
    ]
    numbers = [float(v) for v in plain if -_LARGEST < v < _LARGEST]
    if own is not piece and is_of_library(type(piece)):
        numbers = [number for number in numbers if not number.is_integer()]
    return np.array(numbers) if len(numbers) >= 3 else None
