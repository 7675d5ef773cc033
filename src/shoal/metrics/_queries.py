"""How wrong are counts that recipients ask a release for?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shoal.errors import ParameterError
from shoal.schema._coding import Coding
from shoal.schema._text import number, text
from shoal.tables._recoded import Recoded
from shoal.typing import Flags, Floats


@dataclass(frozen=True)
class Among:
    """Values of a list; None stands for missing ones.

    Examples
    --------
    >>> QueryCondition("city", (Among(("Ulm", None)),), negated=True).tests[0].values
    ('Ulm', None)
    """

    values: tuple[Any, ...]

    def matches(self, coding: Coding) -> Flags:
        """Which codes are meant."""
        wanted = {text(value) for value in self.values}
        meant = np.array([value in wanted for value in coding.texts], np.bool_)
        if coding.kind in ("numeric", "date"):  # 30, 30.0 and '30' are one number
            numbers = [_number(value) for value in self.values if value is not None]
            meant |= np.isin(coding.numbers, [x for x in numbers if x is not None])
        return meant


@dataclass(frozen=True)
class Between:
    """Values from `low` to `high`; None leaves a side open.

    Examples
    --------
    >>> Between(low=18, high=65, with_high=False)
    Between(low=18, high=65, with_low=True, with_high=False)
    """

    low: Any = None
    high: Any = None
    with_low: bool = True
    with_high: bool = True

    def matches(self, coding: Coding) -> Flags:
        """Which codes are meant; a missing value lies between nothing."""
        keys, low, high = _keys(coding), self._key(coding, self.low), self._key(coding, self.high)
        inside = ~np.isnan(keys)
        if self.low is not None:
            inside &= keys >= low if self.with_low else keys > low
        if self.high is not None:
            inside &= keys <= high if self.with_high else keys < high
        return inside

    def _key(self, coding: Coding, value: Any) -> float:
        if value is None:
            return np.nan
        if coding.kind in ("numeric", "date"):
            key = _number(value)
            return np.nan if key is None else key
        code = coding.code_of.get(text(value))
        if coding.kind == "ordinal":
            return np.nan if code is None else float(coding.numbers[code])
        texts = sorted(str(t) for t in coding.texts if t is not None)
        return float(np.searchsorted(texts, str(text(value)))) - (code is None) / 2


@dataclass(frozen=True)
class QueryCondition:
    """One column's part of a query: any of some tests, or none of them.

    Missing values meet no condition unless a test names them, as in SQL.

    Examples
    --------
    >>> QueryCondition("age", (Between(high=17), Between(low=65))).column
    'age'
    """

    column: str
    tests: tuple[Among | Between, ...]
    negated: bool = False

    def matches(self, coding: Coding) -> Flags:
        """Which codes are meant."""
        meant = np.zeros(coding.n_codes, np.bool_)
        for test in self.tests:
            meant |= test.matches(coding)
        if not self.negated:
            return meant
        meant = ~meant
        names_missing = any(isinstance(t, Among) and None in t.values for t in self.tests)
        if coding.missing >= 0 and not names_missing:
            meant[coding.missing] = False
        return meant


@dataclass(frozen=True)
class CountQuery:
    """How many rows meet all conditions?

    Examples
    --------
    >>> CountQuery((QueryCondition("city", (Among(("Ulm", "Kiel")),)),)).conditions[0].column
    'city'
    """

    conditions: tuple[QueryCondition, ...]


@dataclass(frozen=True, eq=False)
class QueryErrors:
    """What a release answers to counts, against the truth.

    Parameters
    ----------
    true, estimated : ndarray
        Rows that each query selects in the table, and what the release suggests.
    relative_error : ndarray
        Their difference over the true count, or over `floor` where that is larger.
    precision, recall : ndarray
        Of the rows that a recipient picks for a query, the share that is meant; and of those that
        are meant the share that is picked.  1 when there is nothing to pick or to mean.
    floor : float
        Least denominator of the relative error.
    """

    true: Floats
    estimated: Floats
    relative_error: Floats
    precision: Floats
    recall: Floats
    floor: float = field(default=1.0)

    @property
    def mean_relative_error(self) -> float:
        """Over all queries; 0 without any."""
        return float(self.relative_error.mean()) if len(self.relative_error) else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Means and medians, for JSON."""
        n = len(self.true)
        return {
            "queries": n,
            "floor": self.floor,
            "mean_relative_error": self.mean_relative_error,
            "median_relative_error": float(np.median(self.relative_error)) if n else 0.0,
            "precision": float(self.precision.mean()) if n else 1.0,
            "recall": float(self.recall.mean()) if n else 1.0,
        }


def query_errors(
    recoded: Recoded, queries: Sequence[CountQuery], *, floor: float = 1.0, least_share: float = 0.0
) -> QueryErrors:
    """Answer counts from a release and compare with the table.

    Inside a group rows are taken to be spread evenly over the values that its labels cover.

    Parameters
    ----------
    recoded : Recoded
        The release.
    queries : sequence of CountQuery
        Their conditions speak of quasi-identifiers only.
    floor : float
        Least denominator of the relative error: rare answers are not asked to be exact.
    least_share : float
        For precision and recall: a recipient picks the groups of which more than this share is
        expected to match.  0 picks every group that may hold a matching row.

    Examples
    --------
    >>> from shoal.anonymize import Mondrian
    >>> from shoal.schema import Schema
    >>> people = {
    ...     "age": [21, 22, 34, 35, 61, 62],
    ...     "illness": ["flu", "flu", "cold", "flu", "gout", "cold"],
    ... }
    >>> schema = Schema(
    ...     {
    ...         "age": {"role": "quasi-identifier", "kind": "numeric"},
    ...         "illness": {"role": "sensitive", "target": True},
    ...     }
    ... )
    >>> release = Mondrian(schema, 2, ranges="exact").fit(people).release_
    >>> adults = CountQuery((QueryCondition("age", (Between(low=30, high=35),)),))
    >>> errors = query_errors(release.recoded, [adults])
    >>> errors.true.tolist(), errors.estimated.tolist()
    ([2.0], [2.0])
    """
    if not floor > 0 or not 0 <= least_share < 1:
        raise ParameterError("query_errors: floor must be above 0, least_share from 0 below 1.")
    answers = np.array([_answer(recoded, query, least_share) for query in queries]).reshape(-1, 4)
    true, estimated, picked, right = answers.T
    return QueryErrors(
        true,
        estimated,
        np.abs(estimated - true) / np.maximum(true, floor),
        np.divide(right, picked, out=np.ones(len(true)), where=picked > 0),
        np.divide(right, true, out=np.ones(len(true)), where=true > 0),
        float(floor),
    )


def _answer(
    recoded: Recoded, query: CountQuery, least_share: float
) -> tuple[float, float, float, float]:
    cells, groups = recoded.cells, recoded.groups
    meant = np.ones(cells.n_groups, np.bool_)
    share = np.ones(groups.n_groups)
    for condition in query.conditions:
        if condition.column not in cells.names:
            raise ParameterError(
                f"query: column {condition.column!r} is not a quasi-identifier of the release."
            )
        position = cells.names.index(condition.column)
        meant &= condition.matches(cells.codings[position])[cells.keys[:, position]]
        labels = recoded.labels[position]
        inside = np.append(0, np.cumsum(condition.matches(labels.coding)))
        covered = inside[labels.high + 1] - inside[labels.low]
        share *= (covered / (labels.high - labels.low + 1))[recoded.codes[:, position]]
    rows = np.bincount(
        recoded.group_of[meant & ~recoded.suppressed],
        weights=cells.sizes[meant & ~recoded.suppressed],
        minlength=groups.n_groups,
    )
    picked = share > least_share
    return (
        float(cells.sizes[meant].sum()),
        float((groups.sizes * share).sum()),
        float(groups.sizes[picked].sum()),
        float(rows[picked].sum()),
    )


def _keys(coding: Coding) -> Floats:
    if coding.kind != "categorical":
        return coding.numbers
    texts = sorted(str(t) for t in coding.texts if t is not None)
    rank = {value: float(index) for index, value in enumerate(texts)}
    return np.array([np.nan if t is None else rank[t] for t in coding.texts])


def _number(value: Any) -> float | None:
    try:
        return number(value)
    except (TypeError, ValueError):
        pass
    try:
        return number(np.datetime64(value).astype("datetime64[us]").item())
    except (TypeError, ValueError):
        return None
