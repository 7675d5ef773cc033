"""A first schema from the data, with the reason for every choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from shoal.discover._ratios import distinct_ratio
from shoal.discover._roles import suggest_roles
from shoal.discover._units import choose_subject
from shoal.discover.columns._coarsen import coarsen
from shoal.discover.columns._decide import decide
from shoal.discover.columns._facts import MOST_DISTINCT, Facts, look
from shoal.discover.columns._odd_values import odd_values
from shoal.discover.sources._open import open_source
from shoal.errors import TableError
from shoal.schema import Column, Schema
from shoal.tables import open_table
from shoal.tables._engine import Engine, OpenOptions
from shoal.tables._open import require_filled
from shoal.typing import Native

_FEW = 20
_ROWS = 10_000
"""Rows in which columns that say the same are looked for, before all rows are counted."""


@dataclass(frozen=True)
class Suggestion:
    """A schema to start from.

    Parameters
    ----------
    schema : Schema
        Roles, kinds and hierarchies.
    reasons : mapping of str to tuple of str
        Why each column is what it is; counts and column names, no values.
    summary : tuple of str
        What the quasi-identifiers do together.
    warned : mapping of str to tuple of str
        What whoever signs the schema should think about before anything is released, by column.
    coarsened : mapping of str to Column
        What each column would be as a quasi-identifier.
    """

    schema: Schema
    reasons: Mapping[str, tuple[str, ...]] = field(repr=False)
    summary: tuple[str, ...]
    warned: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    coarsened: Mapping[str, Column] = field(default_factory=dict, repr=False)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings as sentences; what holds for several columns is said once.

        Examples
        --------
        >>> Suggestion(Schema({"a": {"role": "sensitive"}}), {}, (), {"a": ("odd",)}).warnings
        ("column 'a': odd.",)
        """
        of: dict[str, list[str]] = {}
        for name, sayings in self.warned.items():
            for said in sayings:
                of.setdefault(said, []).append(repr(name))
        return tuple(f"{_listed(names)}: {said}." for said, names in of.items())

    @property
    def header(self) -> tuple[str, ...]:
        """What stands at the top of the schema file."""
        first = (
            "Suggested by `shoal schema`. Read it column by column: only you know what others know."
        )
        return (first, *self.summary, *(f"Warning: {warning}" for warning in self.warnings))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "schema": self.schema.to_dict(),
            "reasons": {name: list(lines) for name, lines in self.reasons.items()},
            "summary": list(self.summary),
            "warnings": list(self.warnings),
        }

    def to_toml(self, path: Any = None) -> str:
        """The schema file with the reasons as comments; written to `path` when given."""
        return self.schema.to_toml(path, comments=self.reasons, header=self.header)


def suggest_schema(table: Native, *, encoding: str | None = None) -> Suggestion:
    """Propose role, kind and hierarchy for every column of a table.

    Parameters
    ----------
    table : frame, path or engine
        What to look at; at least two rows.
    encoding : str, optional
        Encoding of CSV files.

    Notes
    -----
    **Assumes** nothing that it does not say: every choice comes with its reason.  What values look
    like decides first (e-mail addresses, numbers of people whose check digits agree, codes of
    diagnoses), then the column's name in eight languages, then how far it tells rows apart.  When
    in doubt a column is a quasi-identifier, which costs detail, not people.

    Examples
    --------
    >>> import duckdb
    >>> people = duckdb.sql("SELECT i AS id, 20 + i % 9 AS age FROM range(30) AS t(i)")
    >>> suggest_schema(people).schema
    Schema(id: identifier, age: quasi-identifier)
    """
    engine = open_table(table, encoding=encoding)
    told = getattr(table, "options", None) or OpenOptions()
    _require_rows(engine)
    facts = [look(engine, name) for name in engine.names]
    decisions = {fact.name: decide(fact) for fact in facts}
    columns: dict[str, Column] = {}
    reasons: dict[str, tuple[str, ...]] = {}
    coarsened: dict[str, Column] = {}
    for fact in facts:
        decision = decisions[fact.name]
        shape = coarsen(fact, decision)
        wanted = decision.role == "quasi-identifier"
        coarsened[fact.name] = Column("quasi-identifier", shape.kind, shape.recipe)
        columns[fact.name] = Column(decision.role, shape.kind, shape.recipe if wanted else None)
        reasons[fact.name] = (_count(fact), *decision.reasons, *([shape.why] if wanted else []))
    left_out = {name for name, one in decisions.items() if one.surely_left_out}
    odd = {f.name: why for f in facts if (why := odd_values(f, left_out=f.name in left_out))}
    for name, why in odd.items():
        reasons[name] += (why,)
    choose_subject(engine, facts, decisions, columns, reasons)
    _leave_out_twins(engine, facts, columns, reasons)
    _measure_gains(engine, columns, reasons)
    _choose_target(facts, columns, reasons)
    schema = Schema(columns, reading=replace(told, encoding=encoding or told.encoding).said())
    sayings = {name: (one.warning, odd.get(name, "")) for name, one in decisions.items()}
    warned = {name: tuple(filter(None, said)) for name, said in sayings.items() if any(said)}
    return Suggestion(schema, reasons, _summary(engine, schema), warned, coarsened)


def _listed(names: list[str]) -> str:
    if len(names) == 1:
        return f"column {names[0]}"
    more = [f"{len(names) - 3} more"] if len(names) > 4 else names[3:]
    first = [*names[:3], *more]
    return f"columns {', '.join(first[:-1])} and {first[-1]}"


def _require_rows(engine: Engine) -> None:
    require_filled(engine, "suggest roles for")
    if engine.n_rows == 1:
        raise TableError(
            "the table has one row, from which no role can be told. Give the table with its rows, "
            "or write the schema by hand, one [columns.NAME] with a role for each column."
        )


def _count(fact: Facts) -> str:
    if not fact.n_distinct:
        return f"no values at all in {fact.n_rows:,} rows"
    more = "at least " if fact.n_distinct >= MOST_DISTINCT else ""
    lost = ", some missing" if fact.missing else ""
    values = "1 distinct value" if fact.n_distinct == 1 else f"{fact.n_distinct:,} distinct values"
    return f"{more}{values} in {fact.n_rows:,} rows{lost}"


def _leave_out_twins(
    engine: Engine,
    facts: list[Facts],
    columns: dict[str, Column],
    reasons: dict[str, tuple[str, ...]],
) -> None:
    """Of two columns that say the same, keep the one in words: the other would give it away."""
    # where nearly every row has its own value, any two columns seem to say the same
    kept = [
        f
        for f in facts
        if columns[f.name].role == "quasi-identifier" and f.n_distinct > 2 and f.ratio <= 0.5
    ]
    alike = [f for f in kept if f.n_distinct <= 10_000]
    for first, second in _likely_twins(engine, alike):
        if any(columns[f.name].role != "quasi-identifier" for f in (first, second)):
            continue
        pairs = round(distinct_ratio(engine, [first.name, second.name]) * engine.n_rows)
        if pairs == first.n_distinct:
            drop, keep = (second, first) if first.sort == "text" else (first, second)
            columns[drop.name] = Column("identifier", columns[drop.name].kind)
            reasons[drop.name] = (
                reasons[drop.name][0],
                f"says the same as {keep.name!r} and would give its coarsened values away, "
                "so it is left out",
            )


def _likely_twins(engine: Engine, facts: list[Facts]) -> list[tuple[Facts, Facts]]:
    """Pairs of columns that say the same in the rows of a sample; others cannot in all rows."""
    if len(facts) < 2:
        return []
    names = [fact.name for fact in facts]
    rows = open_source(engine, columns=names).sample(_ROWS, np.random.default_rng(0))
    alike: dict[tuple[int, bytes], list[Facts]] = {}
    for fact, codes in zip(facts, rows.codes, strict=True):
        _, first, code = np.unique(codes, return_index=True, return_inverse=True)
        # each value by where it stands first: the same for columns that tell the same rows apart
        key = (fact.n_distinct, np.ascontiguousarray(first[code], np.int32).tobytes())
        alike.setdefault(key, []).append(fact)
    return [pair for same in alike.values() for pair in combinations(same, 2)]


def _measure_gains(
    engine: Engine, columns: dict[str, Column], reasons: dict[str, tuple[str, ...]]
) -> None:
    """Say how far each quasi-identifier singles people out, so that the user can weigh it."""
    names = [name for name, column in columns.items() if column.role == "quasi-identifier"]
    if not names or not engine.n_rows:
        return
    for hint in suggest_roles(engine, columns=names):
        reasons[hint.column] += (hint.reason,)


def _choose_target(
    facts: list[Facts], columns: dict[str, Column], reasons: dict[str, tuple[str, ...]]
) -> None:
    for fact in facts:
        column = columns[fact.name]
        if column.role == "sensitive" and 2 <= fact.n_distinct <= _FEW:
            columns[fact.name] = replace(column, target=True)
            reasons[fact.name] += ("few values: taken as what recipients want to predict",)
            return


def _summary(engine: Engine, schema: Schema) -> tuple[str, ...]:
    names = schema.quasi_identifiers
    if not names:
        return ("No quasi-identifier was found: name at least one before you anonymize.",)
    n_different = round(distinct_ratio(engine, list(names)) * engine.n_rows)
    if len(names) == 1:
        return (
            f"The one quasi-identifier has {n_different:,} different values in "
            f"{engine.n_rows:,} rows.",
        )
    return (
        f"The {len(names)} quasi-identifiers have {n_different:,} different "
        f"combinations in {engine.n_rows:,} rows.",
    )
