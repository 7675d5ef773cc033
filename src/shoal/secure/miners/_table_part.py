"""What one party holds of a joint table: categories as codes, with public names and values."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError

MISSING = -1  # the code of a cell that the other party holds

Query = tuple[tuple[int, ...], Mapping[int, int]]  # columns to tabulate, values that are fixed


@dataclass(frozen=True)
class TablePart:
    """One party's part of a table of categories.

    Parameters
    ----------
    names : sequence of str
        Columns of the joint table, the same for both parties.
    values : sequence of sequence of str
        Public values of each column.
    codes : array of shape (rows, columns)
        Index of each cell's value; -1 where the other party holds the cell.
    split : {"rows", "cells"}
        ``"rows"``: each party holds whole rows of its own.  ``"cells"``: both tables have the same
        rows in the same order and each cell is held by exactly one party; columns split between
        the parties are the common case.

    Examples
    --------
    >>> part = TablePart(["sex", "ill"], [["f", "m"], ["no", "yes"]], np.array([[0, 1], [1, 0]]))
    >>> part.arities, part.column("ill")
    ([2, 2], 1)
    """

    names: Sequence[str]
    values: Sequence[Sequence[str]]
    codes: NDArray[np.int32] = field(repr=False)
    split: Literal["rows", "cells"] = "rows"

    def __post_init__(self) -> None:
        codes = np.asarray(self.codes)
        if self.split not in ("rows", "cells"):
            raise ParameterError(f"split is rows or cells, got {self.split!r}.")
        if len(set(self.names)) != len(self.names) or len(self.names) != len(self.values):
            raise ParameterError("every column needs a name of its own and a list of values.")
        for name, values in zip(self.names, self.values, strict=True):
            if not values or len(set(values)) != len(values):
                raise ParameterError(f"column {name!r}: values must be distinct, at least one.")
        if codes.ndim != 2 or codes.shape[1] != len(self.names) or codes.dtype.kind not in "iu":
            raise ParameterError(
                f"codes must be integers in {len(self.names)} columns, got shape {codes.shape}."
            )
        lowest = 0 if self.split == "rows" else MISSING
        for name, values, column in zip(self.names, self.values, codes.T, strict=True):
            if len(column) and (column.min() < lowest or column.max() >= len(values)):
                raise ParameterError(
                    f"column {name!r}: codes must lie between {lowest} and {len(values) - 1}."
                )
        object.__setattr__(self, "codes", codes.astype(np.int32))

    @property
    def arities(self) -> list[int]:
        """Number of values of each column."""
        return [len(values) for values in self.values]

    def column(self, name: str) -> int:
        """Position of a column."""
        if name not in self.names:
            raise ParameterError(f"no column {name!r}.")
        return list(self.names).index(name)

    def index(self, columns: Sequence[int]) -> NDArray[np.int64]:
        """Cell of the table of these columns that each row falls into."""
        index = np.zeros(len(self.codes), np.int64)
        for column in columns:
            index = index * self.arities[column] + self.codes[:, column]
        return index

    def tabulate(
        self,
        columns: Sequence[int],
        fixed: Mapping[int, int],
        rows: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.uint32]:
        """Count rows, or some of them, by the values of columns, with others fixed.

        All rows are counted, those that do not count as 0: how long it takes, which others may see
        by when this end answers, does not tell how many there are of a kind.
        """
        match = np.ones(len(self.codes), np.bool_) if rows is None else rows.copy()
        for column, value in fixed.items():
            match &= self.codes[:, column] == value
        shape = [self.arities[c] for c in columns]
        cells = np.maximum(self.index(columns), 0)  # below 0 where the other party holds a cell
        counts = np.bincount(cells, match.astype(np.float64), minlength=math.prod(shape))
        return counts.astype(np.uint32).reshape(shape)
