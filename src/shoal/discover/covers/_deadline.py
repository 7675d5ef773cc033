"""Time limits of searches: at the deadline they return what they have."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter

from shoal.errors import ParameterError

TIME_LIMIT = 20.0
"""Seconds that a search takes at most, unless told otherwise."""


@dataclass
class Deadline:
    """A moment after which no new step is begun.

    Parameters
    ----------
    seconds : float or None
        From now on; None for no limit.
    clock : callable
        Tells the time; tests give their own.
    """

    seconds: float | None
    clock: Callable[[], float] = perf_counter
    until: float = field(init=False)

    def __post_init__(self) -> None:
        self.until = math.inf if self.seconds is None else self.clock() + self.seconds

    @property
    def passed(self) -> bool:
        """Whether the time is up."""
        return self.until < math.inf and self.clock() >= self.until

    def share(self, part: float) -> Deadline:
        """An earlier deadline, after `part` of the time that is left."""
        if self.until == math.inf:
            return self
        return Deadline(max(self.until - self.clock(), 0.0) * part, self.clock)


def begin(time_limit: float | Deadline | None) -> Deadline:
    """The deadline of a search that begins now; a deadline is returned as it is.

    Examples
    --------
    >>> begin(None).passed
    False
    """
    if isinstance(time_limit, Deadline):
        return time_limit
    if time_limit is not None and not (
        isinstance(time_limit, int | float) and not isinstance(time_limit, bool) and time_limit > 0
    ):
        raise ParameterError(
            f"time_limit must be a positive number of seconds, or None, got {time_limit!r}."
        )
    return Deadline(None if time_limit is None else float(time_limit))
