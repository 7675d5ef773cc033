"""The result of an attack, beside that of guessing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shoal.typing import Floats


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

    Examples
    --------
    >>> found = AttackResult("linking", "share of people guessed", 0.62, 0.57, 0.67, 0.6, 400)
    >>> print(found)
    linking: share of people guessed 0.620 [0.570, 0.670], by guessing 0.600
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


def percentiles(values: Floats) -> tuple[float, float]:
    """95 % interval from repetitions."""
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)
