"""How far columns are coarsened so that their combinations fit: as far as needed, and no further.

Step after step the column is raised by a level that saves most bits for the loss it costs; both
follow from how many rows have each value, so no row is looked at.  Then the first of these steps is
sought whose combinations fit.  Coarser columns have fewer combinations, so halving finds it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.anonymize.regions._coarse_columns import floors_of
from shoal.errors import InfeasibleError
from shoal.metrics._measure import label_loss
from shoal.schema._coding import Coding
from shoal.tables._recoded import node_labels
from shoal.typing import Codes, Counts

_LEAST_COST = 1e-9
"""Loss below which a step is taken to cost so much: a step that costs nothing is the first."""


@dataclass(frozen=True)
class Coarsening:
    """Columns that were coarsened before rows were counted.

    Parameters
    ----------
    levels : dict of str to int
        Level of each column that was raised; 0 are its values.
    loss : float
        What that alone loses, on the scale of the release's `loss`.
    most_cells, n_cells : int
        Combinations that were allowed, and that were counted.
    """

    levels: dict[str, int]
    loss: float
    most_cells: int
    n_cells: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for the manifest: many digits would tell how raw values are spread."""
        return {
            "levels": dict(self.levels),
            "loss": float(f"{self.loss:.3g}"),
            "most_cells": self.most_cells,
            "cells": self.n_cells,
        }

    def note(self) -> str:
        """A note for the reader of the release."""
        if not self.levels:
            return f"all {self.n_cells} combinations were searched, as the columns are"
        shown = ", ".join(f"{name!r} to level {level}" for name, level in self.levels.items())
        return (
            f"columns were coarsened before rows were counted ({shown}), so that no more than "
            f"{self.most_cells} combinations are searched; that alone loses {self.loss:.3g}"
        )


Floors = Sequence[Sequence[Codes]]
"""For each column its levels: the node of every leaf."""


def coarsening_steps(
    codings: Sequence[Coding], counts: Sequence[Counts]
) -> tuple[Floors, list[tuple[int, ...]]]:
    """Levels of each column, and which of them stands after each step; the first has all values."""
    floors = [floors_of(coding) for coding in codings]
    bits = [
        [_bits(np.bincount(floor, weights=rows)) for floor in own]
        for own, rows in zip(floors, counts, strict=True)
    ]
    losses = [
        [floor_loss(coding, floor, rows) for floor in own]
        for coding, own, rows in zip(codings, floors, counts, strict=True)
    ]
    levels = [0] * len(codings)
    steps = [tuple(levels)]
    while open_ := [i for i, own in enumerate(floors) if levels[i] + 1 < len(own)]:

        def worth(i: int) -> float:
            saved = bits[i][levels[i]] - bits[i][levels[i] + 1]
            return float(saved / max(losses[i][levels[i] + 1] - losses[i][levels[i]], _LEAST_COST))

        levels[max(open_, key=worth)] += 1
        steps.append(tuple(levels))
    return floors, steps


def first_that_fits(
    n_steps: int, estimate: Callable[[int], int], most: int, names: Sequence[str]
) -> int:
    """Number of the first step with at most `most` combinations; they never rise with steps."""
    if estimate(0) <= most:
        return 0
    low, high = 0, n_steps - 1  # low does not fit
    if (left := estimate(high)) > most:
        shown = ", ".join(map(repr, names))
        raise InfeasibleError(
            f"at most {most} combinations of {shown}",
            required=most,
            achieved=left,
            hint="Raise the limits of columns, leave a column out, or allow more memory "
            "(SHOAL_MEMORY).",
        )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if estimate(middle) <= most else (middle, high)
    return high


def floor_loss(coding: Coding, floor: Codes, rows: Counts) -> float:
    """Mean loss of a row whose value is released as its floor."""
    lost = label_loss(node_labels(coding))[floor]
    return float((lost * rows).sum() / max(1, rows.sum()))


def _bits(rows: np.ndarray) -> float:
    share = rows[rows > 0] / max(1, rows.sum())
    return float(-(share * np.log2(share)).sum())
