"""What a privacy model is: a condition on the groups of a frequency table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from math import isfinite
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError, SchemaError
from shoal.tables import FrequencyTable
from shoal.tables._recoded import Recoded
from shoal.typing import Flags, Floats

TOLERANCE = 1e-9
"""Slack on shares, distances and entropies: 1/3 + 1/3 + 1/3 must reach 1 in floating point."""

POPULATION = "rows of the population"
"""Name under which the rows of a population are counted beside the sensitive columns."""


class Condition(NamedTuple):
    """One condition of a model in the form that the rule kernels read.

    What `level`, `second`, `floats` and `codes` mean is written at each kind in
    ``_rule_kernels.py``.
    """

    kind: int
    column: str
    level: float
    second: float = 0.0
    floats: Floats = np.empty(0)
    codes: NDArray[np.int64] = np.empty(0, np.int64)


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
            "required": _finite(self.required),
            "reached": _finite(self.reached),
            "holds": self.holds,
            "failing_groups": self.failing_groups,
            "failing_rows": self.failing_rows,
        }


def _finite(x: float) -> float | None:
    return float(x) if isfinite(x) else None


class PrivacyModel(ABC):
    """A condition that every group of a release has to meet.  Join conditions with ``&``.

    A table given to :meth:`holds`, :meth:`levels` or :meth:`value` is the whole release, without
    its suppressed rows: where a model compares a group with the whole, the whole is that table.
    A group without rows is allowed (nobody is in it) unless the model says otherwise.
    """

    #: Whether two allowed groups joined are always an allowed group (the whole staying the same).
    is_monotone: bool = True
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

    def value(self, groups: FrequencyTable) -> float:
        """What the worst group reaches; best possible for a table without rows."""
        levels = self.levels(groups)[groups.sizes > 0]
        if self.larger_is_better:
            return float(levels.min(initial=np.inf))
        return float(levels.max(initial=0.0))

    def bind(self, sensitive: Sequence[str]) -> PrivacyModel:
        """The same model with the sensitive columns named, where it left them open."""
        return self

    def prepare(self, cells: FrequencyTable) -> FrequencyTable:
        """Add to a table of cells what the model needs beside sensitive values (a population)."""
        return cells

    def prepare_release(self, groups: FrequencyTable, recoded: Recoded) -> FrequencyTable:
        """The same for groups counted from released rows; `recoded` is what they came from."""
        return groups

    def __and__(self, other: PrivacyModel) -> All:
        if not isinstance(other, PrivacyModel):
            return NotImplemented
        return All((*_joined(self), *_joined(other)))

    def to_dict(self) -> dict[str, Any]:
        """Name and parameters, for JSON."""
        data: dict[str, Any] = {"model": type(self).__name__}
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if value is not None:
                data[field.name] = list(value) if isinstance(value, tuple) else value
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> PrivacyModel:
        """Inverse of :meth:`to_dict`."""
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
        if not child.__name__.startswith("_"):
            yield child
        yield from _descendants(child)


@dataclass(frozen=True)
class All(PrivacyModel):
    """Every one of several models; what ``&`` makes.

    Parameters
    ----------
    models : tuple of PrivacyModel
        At least one.
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

    def conditions(self, cells: FrequencyTable) -> list[Condition]:
        """The rules of all of them."""
        return [rule for model in self.models for rule in model.conditions(cells)]

    def bind(self, sensitive: Sequence[str]) -> PrivacyModel:
        """Bind each of them."""
        bound = [model.bind(sensitive) for model in self.models]
        return All(tuple(part for model in bound for part in _joined(model)))

    def prepare(self, cells: FrequencyTable) -> FrequencyTable:
        """Add what any of them needs."""
        for model in self.models:
            cells = model.prepare(cells)
        return cells

    def prepare_release(self, groups: FrequencyTable, recoded: Recoded) -> FrequencyTable:
        """Add what any of them needs."""
        for model in self.models:
            groups = model.prepare_release(groups, recoded)
        return groups

    def to_dict(self) -> dict[str, Any]:
        """The models, in order."""
        return {"model": "All", "models": [model.to_dict() for model in self.models]}

    @classmethod
    def _from_parts(cls, parts: dict[str, Any]) -> PrivacyModel:
        return cls(tuple(PrivacyModel.from_dict(model) for model in parts["models"]))


def _joined(model: PrivacyModel) -> tuple[PrivacyModel, ...]:
    return model.models if isinstance(model, All) else (model,)


def check(model: PrivacyModel, groups: FrequencyTable) -> tuple[Level, ...]:
    """What a table reaches with each part of a model; values of people are not in it."""
    found = []
    for part in model.parts:
        failing = ~part.holds(groups)
        found.append(
            Level(
                part.to_dict(),
                part.describe(),
                part.required,
                part.value(groups),
                int(failing.sum()),
                int(groups.sizes[failing].sum()),
            )
        )
    return tuple(found)


# -- models about the values of a column ------------------------------------------------------


class _ColumnModel(PrivacyModel):
    """A condition on the values of one sensitive column, or of each of them."""

    column: str | None

    def columns(self, groups: FrequencyTable) -> tuple[str, ...]:
        """Columns that the model speaks of."""
        counted = tuple(name for name in groups.histograms if name != POPULATION)
        if self.column is None:
            if not counted:
                raise SchemaError(
                    f"{type(self).__name__} needs a sensitive column, and the table has none. "
                    "Give a column the role sensitive in the schema."
                )
            return counted
        if self.column not in counted:
            raise SchemaError(
                f"{type(self).__name__}: column {self.column!r} is not counted as sensitive. "
                "Give it the role sensitive in the schema, or name another column."
            )
        return (self.column,)

    def bind(self, sensitive: Sequence[str]) -> PrivacyModel:
        """One model per sensitive column, unless the model names its column."""
        if self.column is not None:
            return self
        if not sensitive:
            raise SchemaError(
                f"{type(self).__name__} needs a sensitive column, and the schema has none. "
                "Give a column the role sensitive."
            )
        named = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        bound = [type(self)(**(named | {"column": name})) for name in sensitive]
        return bound[0] if len(bound) == 1 else All(tuple(bound))

    def levels(self, groups: FrequencyTable) -> Floats:
        """Worst level of each group over the columns."""
        levels = [self.column_levels(groups, name) for name in self.columns(groups)]
        worst = np.minimum if self.larger_is_better else np.maximum
        return worst.reduce(levels)

    def holds(self, groups: FrequencyTable) -> Flags:
        """Which groups are allowed."""
        met = [self.column_holds(groups, name) for name in self.columns(groups)]
        return np.logical_and.reduce(met) | (groups.sizes == 0)

    def conditions(self, cells: FrequencyTable) -> list[Condition]:
        """One rule per column."""
        return [self.column_condition(cells, name) for name in self.columns(cells)]

    def column_levels(self, groups: FrequencyTable, column: str) -> Floats:
        """Level of each group in one column."""
        raise NotImplementedError

    def column_holds(self, groups: FrequencyTable, column: str) -> Flags:
        """Which groups are allowed by one column."""
        levels = self.column_levels(groups, column)
        if self.larger_is_better:
            return levels >= self.required - TOLERANCE
        return levels <= self.required + TOLERANCE

    def column_condition(self, cells: FrequencyTable, column: str) -> Condition:
        """The rule for one column."""
        raise NotImplementedError

    def _where(self) -> str:
        return "every sensitive column" if self.column is None else f"column {self.column!r}"


# -- parameters ---------------------------------------------------------------------------------


def check_integer(model: str, name: str, value: object, least: int) -> None:
    """Raise unless `value` is an integer of at least `least`."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ParameterError(
            f"{model}: {name} must be an integer of at least {least}, got {value!r}."
        )


def check_number(
    model: str,
    name: str,
    value: object,
    least: float,
    most: float = np.inf,
    *,
    above: bool = False,
) -> None:
    """Raise unless `value` is a finite number between `least` (above it, if asked) and `most`."""
    right = isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)
    if not right or value < least or value > most or (above and value == least):  # type: ignore[operator]
        lower = f"above {least:g}" if above else f"at least {least:g}"
        upper = "" if most == np.inf else f" and at most {most:g}"
        raise ParameterError(f"{model}: {name} must be {lower}{upper}, got {value!r}.")


def check_column(model: str, column: object) -> None:
    """Raise unless `column` is a name or None."""
    if column is not None and not isinstance(column, str):
        raise ParameterError(f"{model}: column must be the name of a column, got {column!r}.")
