"""Models about the values of a sensitive column."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import ParameterError, SchemaError
from shoal.privacy._condition import TOLERANCE, Condition
from shoal.privacy._model import POPULATION, All, PrivacyModel
from shoal.typing import Flags, Floats

if TYPE_CHECKING:
    from shoal.tables import FrequencyTable


class ColumnModel(PrivacyModel):
    """A condition on the values of one sensitive column, or of each of them."""

    column: str | None

    needs_order = False
    """Whether values have to have an order: texts without one are an error."""

    def columns(self, groups: FrequencyTable) -> tuple[str, ...]:
        """Columns that the model speaks of; an error where it would count spellings for values."""
        asked = self._named(groups)
        for name in asked:
            if alike := groups.histograms[name].coding.n_alike:
                raise SchemaError(
                    f"column {name!r}: {alike} of its texts are other spellings of a value "
                    "(spaces, capitals, forms of Unicode, zeros, digits beyond the fifteenth), and "
                    "a condition on values would count each for another. Write every value in one "
                    "way; if they are different values all the same, make the column ordinal and "
                    "list them in its `order`."
                )
        return asked

    def _named(self, groups: FrequencyTable) -> tuple[str, ...]:
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
        """One condition per column."""
        return [self.column_condition(cells, name) for name in self.columns(cells)]

    @abstractmethod
    def column_levels(self, groups: FrequencyTable, column: str) -> Floats:
        """Level of each group in one column."""

    def column_holds(self, groups: FrequencyTable, column: str) -> Flags:
        """Which groups are allowed by one column."""
        levels = self.column_levels(groups, column)
        if self.larger_is_better:
            return levels >= self.required - TOLERANCE
        return levels <= self.required + TOLERANCE

    @abstractmethod
    def column_condition(self, cells: FrequencyTable, column: str) -> Condition:
        """The condition on one column, for the kernels."""

    def _where(self, each: str = "every") -> str:
        return f"{each} sensitive column" if self.column is None else f"column {self.column!r}"


def check_column(model: str, column: object) -> None:
    """Raise unless `column` is a name or None."""
    if column is not None and not isinstance(column, str):
        raise ParameterError(f"{model}: column must be the name of a column, got {column!r}.")
