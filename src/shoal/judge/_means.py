"""Columns beside ranges: whether ends and means are what the source says, and of whom."""

from __future__ import annotations

import datetime as dt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import GuaranteeError
from shoal.judge._labels import STAR
from shoal.judge._text_table import TextColumn
from shoal.judge._values import is_missing, moments, number
from shoal.typing import Codes, Flags, Floats

_EPOCH, _DAY = dt.datetime(1970, 1, 1), dt.timedelta(days=1)
_CLOSE = 1e-9
RANGE_ENDS = {"_min": -1, "_max": 1, "_mean": 0}
"""How the names of such columns end, and on which side of the value each lies."""

_WITHHELD = "It is withheld; please report this defect."


class Members(NamedTuple):
    """Rows behind a column of means.

    Parameters
    ----------
    group_of : ndarray of int
        Group of each row, by the text of all its labels.
    people : ndarray of int or None
        Person behind each row, where people are counted.
    smallest : int
        People of whom a mean may be told.
    """

    group_of: NDArray[np.int64]
    people: Codes | None
    smallest: int


def judge_means(
    name: str, written: TextColumn, own: TextColumn, values: Codes, members: Members
) -> None:
    """Raise unless all rows of a group have one mean, of enough people, and it is theirs.

    Where people are counted, one row of a person counts and which one is not known here: then the
    mean lies between the least and the largest value of the group.
    """
    n_groups = int(members.group_of.max(initial=-1)) + 1
    told = np.array([np.nan if is_missing(t) else float(t or "nan") for t in written.texts])
    mean = np.full(n_groups, np.nan)
    mean[members.group_of] = told[written.codes]
    same = (mean[members.group_of] == told[written.codes]) | (
        np.isnan(mean[members.group_of]) & np.isnan(told[written.codes])
    )
    low, high = source_places(own)
    known = ~np.isnan(low[values])
    few = count_people(members, known, n_groups) < members.smallest
    within = _is_within(mean, members, known, low[values], high[values])
    wrong = ~np.isnan(mean) & (few | ~within)
    wrong[members.group_of[~same]] = True
    if wrong.any():
        raise GuaranteeError(
            f"column {name!r}: {int(wrong.sum())} groups have means that are not theirs, or of "
            f"fewer people than a group has. {_WITHHELD}"
        )


def count_people(members: Members, known: Flags, n_groups: int) -> NDArray[np.int64]:
    """People of each group whose value is known."""
    group = members.group_of[known]
    if members.people is not None:
        room = int(members.people.max(initial=0)) + 1
        group = np.unique(group * room + members.people[known]) // room
    return np.bincount(group, minlength=n_groups)


def _is_within(mean: Floats, members: Members, known: Flags, low: Floats, high: Floats) -> Flags:
    least, most = ends_within(members, known, low[known], high[known], len(mean))
    room = _CLOSE * np.maximum(np.abs(least), np.abs(most)) + _CLOSE
    room = np.where(np.isfinite(room), room, 0.0)  # beyond all floats, only the same is close
    fine: Flags = (mean >= least - room) & (mean <= most + room)
    return fine


def ends_within(
    members: Members, known: Flags, low: Floats, high: Floats, n_groups: int
) -> tuple[Floats, Floats]:
    """Least and largest mean that each group may have; `low` and `high` are of known values."""
    group = members.group_of[known]
    if members.people is None:
        rows = np.maximum(np.bincount(group, minlength=n_groups), 1)
        least = np.bincount(group, weights=low, minlength=n_groups) / rows
        most = np.bincount(group, weights=high, minlength=n_groups) / rows
    else:
        least, most = np.full(n_groups, np.inf), np.full(n_groups, -np.inf)
        np.minimum.at(least, group, low)
        np.maximum.at(most, group, high)
        unknown = np.bincount(group, minlength=n_groups) == 0
        least[unknown] = most[unknown] = np.nan  # no mean is theirs
    return least, most


def source_places(own: TextColumn) -> tuple[Floats, Floats]:
    """Least and largest number that each text may be; dates count days since 1970."""
    ends = [_ends(text) for text in own.texts]
    return np.array([end[0] for end in ends]), np.array([end[1] for end in ends])


def _ends(text: str | None) -> tuple[float, float]:
    if is_missing(text):
        return np.nan, np.nan
    if (plain := number(text or "")) is not None:
        return float(plain), float(plain)
    days = [(moment - _EPOCH) / _DAY for moment in moments(text or "")]
    return (min(days), max(days)) if days else (np.nan, np.nan)


def end_of_range(name: str) -> tuple[str, str]:
    """The column of the source whose ranges a column speaks of, and which end of them it is."""
    ending = next(ending for ending in RANGE_ENDS if name.endswith(ending))
    return name.removesuffix(ending), ending


def is_on_its_side(order: int, end: str | None, value: str | None) -> bool:
    """Whether an end of a range lies on its side of the value."""
    if order == 0 or is_missing(end) or is_missing(value) or end == STAR:
        return True
    bound, own = number(end or ""), number(value or "")
    if bound is None or own is None:  # days of a date, say
        return True
    if float(own) == float(bound):  # ends are binary numbers
        return True
    return own <= bound if order > 0 else own >= bound
