"""What an attack on a transform achieved, beside what guessing achieves."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import numpy as np

from shoal.typing import Floats

Z95 = 1.959963984540054  # two-sided 95 % point of the normal distribution


@dataclass(frozen=True)
class AttackResult:
    """One attack, its success with a 95 % interval, and the success of an attacker who guesses.

    Parameters
    ----------
    attack : str
        What was attacked and how.
    measure : str
        What `risk` is a share or a chance of.
    risk : float
        Success of the attack.
    low, high : float
        95 % interval of `risk`; where the attacker's luck varies, of single attacks.
    baseline : float
        Success without what the transform publishes.
    trials : int
        Rows, aliases or repetitions behind the interval.
    details : mapping
        Further figures.
    """

    attack: str
    measure: str
    risk: float
    low: float
    high: float
    baseline: float
    trials: int
    details: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "attack": self.attack,
            "measure": self.measure,
            "risk": self.risk,
            "interval": [self.low, self.high],
            "baseline": self.baseline,
            "trials": self.trials,
            "details": dict(self.details),
        }

    def __str__(self) -> str:
        return (
            f"{self.attack}: {self.measure} {self.risk:.3f} "
            f"[{self.low:.3f}, {self.high:.3f}], by guessing {self.baseline:.3f}"
        )


def wilson(successes: float, trials: int) -> tuple[float, float]:
    """95 % interval of a share (Wilson's score interval)."""
    if trials == 0:
        return 0.0, 1.0
    share, square = successes / trials, Z95**2
    centre = (share + square / (2 * trials)) / (1 + square / trials)
    spread = sqrt(share * (1 - share) / trials + square / (4 * trials**2))
    half = Z95 * spread / (1 + square / trials)
    return max(0.0, centre - half), min(1.0, centre + half)


def percentiles(values: Floats) -> tuple[float, float]:
    """95 % interval from repetitions."""
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)
