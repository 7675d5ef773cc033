"""The cuts that a search went through, kept as changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from shoal.typing import Codes

Change = tuple[int, NDArray[np.intp], Codes]  # column, leaves, their new nodes


class CutHistory(Sequence[list[Codes]]):
    """A sequence of cuts.  A cut says as which node each leaf of each column is released.

    Only changes are kept: a search over thousands of values takes thousands of steps, and whole
    cuts would take memory that grows with the square of the number of values.
    """

    def __init__(self, first: Sequence[Codes]) -> None:
        self._first = [nodes.copy() for nodes in first]
        self._last = [nodes.copy() for nodes in first]
        self._changes: list[list[Change]] = []

    def __len__(self) -> int:
        return len(self._changes) + 1

    @overload
    def __getitem__(self, step: int) -> list[Codes]: ...
    @overload
    def __getitem__(self, step: slice) -> list[list[Codes]]: ...
    def __getitem__(self, step: int | slice) -> list[Codes] | list[list[Codes]]:
        """The cut after a step; 0 is the first."""
        if isinstance(step, slice):
            return [self[number] for number in range(*step.indices(len(self)))]
        if not -len(self) <= step < len(self):
            raise IndexError(step)
        cut = [nodes.copy() for nodes in self._first]
        for changes in self._changes[: step % len(self)]:
            for column, leaves, nodes in changes:
                cut[column][leaves] = nodes
        return cut

    def append(self, cut: Sequence[Codes]) -> None:
        """Add the next cut."""
        changes: list[Change] = []
        for column, (before, after) in enumerate(zip(self._last, cut, strict=True)):
            leaves = np.flatnonzero(before != after)
            if len(leaves):
                before[leaves] = after[leaves]
                changes.append((column, leaves, after[leaves]))
        self._changes.append(changes)
