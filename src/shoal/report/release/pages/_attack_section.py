"""Pictures for the section on attacks that were carried out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.figures._bars import Bar
from shoal.report.release.facts._linked import ColumnAttack
from shoal.report.release.pages._numbers import percent
from shoal.report.release.pages._template import drawn

if TYPE_CHECKING:
    from markupsafe import Markup


def attack_bars(number: int, attack: ColumnAttack) -> Markup:
    """Right guesses without the release above those with it."""
    return drawn(
        f"attack-{number}-bars",
        f"Right guesses of {attack.column}",
        f"{percent(attack.baseline)} by guessing, {percent(attack.risk)} with the release.",
        [
            Bar("without the release", percent(attack.baseline), (attack.baseline,), past=True),
            Bar("with the release", percent(attack.risk), (attack.risk,)),
        ],
    )
