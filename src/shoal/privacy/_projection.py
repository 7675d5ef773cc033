"""Models that are asked of some of the quasi-identifiers at a time, not of all together.

An attacker who knows a few columns of a person sees the rows that agree on those: a *projection*
of the groups.  Each is a union of groups, so whatever holds of every group and is kept when groups
are joined holds of every projection.  The converse is what makes these models useful: much less is
asked than of all columns at once.

**Monotone.**  When a column is made coarser alike in all rows, the groups of every projection are
joined and none is split; a projection without that column stays as it is.  So where the condition
asked is monotone, what was allowed stays allowed.  That is said of recodings of whole columns: to
recode one group alone takes its rows away from projections that they were counted in.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.privacy._condition import Condition
from shoal.privacy._model import All, PrivacyModel
from shoal.privacy.models._k_anonymity import KAnonymity
from shoal.typing import Codes, Flags, Floats

if TYPE_CHECKING:
    from shoal.tables import FrequencyTable

_DENSE = 1 << 20
"""Combinations up to which numbering by place is cheaper than sorting."""
_FEW = 1 << 12
"""Combinations that may be counted although they do not occur."""


class Projection(NamedTuple):
    """A condition on the rows that agree on some columns, given by their numbers."""

    columns: tuple[int, ...]
    asked: PrivacyModel


class ProjectionModel(PrivacyModel):
    """A condition on groups formed by some of the quasi-identifiers, one or several such sets."""

    #: Groups that agree on the columns are counted together, so leaving some out changes others.
    judges_groups_alone = False
    asks_of_some_columns = True

    @abstractmethod
    def projections(self, names: Sequence[str]) -> list[Projection]:
        """The conditions, each with those of the columns `names` that it is about."""

    @property
    @abstractmethod
    def known(self) -> str:
        """The columns that an attacker is taken to know, in words."""

    @property
    @abstractmethod
    def implied_by(self) -> PrivacyModel:
        """What implies the model when it is asked of all quasi-identifiers together."""

    @property
    def is_monotone(self) -> bool:  # type: ignore[override]
        """Whether what is allowed stays so when whole columns are made coarser."""
        return self.implied_by.is_monotone

    def holds(self, groups: FrequencyTable) -> Flags:
        """Which groups are allowed: all projections that they are in have to be."""
        fine = np.ones(groups.n_groups, np.bool_)
        for columns, asked in self.projections(groups.names):
            projected, of_group = project(groups, columns, asked)
            fine &= asked.holds(projected)[of_group]
        return fine | (groups.sizes == 0)

    def levels(self, groups: FrequencyTable) -> Floats:
        """The worst level of the projections that each group is in."""
        worst = np.minimum if self.larger_is_better else np.maximum
        levels = np.full(groups.n_groups, np.inf if self.larger_is_better else 0.0)
        for columns, asked in self.projections(groups.names):
            projected, of_group = project(groups, columns, asked)
            worst(levels, asked.levels(projected)[of_group], out=levels)
        return levels

    def conditions(self, cells: FrequencyTable) -> list[Condition]:
        """Those of what implies the model."""
        return self.implied_by.conditions(cells)

    def rungs(self, n_rows: int) -> tuple[PrivacyModel, ...]:
        """Ever larger groups over all quasi-identifiers, then what implies the model."""
        last = self.implied_by
        smaller = [KAnonymity(k) for k in range(1, min(last.minimum_size, n_rows) + 1)]
        return tuple(dict.fromkeys([*smaller, last]))


def project(
    groups: FrequencyTable, columns: Sequence[int], asked: PrivacyModel
) -> tuple[FrequencyTable, NDArray[np.int64]]:
    """Groups joined that agree on some columns, and the joined group of each.

    Histograms are left out where sizes are all that is asked for.
    """
    if all(isinstance(part, KAnonymity) for part in asked.parts):
        groups = replace(groups, histograms={})
    return project_columns(groups, columns)


def project_columns(
    groups: FrequencyTable, columns: Sequence[int]
) -> tuple[FrequencyTable, NDArray[np.int64]]:
    """The same, with all histograms."""
    keys = groups.keys[:, list(columns)]
    of_group, n_joined = number_rows(keys.T)
    codings = tuple(groups.codings[column] for column in columns)
    return replace(groups, codings=codings, keys=keys).merge(of_group, n_joined), of_group


def number_rows(
    columns: Sequence[Codes] | Codes, *, gaps: bool = False
) -> tuple[NDArray[np.int64], int]:
    """Number equal rows alike; `columns` are arrays of codes from 0 on.

    With `gaps` some numbers up to the one returned may not occur; not very many.
    """
    n_rows = len(columns[0]) if len(columns) else 0
    packed: NDArray[np.int64] = np.zeros(n_rows, np.int64)
    room = 1
    for codes in columns:
        width = int(codes.max(initial=0)) + 1
        if room * width > _DENSE:  # keep numbers small: what does not occur needs no place
            packed, room = _close_gaps(packed, room)
        packed = packed * width
        packed += codes
        room *= width
    if gaps and room <= max(_FEW, n_rows):
        return packed, room
    return _close_gaps(packed, room)


def _close_gaps(packed: NDArray[np.int64], room: int) -> tuple[NDArray[np.int64], int]:
    if room <= _DENSE:
        occurs = np.zeros(room, np.bool_)
        occurs[packed] = True
        number = np.cumsum(occurs) - 1
        return number[packed], int(occurs.sum())
    distinct, number = np.unique(packed, return_inverse=True)
    return number.reshape(-1).astype(np.int64), len(distinct)


def split_promise(
    privacy: PrivacyModel,
) -> tuple[PrivacyModel | None, tuple[ProjectionModel, ...]]:
    """The condition on all quasi-identifiers together, if any, and those on some of them."""
    models = privacy.models if isinstance(privacy, All) else (privacy,)
    whole = [model for model in models if not isinstance(model, ProjectionModel)]
    projected = tuple(model for model in models if isinstance(model, ProjectionModel))
    return (reduce(and_, whole) if whole else None), projected


def rungs_beside(privacy: PrivacyModel, n_rows: int) -> tuple[PrivacyModel, ...]:
    """Rungs for methods that count projections themselves: those of the other models alone."""
    whole, projected = split_promise(privacy)
    if whole is None or not projected:
        return (privacy,) if projected else privacy.rungs(n_rows)
    rungs = whole.rungs(n_rows)
    if rungs == (whole,):
        return (privacy,)
    return tuple(reduce(and_, projected, rung) for rung in rungs)
