"""What a privacy model is: a condition on the groups of a frequency table, reached or not."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from inspect import isabstract
from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from shoal.errors import ParameterError
from shoal.privacy._condition import Condition
from shoal.typing import Flags, Floats

if TYPE_CHECKING:  # loads the engines, and what only names models has no use for them
    from shoal.tables import FrequencyTable
    from shoal.tables._recoded import Recoded

POPULATION = "rows of the population"
"""Name under which the rows of a population are counted beside the sensitive columns."""


class Word(NamedTuple):
    """How a model is asked for on the command line: `text`, then its numbers, with colons between.

    Parameters
    ----------
    text : str
        The word, as in ``--diversity recursive:3:2``.
    parameters : mapping of str to type
        The model's parameters that follow, in order, and how each is read.
    example : str
        Example values, as they are written: ``3:2``.
    optional : int
        How many of the last parameters may be left out.
    """

    text: str
    parameters: Mapping[str, type[int] | type[float]]
    example: str
    optional: int = 0


class PrivacyModel(ABC):
    """A condition that every group of a release has to meet.  Join conditions with ``&``.

    A table given to :meth:`holds`, :meth:`levels` or :meth:`value` is the whole release, without
    its suppressed rows: where a model compares a group with the whole, the whole is that table.
    A group without rows is allowed (nobody is in it) unless the model says otherwise.

    Examples
    --------
    >>> from shoal.privacy import KAnonymity
    >>> stored = KAnonymity(5).to_dict()
    >>> stored
    {'model': 'KAnonymity', 'k': 5}
    >>> PrivacyModel.from_dict(stored)
    KAnonymity(k=5)
    """

    #: How to ask for the model on the command line; None where it cannot be asked for there.
    word: ClassVar[Word | None] = None
    #: What an attacker may still learn, as a sentence for reports.
    leaves_open: ClassVar[str] = ""
    #: Whether two allowed groups joined are always an allowed group (the whole staying the same).
    #: Then a release stays allowed when quasi-identifiers are dropped from it.
    is_monotone: bool = True
    #: Whether a group is judged by its own rows alone, not by comparing them with the whole.
    #: Then a release stays allowed when groups are left out of it.
    judges_groups_alone: bool = True
    #: Whether it is asked of rows that agree on some quasi-identifiers, whatever the others say.
    asks_of_some_columns: bool = False
    #: Whether larger levels are better (the worst group then has the least level).
    larger_is_better: bool = True

    @abstractmethod
    def levels(self, groups: FrequencyTable) -> Floats:
        """What each group reaches, in the unit of the model's main parameter."""

    @abstractmethod
    def holds(self, groups: FrequencyTable) -> Flags:
        """Which groups are allowed."""

    @abstractmethod
    def describe(self) -> str:
        """Say in one sentence what every group has to be."""

    @abstractmethod
    def conditions(self, cells: FrequencyTable) -> list[Condition]:
        """The conditions beyond `minimum_size`, for the kernels; `cells` are the whole table."""

    @property
    @abstractmethod
    def required(self) -> float:
        """Level that every group has to reach."""

    @property
    def minimum_size(self) -> int:
        """No smaller group is ever allowed."""
        return 1

    @property
    def parts(self) -> tuple[PrivacyModel, ...]:
        """The conditions in this model, one parameter each, for reports."""
        return (self,)

    def rungs(self, n_rows: int) -> tuple[PrivacyModel, ...]:
        """Conditions on groups to search with, ever stricter; the last one implies the model.

        A model that judges each group is its own only rung.  One about the whole table cannot be
        asked of a group in the middle of a search: searches climb these instead, and the finished
        release is asked the model itself.  `n_rows` is the number of rows of the table.
        """
        return (self,)

    def value(self, groups: FrequencyTable) -> float:
        """What the worst group reaches; best possible for a table without rows."""
        levels = self.levels(groups)[groups.sizes > 0]
        if self.larger_is_better:
            return float(levels.min(initial=np.inf))
        return float(levels.max(initial=0.0))

    def bind(self, sensitive: Sequence[str]) -> PrivacyModel:
        """The same model with the sensitive columns named, where it left them open."""
        return self

    def prepare(self, cells: FrequencyTable, recoded: Recoded | None = None) -> FrequencyTable:
        """Add to a table what the model needs beside sensitive values (a population).

        Groups that were counted from released rows are given with what they came from, `recoded`.
        """
        return cells

    def __and__(self, other: PrivacyModel) -> All:
        if not isinstance(other, PrivacyModel):
            return NotImplemented
        return All((*_joined(self), *_joined(other)))

    def to_dict(self, *, private: bool = False) -> dict[str, Any]:
        """Name and parameters, for JSON; `private` files, which stay in the house, get them all."""
        data: dict[str, Any] = {"model": type(self).__name__}
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if value is not None:
                data[field.name] = list(value) if isinstance(value, tuple) else value
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> PrivacyModel:
        """Inverse of :meth:`to_dict`, where that keeps nothing back."""
        known = {kind.__name__: kind for kind in _descendants(PrivacyModel)}  # type: ignore[type-abstract]
        name = data.get("model")
        if name not in known:
            raise ParameterError(
                f"unknown privacy model {name!r}. Choose from {', '.join(sorted(known))}."
            )
        kind = known[str(name)]
        parts = {key: value for key, value in data.items() if key != "model"}
        if unknown := sorted(parts.keys() - {f.name for f in fields(kind)}):  # type: ignore[arg-type]
            raise ParameterError(f"{name} has no parameter {unknown[0]!r}.")
        try:
            return kind._from_parts(parts)
        except TypeError:
            raise ParameterError(f"{name}: a parameter is missing.") from None

    @classmethod
    def _from_parts(cls, parts: dict[str, Any]) -> PrivacyModel:
        return cls(**{k: tuple(v) if isinstance(v, list) else v for k, v in parts.items()})


def _descendants(kind: type[PrivacyModel]) -> Iterator[type[PrivacyModel]]:
    for child in kind.__subclasses__():
        if not isabstract(child):
            yield child
        yield from _descendants(child)


@dataclass(frozen=True)
class All(PrivacyModel):
    """Every one of several models; what ``&`` makes.

    Parameters
    ----------
    models : tuple of PrivacyModel
        At least one.

    Examples
    --------
    >>> from shoal.privacy import DistinctDiversity, KAnonymity
    >>> KAnonymity(5) & DistinctDiversity(2)
    All(models=(KAnonymity(k=5), DistinctDiversity(l=2, column=None)))
    """

    models: tuple[PrivacyModel, ...]

    def __post_init__(self) -> None:
        if not self.models:
            raise ParameterError("All needs at least one privacy model.")

    @property
    def parts(self) -> tuple[PrivacyModel, ...]:
        """The parts of the models joined."""
        return tuple(part for model in self.models for part in model.parts)

    @property
    def is_monotone(self) -> bool:  # type: ignore[override]
        """Whether all of them are."""
        return all(model.is_monotone for model in self.models)

    @property
    def judges_groups_alone(self) -> bool:  # type: ignore[override]
        """Whether all of them do."""
        return all(model.judges_groups_alone for model in self.models)

    @property
    def asks_of_some_columns(self) -> bool:  # type: ignore[override]
        """Whether one of them does."""
        return any(model.asks_of_some_columns for model in self.models)

    @property
    def minimum_size(self) -> int:
        """The largest of theirs."""
        return max(model.minimum_size for model in self.models)

    @property
    def required(self) -> float:
        """One: every group has to meet all of them."""
        return 1.0

    def levels(self, groups: FrequencyTable) -> Floats:
        """Share of the models that each group meets."""
        met = [model.holds(groups) for model in self.parts]
        return np.mean(met, axis=0, dtype=np.float64)

    def holds(self, groups: FrequencyTable) -> Flags:
        """Which groups satisfy all of them."""
        return np.logical_and.reduce([model.holds(groups) for model in self.models])

    def describe(self) -> str:
        """Their sentences, joined."""
        return "; ".join(model.describe() for model in self.models)

    def rungs(self, n_rows: int) -> tuple[PrivacyModel, ...]:
        """Theirs side by side; who has no further rung stays on the last."""
        ladders = [model.rungs(n_rows) for model in self.models]
        if max(map(len, ladders)) == 1 and all(
            a == (b,) for a, b in zip(ladders, self.models, strict=True)
        ):
            return (self,)
        n = max(map(len, ladders))
        steps = ([rungs[min(i, len(rungs) - 1)] for rungs in ladders] for i in range(n))
        return tuple(All(tuple(part for one in step for part in _joined(one))) for step in steps)

    def conditions(self, cells: FrequencyTable) -> list[Condition]:
        """The conditions of all of them."""
        return [one for model in self.models for one in model.conditions(cells)]

    def bind(self, sensitive: Sequence[str]) -> PrivacyModel:
        """Bind each of them."""
        bound = [model.bind(sensitive) for model in self.models]
        return All(tuple(part for model in bound for part in _joined(model)))

    def prepare(self, cells: FrequencyTable, recoded: Recoded | None = None) -> FrequencyTable:
        """Add what any of them needs."""
        for model in self.models:
            cells = model.prepare(cells, recoded)
        return cells

    def to_dict(self, *, private: bool = False) -> dict[str, Any]:
        """The models, in order."""
        return {"model": "All", "models": [model.to_dict(private=private) for model in self.models]}

    @classmethod
    def _from_parts(cls, parts: dict[str, Any]) -> PrivacyModel:
        return cls(tuple(PrivacyModel.from_dict(model) for model in parts["models"]))


def _joined(model: PrivacyModel) -> tuple[PrivacyModel, ...]:
    return model.models if isinstance(model, All) else (model,)


@dataclass(frozen=True)
class Level:
    """How far a table goes with one model.

    Parameters
    ----------
    model : dict
        The model, as plain values.
    description : str
        The model, as a sentence.
    required, reached : float
        What the model asks of the worst group, and what the worst group has.
    failing_groups, failing_rows : int
        Groups that are not allowed, and the rows in them.

    Examples
    --------
    >>> from shoal.privacy import KAnonymity
    >>> from shoal.schema import Schema
    >>> from shoal.tables import open_table
    >>> schema = Schema({"city": {"role": "quasi-identifier"}})
    >>> groups = open_table({"city": ["Ulm", "Ulm", "Kiel"]}).compress(schema).cells
    >>> (level,) = check(KAnonymity(2), groups)
    >>> level.required, level.reached, level.failing_rows, level.holds
    (2.0, 1.0, 1, False)
    """

    model: Mapping[str, Any]
    description: str
    required: float
    reached: float
    failing_groups: int
    failing_rows: int

    @property
    def holds(self) -> bool:
        """Whether every group is allowed."""
        return self.failing_groups == 0

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON (infinite levels become None)."""
        return {
            "model": dict(self.model),
            "description": self.description,
            "required": float(self.required) if isfinite(self.required) else None,
            "reached": float(self.reached) if isfinite(self.reached) else None,
            "holds": self.failing_groups == 0,
            "failing_groups": self.failing_groups,
            "failing_rows": self.failing_rows,
        }


def check(model: PrivacyModel, groups: FrequencyTable) -> tuple[Level, ...]:
    """What a table reaches with each part of a model; values of people are not in it."""
    levels = []
    for part in model.parts:
        failing = ~part.holds(groups)
        levels.append(
            Level(
                part.to_dict(),
                part.describe(),
                part.required,
                part.value(groups),
                int(failing.sum()),
                int(groups.sizes[failing].sum()),
            )
        )
    return tuple(levels)
