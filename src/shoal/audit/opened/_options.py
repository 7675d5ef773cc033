"""Options of a model that hold more than an option does: room for rows in any disguise.

Rows can be hidden as differences, multiples or packed texts, which no comparison finds.  Options
are a few numbers and words, so that many of them are told, whatever they are.
"""

from __future__ import annotations

import types
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from shoal.audit._boosting import is_boosting
from shoal.audit._foreign import foreign_names, is_library_function, is_of_library
from shoal.audit.opened._loose_numbers import numbers_of

MANY_NUMBERS = 20
MANY_LETTERS = 600
LONG_WORD = 64  # letters without a blank between them
WORD = 64  # bits of an ordinary number
SINGLE = (
    "n_features_in_", "n_outputs_", "max_features_", "n_features_", "n_layers_", "n_estimators_",
    "n_trees_per_iteration_", "do_early_stopping_", "out_activation_", "n_clusters_", "n_samples_",
)  # fmt: skip
"""Attributes of scikit-learn that are one number, one word or one for each output."""
_SILENT = (
    type(None), bool, np.bool_, type, np.ufunc, np.dtype, range, slice, types.ModuleType,
    types.BuiltinFunctionType,
)  # fmt: skip


def crowded_options(piece: Any, known: Collection[str] = ()) -> list[str]:
    """Names of options of an estimator that hold many numbers or long texts.

    Texts that are `known`, names of columns and categories of the table, do not count, nor do
    numbers at equal distances or ratios.

    Examples
    --------
    >>> from sklearn.linear_model import RidgeClassifierCV
    >>> crowded_options(RidgeClassifierCV(alphas=np.logspace(-3, 3, 50)))
    []
    >>> crowded_options(RidgeClassifierCV(alphas=np.sin(np.arange(50))))
    ['alphas']
    """
    options = {} if isinstance(piece, type) else _options(piece)
    if not options:
        return []
    width = getattr(piece, "n_features_in_", None)
    width = width if isinstance(width, int) else 0
    return [name for name, one in options.items() if is_crowded(one, known, width)]


def _options(piece: Any) -> dict[str, Any]:
    """Options by name; together those that somebody hung on the object."""
    if is_boosting(piece) and hasattr(piece, "attributes"):
        return {"attributes": piece.attributes()}
    own = getattr(piece, "__dict__", {})
    if is_boosting(piece) and not isinstance(piece, BaseEstimator):
        return {"params": own.get("params")}
    if not isinstance(piece, BaseEstimator) or not (
        is_boosting(piece) or is_of_library(type(piece))
    ):
        return {}
    options = {name: own[name] for name in (*_parameters(type(piece)), *SINGLE) if name in own}
    if hung := {name: own[name] for name in foreign_names(piece)}:
        options["attributes that its class does not know"] = hung
    return options


def _parameters(kind: Any) -> list[str]:
    try:
        return list(kind._get_param_names())
    except Exception:  # a class that says nothing of its options
        return []


@dataclass
class _Tally:
    """What was counted so far."""

    known: Collection[str]
    width: int
    numbers: int = 0
    texts: set[str] = field(default_factory=set)
    seen: dict[int, Any] = field(default_factory=dict)

    @property
    def is_full(self) -> bool:
        if self.numbers >= MANY_NUMBERS or sum(map(len, self.texts)) >= MANY_LETTERS:
            return True
        return any(len(word) > LONG_WORD for one in self.texts for word in one.split())

    def add_numbers(self, numbers: list[float]) -> None:
        if not _is_regular(np.array(numbers, np.float64), self.width):
            self.numbers += len(numbers)


def is_crowded(option: Any, known: Collection[str] = (), width: int = 0) -> bool:
    """Whether there is room for rows in an option."""
    tally = _Tally(known, width)
    todo = [option]
    while todo and not tally.is_full:
        todo += _count(todo.pop(), tally)
    return tally.is_full


def _count(one: Any, tally: _Tally) -> Iterator[Any]:
    """Count a value, and give what is in it."""
    if issubclass(type(one), _SILENT) or id(one) in tally.seen:
        return
    if issubclass(type(one), str):
        tally.texts |= {one} - {*tally.known}
        return
    if issubclass(type(one), int):
        tally.numbers += one.bit_length() // WORD
    if numbers := numbers_of(one):
        tally.add_numbers(numbers)
        return
    tally.seen[id(one)] = one
    if isinstance(one, np.ndarray) and one.dtype.kind in "biuf":
        tally.add_numbers(one.astype(np.float64).ravel().tolist())
    else:
        yield from _inner(one, tally)


def _inner(one: Any, tally: _Tally) -> list[Any]:
    if isinstance(one, Mapping):
        return [list(one), list(one.values())]
    if isinstance(one, BaseEstimator) and (is_boosting(one) or is_of_library(type(one))):
        return []  # has options of its own
    if isinstance(one, bytes | bytearray):
        tally.numbers += len(one) // 8
        return []
    if isinstance(one, types.FunctionType):
        return _of_function(one)
    if isinstance(one, np.random.RandomState | np.random.Generator):
        bits: Any = getattr(one, "_bit_generator", None) or getattr(one, "bit_generator", None)
        return [getattr(getattr(bits, "seed_seq", None), "entropy", None)]
    if hasattr(one, "to_numpy"):
        return [np.asarray(one.to_numpy())]
    own = list(one) if isinstance(one, Collection | np.ndarray) else None
    if own is None:
        tally.numbers += 0 if hasattr(one, "__dict__") else MANY_NUMBERS  # compiled: anything
        return list(getattr(one, "__dict__", {}).values())
    numbers = [number for value in own for number in numbers_of(value)]
    tally.add_numbers(numbers)
    large = [value for value in own if issubclass(type(value), int) and value.bit_length() > WORD]
    return [value for value in own if not numbers_of(value)] + large


def _of_function(function: types.FunctionType) -> list[Any]:
    if is_library_function(function):
        return []
    cells = [cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell)]
    return [
        list(function.__code__.co_consts),
        function.__defaults__,
        function.__kwdefaults__,
        cells,
    ]


def _is_regular(numbers: Any, width: int) -> bool:
    """Whether numbers tell nothing: signs, equal distances or ratios, places of columns."""
    if np.isin(numbers, (-1.0, 0.0, 1.0)).all():
        return True
    steps = np.diff(numbers)
    if not np.isfinite(numbers).all() or len(numbers) < 3:
        return False
    if np.allclose(steps, steps[0], rtol=1e-6, atol=0):
        return True
    whole = bool((numbers == np.round(numbers)).all() and (steps > 0).all())
    if whole and numbers[0] >= 0 and numbers[-1] < width:
        return True
    with np.errstate(all="ignore"):
        ratios = numbers[1:] / numbers[:-1]
    return bool((numbers > 0).all() and np.allclose(ratios, ratios[0], rtol=1e-6, atol=0))


def _is_filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018  reading an empty cell raises
    except ValueError:
        return False
    return True
