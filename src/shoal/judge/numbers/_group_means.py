"""Columns of means: whether each is the mean of its group, on its grid, and no more than that.

*Lemma.*  A number within half a step of the means of two groups is within half a step of the mean
of both together, which lies between them.  So groups that are written alike may be read as one, and
what was checked of each holds of all of them.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from shoal.errors import GuaranteeError
from shoal.judge._means import Members, count_people, ends_within, source_places
from shoal.judge._text_table import TextColumn
from shoal.judge._values import is_missing, number
from shoal.typing import Codes, Flags, Floats

_CLOSE = 1e-9
_WITHHELD = "It is withheld; please report this defect."


def judge_group_means(
    name: str,
    written: TextColumn,
    own: TextColumn,
    values: Codes,
    members: Members,
    step: Fraction,
) -> None:
    """Raise unless all rows of a group have one number, a multiple of the step, and it is theirs.

    It must lie within half a step of the mean of the group's values in the source, all of which
    are known, and the group must have as many people as the promise asks for.  Where people are
    counted, one row of a person counts and which one is not known here: then the mean lies between
    the least and the largest value of the group, give or take half a step.
    """
    n_groups = int(members.group_of.max(initial=-1)) + 1
    first = np.zeros(n_groups, np.int64)
    first[members.group_of[::-1]] = np.arange(len(members.group_of))[::-1]
    alike = written.codes == written.codes[first][members.group_of]
    told = np.array([_told(text, step) for text in written.texts])[written.codes[first]]
    low, high = (places[values] for places in source_places(own))
    known = ~np.isnan(low)
    few = count_people(members, known, n_groups) < members.smallest
    least, most = ends_within(members, known, low[known], high[known], n_groups)
    absent = np.zeros(n_groups, np.bool_)
    absent[members.group_of[~known]] = True
    fine: Flags = np.isnan(told) | ~(few | absent | ~_near(told, least, most, step))
    fine[members.group_of[~alike]] = False
    if not fine.all():
        raise GuaranteeError(
            f"column {name!r}: {int((~fine).sum())} groups are written with numbers that are not "
            f"their means. {_WITHHELD}"
        )


def _told(text: str | None, step: Fraction) -> float:
    """The number that is written; NaN for none, infinite where it is not on the grid."""
    if text is None or is_missing(text):
        return np.nan
    if (plain := number(text)) is None:
        low = source_places(TextColumn(np.zeros(1, np.int32), (text,)))[0][0]
        return np.inf if np.isnan(low) or low != np.floor(low) else float(low)
    units = round(Fraction(plain) / step)
    return float(plain) if float(units * step) == float(plain) else np.inf


def _near(told: Floats, least: Floats, most: Floats, step: Fraction) -> Flags:
    room = float(step) / 2 + _CLOSE * np.maximum(np.abs(least), np.abs(most)) + _CLOSE
    near: Flags = (told >= least - room) & (told <= most + room)
    return near
