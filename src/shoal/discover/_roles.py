"""What the data itself says about the role of a column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.discover._attackers import fitting_size
from shoal.discover._results import AttributeSetRisk, Result
from shoal.discover._uniqueness import n_sets, uniqueness
from shoal.discover.sources._open import open_source
from shoal.discover.sources._partition import CodeTable
from shoal.schema._column import Role
from shoal.typing import Native

_ROWS = 50_000
"""Rows that are looked at; hints need no more."""
_LOOKS = 200_000_000
"""Rows times attribute sets that may be looked at: a second or two."""
_NEARLY_ALL = 0.9
_WORTH_NAMING = 0.005


@dataclass(frozen=True)
class RoleHint(Result):
    """A role that the data suggests for a column, and why.

    Parameters
    ----------
    column : str
        The column.
    role : {"identifier", "quasi-identifier", "insensitive"}
        What singling people out says; whether a column is sensitive cannot be seen in the data.
    reason : str
        Why, in counts and shares.
    distinct_ratio : float
        Distinct values per row looked at.
    gain : float
        Largest share of rows that the column makes unique together with up to two others,
        beyond what the others do without it.
    """

    column: str
    role: Role
    reason: str
    distinct_ratio: float
    gain: float


def suggest_roles(
    table: Native, *, columns: Sequence[str] | None = None, random_state: int = 0
) -> tuple[RoleHint, ...]:
    """Suggest a role for each column from how it singles rows out.

    Parameters
    ----------
    table : frame, path or engine
        What to look at; of large tables a sample of rows.
    columns : sequence of str, optional
        Columns to look at; by default all.
    random_state : int
        Source of the sample.

    Returns
    -------
    tuple of RoleHint

    Examples
    --------
    >>> people = {"id": range(40), "sex": [i % 2 for i in range(40)],
    ...           "age": [20 + i // 2 for i in range(40)], "country": ["NO"] * 40}
    >>> for hint in suggest_roles(people):
    ...     print(hint.column, hint.role)
    id identifier
    sex quasi-identifier
    age quasi-identifier
    country insensitive
    """
    source = open_source(table, columns=columns)
    rows = source.sample(_ROWS, np.random.default_rng(random_state))
    alone = {risk.attributes[0]: risk for risk in uniqueness(rows, 1).sets}
    fractional = {name for name in source.names if any(repr(name) in n for n in source.notes)}
    named = [
        name
        for name, risk in alone.items()
        if risk.distinct_ratio >= _NEARLY_ALL and name not in fractional and rows.n_rows > 1
    ]
    others = [name for name in source.names if name not in named]
    gains = _gains(rows, others)
    return tuple(_hint(alone[name], name in named, gains.get(name, 1.0)) for name in source.names)


def _gains(rows: CodeTable, names: Sequence[str]) -> Mapping[str, float]:
    if not names:
        return {}
    size = fitting_size(rows.n_rows, len(names), 3, _LOOKS)
    profile = uniqueness(rows, size, columns=names, max_sets=n_sets(len(names), size))
    share = {frozenset(risk.attributes): risk.unique_share for risk in profile.sets}
    share[frozenset()] = 0.0
    gains = dict.fromkeys(names, 0.0)
    for known, now in share.items():
        for name in known:
            gains[name] = max(gains[name], now - share[known - {name}])
    return gains


def _hint(risk: AttributeSetRisk, is_name: bool, gain: float) -> RoleHint:
    (name,) = risk.attributes
    role: Role
    if is_name:
        role = "identifier"
        reason = f"{risk.distinct_ratio:.1%} of the rows have a value of their own"
    elif risk.separation_ratio == 0:
        role, reason = "insensitive", "the same in every row looked at"
    elif gain >= _WORTH_NAMING:
        role = "quasi-identifier"
        reason = f"makes up to {gain:.1%} of the rows unique, with at most two other columns"
    else:
        role = "insensitive"
        reason = f"makes at most {gain:.1%} of the rows unique, with at most two other columns"
    return RoleHint(name, role, reason, risk.distinct_ratio, gain)
