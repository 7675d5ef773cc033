"""One condition of a privacy model, as compiled code reads it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.typing import Floats

TOLERANCE = 1e-9
"""Slack on shares, distances and entropies: 1/3 + 1/3 + 1/3 must reach 1 in floating point."""


class Condition(NamedTuple):
    """One condition of a model in the form that the condition kernels read.

    What `level`, `second`, `floats` and `codes` mean is written at each kind in
    ``_condition_kernels.py``.
    """

    kind: int
    column: str
    level: float
    second: float = 0.0
    floats: Floats = np.empty(0)
    codes: NDArray[np.int64] = np.empty(0, np.int64)
