"""The screens there are, in the order of the job."""

from __future__ import annotations

from shoal.studio.screens._attack import ATTACK
from shoal.studio.screens._columns import COLUMNS
from shoal.studio.screens._compare import COMPARE
from shoal.studio.screens._explore import EXPLORE
from shoal.studio.screens._hierarchies import HIERARCHY_SCREEN
from shoal.studio.screens._log import LOG
from shoal.studio.screens._model import MODEL
from shoal.studio.screens._promise import PROMISE
from shoal.studio.screens._screen import Screen
from shoal.studio.screens._table import TABLE
from shoal.studio.screens._together import TOGETHER
from shoal.studio.screens.signing._sign import SIGN

SCREENS: dict[str, Screen] = {
    screen.name: screen
    for screen in (
        TABLE, COLUMNS, HIERARCHY_SCREEN, PROMISE, EXPLORE, COMPARE, ATTACK, SIGN, MODEL,
        TOGETHER, LOG,
    )
}  # fmt: skip
"""Every screen of a project by its name; a new one is a file, a template, its texts and a line."""

STEPS = ("table", "columns", "hierarchies", "promise", "explore", "compare", "attack", "sign")
"""The way from a table to a signed release."""
