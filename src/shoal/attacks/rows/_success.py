"""An attack's success on people in the table, beside its success on others."""

from __future__ import annotations

from collections.abc import Mapping
from math import hypot
from typing import Any

from shoal.attacks._attack_result import AttackResult
from shoal.metrics._wilson import wilson
from shoal.typing import Flags, Floats


def compare_success(
    attack: str,
    measure: str,
    people: Flags | Floats,
    control: Flags | Floats | None,
    by_luck: float,
    details: Mapping[str, Any],
) -> AttackResult:
    """The result of an attack: success on people, on control rows (the baseline), and the excess.

    What succeeds as often on people who were left out is knowledge about everybody, not about
    those in the table.  ``beyond_control`` is (a - c) / (1 - c) with a and c the two rates, 0 when
    negative; its interval is that of a and c by the propagation of errors.  A chance to succeed
    counts as that fraction of a success; the interval is then wider than necessary.
    """
    rate = float(people.mean())
    low, high = wilson(float(people.sum()), len(people))
    described: dict[str, Any] = {"by_luck": by_luck, **details}
    baseline = by_luck
    if control is not None and len(control):
        baseline = float(control.mean())
        described |= _beyond(
            (rate, low, high), (baseline, *wilson(float(control.sum()), len(control)))
        )
        described["control_trials"] = len(control)
    return AttackResult(attack, measure, rate, low, high, baseline, len(people), described)


def _beyond(
    attack: tuple[float, float, float], control: tuple[float, float, float]
) -> dict[str, Any]:
    rate, other = attack[0], control[0]
    if other >= 1:
        return {"beyond_control": 0.0, "beyond_control_interval": [0.0, 1.0]}
    risk = (rate - other) / (1 - other)
    one, two = (attack[2] - attack[1]) / 2, (control[2] - control[1]) / 2
    error = hypot(one / (1 - other), (rate - 1) / (1 - other) ** 2 * two)
    ends = [min(1.0, max(0.0, end)) for end in (risk - error, risk + error)]
    return {"beyond_control": max(0.0, risk), "beyond_control_interval": ends}
