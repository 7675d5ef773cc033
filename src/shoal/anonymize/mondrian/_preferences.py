"""What decides where Mondrian splits a region."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from shoal.tables._frequency import Histogram
from shoal.typing import Flags, Floats


@dataclass(frozen=True, eq=False)
class Preferences:
    """What decides where a region is split.

    Parameters
    ----------
    weight : ndarray of float
        Priority of each column, the largest being 1.
    spread, gain, priority, loss : float
        Weights of the four scores.
    target : Histogram, optional
        The class of each cell's rows, for `gain`.
    cuts : mapping of str to ndarray of bool
        For ordered columns: after which codes a cut is wanted.
    partial, relaxed : bool
        Let small siblings stay together; cut inside equal values.
    """

    weight: Floats
    spread: float = 1.0
    gain: float = 0.0
    priority: float = 1.0
    loss: float = 0.0
    target: Histogram | None = None
    cuts: Mapping[str, Flags] = field(default_factory=dict)
    partial: bool = True
    relaxed: bool = False
