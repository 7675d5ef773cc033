"""Queries, and what they say about the columns: weights, wanted cuts, counts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.errors import ParameterError
from shoal.metrics._queries import Among, Between, CountQuery, QueryCondition
from shoal.schema import Schema
from shoal.schema._text import number


@dataclass(frozen=True)
class Query:
    """What one query reads.  Names are as written in the query.

    Parameters
    ----------
    line : int
        Where it begins in its file.
    selections : tuple of str
        Columns that decide which rows count (WHERE, HAVING, ON).
    features : tuple of str
        Columns that are read or grouped by.
    targets : tuple of str
        Columns that are aggregated.
    conditions : tuple of QueryCondition
        Comparisons of a column with constants.
    is_conjunction : bool
        Whether the conditions, all together, are what the query asks of a row.
    """

    line: int
    selections: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    conditions: tuple[QueryCondition, ...] = ()
    is_conjunction: bool = False


@dataclass(frozen=True)
class Problem:
    """A query that could not be read."""

    line: int
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"line": self.line, "reason": self.reason}


@dataclass(frozen=True)
class Workload:
    """Queries that stand for those that recipients will ask [XR08]_.

    Parameters
    ----------
    queries : tuple of Query
        Those that could be read.
    problems : tuple of Problem
        Those that could not.

    References
    ----------
    .. [XR08] L. Xiong, K. Rangachari.  Towards application-oriented data anonymization.
       SIAM Workshop on Practical Privacy-Preserving Data Mining, 2008.

    Examples
    --------
    >>> from shoal.workload import parse_workload
    >>> schema = Schema({"age": {"role": "quasi-identifier", "kind": "numeric"},
    ...                  "sex": {"role": "quasi-identifier"}})
    >>> asked = parse_workload("SELECT count(*) FROM t WHERE age >= 65;"
    ...                        "SELECT sex, count(*) FROM t WHERE age < 18 GROUP BY sex;")
    >>> asked.weights(schema), asked.cuts(schema)
    ({'age': 0.6666666666666666, 'sex': 0.3333333333333333}, {'age': (18.0, 65.0)})
    """

    queries: tuple[Query, ...]
    problems: tuple[Problem, ...] = ()

    def weights(
        self, schema: Schema, *, selection: float = 1.0, feature: float = 1.0
    ) -> dict[str, float]:
        """Weight of each quasi-identifier: how often queries use it; all sum to 1.

        Parameters
        ----------
        schema : Schema
            Says which columns are quasi-identifiers.
        selection, feature : float
            What one use as a selection, and as a feature or target, counts.
        """
        names = _matcher(schema)
        counts: Counter[str] = Counter()
        for query in self.queries:
            for column in {names.get(_plain(name)) for name in query.selections}:
                counts[column or ""] += selection  # type: ignore[assignment]
            for column in {names.get(_plain(n)) for n in (*query.features, *query.targets)}:
                counts[column or ""] += feature  # type: ignore[assignment]
        used = {name: float(counts[name]) for name in schema.quasi_identifiers if counts[name] > 0}
        total = sum(used.values())
        if not total:
            raise ParameterError(
                f"none of the workload's {len(self.queries)} queries names a quasi-identifier. "
                f"Those are {', '.join(map(repr, schema.quasi_identifiers))}."
            )
        return {name: count / total for name, count in used.items()}

    def cuts(self, schema: Schema) -> dict[str, tuple[float, ...]]:
        """Where queries divide numeric and date columns: least number of each upper part."""
        names = _matcher(schema)
        wanted: dict[str, set[float]] = {}
        for query in self.queries:
            for condition in query.conditions:
                name = names.get(_plain(condition.column))
                if name is None or schema[name].kind not in ("numeric", "date"):
                    continue
                for test in condition.tests:
                    wanted.setdefault(name, set()).update(_edges(test))
        return {name: tuple(sorted(edges)) for name, edges in sorted(wanted.items()) if edges}

    def settings(self, schema: Schema) -> dict[str, Any]:
        """Parameters for :class:`shoal.anonymize.Mondrian`: ``Mondrian(..., **settings)``.

        Cuts go where they lower the loss of the columns that queries use, weighted by how often
        they do.
        """
        scores = {"spread": 0.0, "priority": 0.0, "loss": 1.0}
        return {"weights": self.weights(schema), "cuts": self.cuts(schema), **scores}

    def count_queries(self, schema: Schema) -> tuple[CountQuery, ...]:
        """The queries that ask for rows by conditions on quasi-identifiers alone, joined by AND.

        Others (OR between columns, comparisons of columns, conditions on other columns) say
        something about weights, and are left out here.
        """
        names = _matcher(schema)
        counts = []
        for query in self.queries:
            known = [names.get(_plain(condition.column)) for condition in query.conditions]
            if query.is_conjunction and known and None not in known:
                conditions = [
                    QueryCondition(str(name), condition.tests, condition.negated)
                    for name, condition in zip(known, query.conditions, strict=True)
                ]
                counts.append(CountQuery(tuple(conditions)))
        return tuple(counts)

    def to_dict(self) -> dict[str, Any]:
        """Counts and problems, for JSON."""
        return {
            "queries": len(self.queries),
            "problems": [problem.to_dict() for problem in self.problems],
        }


def _plain(name: str) -> str:
    """SQL forgets case, and has no dashes: MARITAL_STATUS is marital-status."""
    return re.sub(r"\W", "_", name.lower())


def _matcher(schema: Schema) -> Mapping[str, str]:
    return {_plain(name): name for name in schema.quasi_identifiers}


def _edges(test: Among | Between) -> Iterable[float]:
    if isinstance(test, Among):
        numbers = [x for x in map(_as_number, test.values) if x is not None]
        return [edge for x in numbers for edge in (x, float(np.nextafter(x, np.inf)))]
    edges = []
    low, high = _as_number(test.low), _as_number(test.high)
    if low is not None:
        edges.append(low if test.with_low else float(np.nextafter(low, np.inf)))
    if high is not None:
        edges.append(float(np.nextafter(high, np.inf)) if test.with_high else high)
    return edges


def _as_number(value: Any) -> float | None:
    if value is None or isinstance(value, bool):
        return None
    try:
        return float(value) if not isinstance(value, str) else _text_as_number(value)
    except ValueError:
        return None


def _text_as_number(value: str) -> float:
    try:
        return float(value)
    except ValueError:
        return number(np.datetime64(value).astype("datetime64[us]").item())
