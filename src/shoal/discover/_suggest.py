"""A first schema from the data, with the reason for every choice."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from shoal.discover._names import HUMAN_NAME, NAMED, PERSON
from shoal.discover._ratios import distinct_ratio
from shoal.discover._roles import suggest_roles
from shoal.schema import Auto, Column, Dates, Flat, Intervals, Schema
from shoal.schema._column import Kind, Role
from shoal.schema._recipe import Recipe
from shoal.schema._text import text
from shoal.tables import Engine, open_table
from shoal.typing import Native

_FEW = 20
_MANY = 100_000
_NEARLY_UNIQUE = 0.5


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
    """

    schema: Schema
    reasons: Mapping[str, tuple[str, ...]]
    summary: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "schema": self.schema.to_dict(),
            "reasons": {name: list(lines) for name, lines in self.reasons.items()},
            "summary": list(self.summary),
        }

    def to_toml(self, path: Any = None) -> str:
        """The schema file with the reasons as comments; written to `path` when given."""
        header = [
            "Suggested by `shoal schema`. Read it column by column: only you know what others "
            "know.",
            *self.summary,
        ]
        return self.schema.to_toml(path, comments=self.reasons, header=header)


@dataclass(frozen=True)
class _Facts:
    name: str
    sort: str  # number, text, date, boolean, other
    values: list[Any]
    n_rows: int
    missing: bool

    @property
    def n_distinct(self) -> int:
        return len(self.values)

    @property
    def ratio(self) -> float:
        return self.n_distinct / self.n_rows if self.n_rows else 0.0

    @property
    def words(self) -> str:
        """The name in small letters, word by word."""
        parts = re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", self.name).lower())
        return " ".join(parts)

    @property
    def repeats(self) -> bool:
        """Whether some value stands in several rows."""
        return 1 < self.n_distinct < min(self.n_rows, _MANY) - self.missing

    @property
    def fractional(self) -> bool:
        return self.sort == "number" and any(float(v) != int(v) for v in self.values[:1000])


def suggest_schema(table: Native, *, encoding: str | None = None) -> Suggestion:
    """Propose role, kind and hierarchy for every column of a table.

    Parameters
    ----------
    table : frame, path or engine
        What to look at.
    encoding : str, optional
        Encoding of CSV files.

    Notes
    -----
    **Assumes** nothing that it does not say: every choice comes with its reason.  Names decide
    where they speak (`age`, `zip`, `diagnosis`); else the share of distinct values does.  When in
    doubt a column with few values is taken for a quasi-identifier, which costs detail, not people.

    Examples
    --------
    >>> import duckdb
    >>> people = duckdb.sql("SELECT i AS id, 20 + i % 9 AS age FROM range(30) AS t(i)")
    >>> suggest_schema(people).schema
    Schema(id: identifier, age: quasi-identifier)
    """
    engine = open_table(table, encoding=encoding)
    facts = [_look(engine, name) for name in engine.names]
    columns: dict[str, Column] = {}
    reasons: dict[str, tuple[str, ...]] = {}
    for fact in facts:
        role, why = _role(fact)
        kind, recipe, how = _kind(fact)
        wanted = role == "quasi-identifier"
        columns[fact.name] = Column(role, kind, recipe if wanted else None)
        reasons[fact.name] = (_count(fact), why, *([how] if wanted else []))
    _choose_subject(facts, columns, reasons)
    _leave_out_twins(engine, facts, columns, reasons)
    _measure_gains(engine, columns, reasons)
    _choose_target(facts, columns, reasons)
    schema = Schema(columns)
    return Suggestion(schema, reasons, _summary(engine, schema))


def _look(engine: Engine, name: str) -> _Facts:
    values, missing = engine.distinct(name, _MANY)
    return _Facts(name, engine.types[name], values, engine.n_rows, missing)


def _count(fact: _Facts) -> str:
    more = "at least " if fact.n_distinct >= _MANY else ""
    lost = ", some missing" if fact.missing else ""
    return f"{more}{fact.n_distinct:,} distinct values in {fact.n_rows:,} rows{lost}"


def _role(fact: _Facts) -> tuple[Role, str]:
    named = _named(fact)
    # a column of names is one however few there are; other names say little of a single value
    if fact.n_distinct <= 1 and named != "identifier" and (named is None or fact.n_rows > 1):
        return "insensitive", "one value only: it tells nobody apart"
    if named is not None:
        return named, f"{named} by its name"
    if fact.n_rows >= 20 and fact.n_distinct == fact.n_rows and not fact.fractional:
        return "identifier", "every row has its own value: it names people, so it is left out"
    if fact.n_rows >= 50 and fact.ratio >= _NEARLY_UNIQUE and fact.sort != "date":
        if fact.fractional:
            return "insensitive", (
                "a measurement, nearly unique: make it sensitive or leave it out (identifier) if "
                "somebody outside may know it"
            )
        return "identifier", "nearly every row has its own value, so it is left out"
    if fact.fractional:
        return "insensitive", "a measurement: change it if somebody outside may know it"
    return "quasi-identifier", "others may know it: when in doubt, it is coarsened"


def _named(fact: _Facts) -> Role | None:
    """The role that the column's name gives away."""
    if re.search(PERSON, fact.words):
        return "identifier"
    found = (role for role, pattern in NAMED if re.search(pattern, fact.words))
    return next(found, None)


def _choose_subject(
    facts: list[_Facts], columns: dict[str, Column], reasons: dict[str, tuple[str, ...]]
) -> None:
    """Of the identifiers whose values repeat, take the likeliest for the person behind a row."""
    repeated = [f for f in facts if columns[f.name].role == "identifier" and f.repeats]
    likely = [f for f in repeated if _named(f) and not re.search(HUMAN_NAME, f.words)]
    likely.sort(key=lambda f: (re.search(PERSON, f.words) is None, f.n_distinct))
    for fact in likely[:1]:
        columns[fact.name] = replace(columns[fact.name], role="subject")
        reasons[fact.name] += ("its values repeat: taken for the person behind several rows",)
    for fact in repeated:
        if columns[fact.name].role == "identifier":
            reasons[fact.name] += (
                "its values repeat: make it the subject if it names the person behind a row",
            )


def _kind(fact: _Facts) -> tuple[Kind, Recipe, str]:
    if fact.sort == "date":
        years = sorted(value.year for value in fact.values)
        periods = ["month", "quarter", "year"]
        if years and years[-1] - years[0] > 20:
            periods.append("decade")
        return "date", Dates(tuple(periods)), "dates coarsen by the calendar"
    if fact.sort == "number" and not re.search(r"zip|post", fact.name.lower()):
        recipe = Auto().recipe(fact.values) if fact.values else Flat()
        if isinstance(recipe, Intervals):
            return "numeric", recipe, "numbers coarsen to bands that nest"
        return "categorical", Flat(), "few numbers: shown or hidden"
    recipe = Auto().recipe([text(value) for value in fact.values]) if fact.values else Flat()
    if isinstance(recipe, Flat):
        how = "shown or hidden: a file or tree of groups would keep more detail"
        return "categorical", recipe, how if fact.n_distinct > 2 else "shown or hidden"
    return "categorical", recipe, "codes of one length coarsen from the right"


def _leave_out_twins(
    engine: Engine,
    facts: list[_Facts],
    columns: dict[str, Column],
    reasons: dict[str, tuple[str, ...]],
) -> None:
    """Of two columns that say the same, keep the one in words: the other would give it away."""
    kept = [f for f in facts if columns[f.name].role == "quasi-identifier" and f.n_distinct > 2]
    for first, second in combinations(kept, 2):
        if first.n_distinct != second.n_distinct or first.n_distinct > 10_000:
            continue
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
    facts: list[_Facts], columns: dict[str, Column], reasons: dict[str, tuple[str, ...]]
) -> None:
    for fact in facts:
        column = columns[fact.name]
        if column.role == "sensitive" and 2 <= fact.n_distinct <= _FEW:
            columns[fact.name] = replace(column, target=True)
            reasons[fact.name] += ("few values: taken as what recipients want to predict",)
            return


def _summary(engine: Engine, schema: Schema) -> tuple[str, ...]:
    names = schema.quasi_identifiers
    if not names or not engine.n_rows:
        return ("No quasi-identifier was found: name at least one before you anonymize.",)
    ratio = distinct_ratio(engine, list(names))
    return (
        f"The {len(names)} quasi-identifiers have {round(ratio * engine.n_rows):,} different "
        f"combinations in {engine.n_rows:,} rows.",
    )
