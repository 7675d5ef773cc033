"""Releases of tables in which a person may have several rows: who is counted, what is refused.

Solvers count home rows, which add up; here every group is counted exactly before it is released.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.discover.columns._names import name_of_people, names_a_person
from shoal.errors import InfeasibleError, SchemaError, TableError
from shoal.privacy import PrivacyModel, check
from shoal.privacy._model import Level
from shoal.schema import Schema
from shoal.tables import FrequencyTable
from shoal.tables._engine import Compressed, Engine
from shoal.tables._people import People
from shoal.tables._recoded import SUPPRESSED, Recoded
from shoal.typing import Flags

_Found = tuple[Recoded, tuple[str, ...]]
MOST_ROWS_EACH = 50
"""Rows for each value, on average, beyond which a column is not taken for people's numbers."""
_KNOWN = 8
"""Quasi-identifiers that are looked at to tell whether rows are of one person."""
_FAR = 8
"""How far below the limit it is searched before nothing is left out at all."""


def settle(
    engine: Engine, schema: Schema, compressed: Compressed, recoded: Recoded, privacy: PrivacyModel
) -> tuple[Recoded, tuple[str, ...]]:
    """The recoded table as it may be released to people, and what its reader should know."""
    people = compressed.people
    if people is None:
        raise TableError(
            f"people cannot be counted in such a table, and column {schema.subject!r} asks for it. "
            "Give the table in another form."
        )
    kept = keep_promise_to_people(recoded, people, privacy)
    names = pseudonyms(engine, schema)
    if schema.pseudonym is not None:
        names = (schema.pseudonym, *names)
    refuse_ties(names, kept, people)
    instead = "beside rows" if people.households else "not rows"
    notes = [
        f"{people.unit} were counted, {instead}: column {schema.subject!r} names "
        f"{people.n_people} {people.unit} in {engine.n_rows} rows"
    ]
    if lost := recoded.n_released_rows - kept.n_released_rows:
        notes.append(
            f"{lost} rows were left out because too few {people.unit} have rows that look alike"
        )
    one = "household" if people.households else "person"
    notes.extend(f"column {name!r} ties the rows of a {one} together" for name in names)
    return kept, tuple(notes)


def hold_limit(
    method: Any, attempt: Callable[[PrivacyModel], _Found], n_rows: int
) -> Callable[[PrivacyModel], _Found]:
    """The same search, again with less leave while more rows are left out than were allowed.

    Searches suppress people, and whoever has many rows takes them all along; groups that fail the
    exact count go besides.
    """
    limit = 0.0 if getattr(method, "hardened", False) else getattr(method, "max_suppression", 0.0)
    allowed = int(limit * n_rows + 1e-9)

    def search(asked: PrivacyModel) -> _Found:
        least = n_rows
        shares = [limit]
        try:
            while shares:
                method.max_suppression = shares.pop()
                answer = attempt(asked)
                lost = n_rows - answer[0].n_released_rows
                if lost <= allowed:
                    return answer
                least = min(least, lost)
                if method.max_suppression > 0:
                    less = 0.9 * method.max_suppression * allowed / lost
                    shares = [less if less > limit / _FAR else 0.0]
        except InfeasibleError:
            if least == n_rows:
                raise  # it fails as it was asked for, whatever is counted
        finally:
            method.max_suppression = limit
        raise InfeasibleError(
            f"at most {limit:.2%} of the rows left out",
            required=allowed,
            achieved=least,
            hint="People are left out with all their rows. "
            f"Allow {least / n_rows + 0.0005:.3f} (max_suppression), or lower what is asked.",
        )

    return search if limit else attempt


def keep_promise_to_people(recoded: Recoded, people: People, privacy: PrivacyModel) -> Recoded:
    """Suppress groups that keep the promise by rows or home rows, but not by people.

    Repeated until nothing fails: a model that compares groups with the whole sees another whole
    when groups are left out.
    """
    while (failing := _failing(recoded, people, privacy)).any():
        number = np.append(np.where(failing, SUPPRESSED, np.cumsum(~failing) - 1), SUPPRESSED)
        recoded = replace(
            recoded,
            codes=recoded.codes[~failing],
            group_of=number[recoded.group_of],  # -1, suppressed already, reads the last entry
            per_column=None,
        )
        if not recoded.n_released_rows:
            raise InfeasibleError(
                f"no group of people reaches what is asked: {privacy.describe()}",
                required=privacy.minimum_size,
                achieved=0,
                hint="Lower what is asked, or let values be coarsened further.",
            )
    return recoded


def count_exactly(
    recoded: Recoded, people: People, privacy: PrivacyModel | None = None
) -> Iterator[FrequencyTable]:
    """Released groups with distinct people as sizes; with a model, once for all that it asks."""
    return _count(recoded.groups, recoded.group_of, people, privacy)


def in_rows(recoded: Recoded) -> Recoded:
    """The same table with its rows counted instead of people, and no values of them."""
    cells = recoded.cells
    return replace(recoded, cells=FrequencyTable(cells.codings, cells.keys, cells.row_counts))


def count_groups(
    groups: FrequencyTable, people: People, privacy: PrivacyModel | None = None
) -> Iterator[FrequencyTable]:
    """The same for groups that are the cells of `people`."""
    return _count(groups, np.arange(groups.n_groups), people, privacy)


def _count(
    groups: FrequencyTable,
    group_of: NDArray[np.int64],
    people: People,
    privacy: PrivacyModel | None,
) -> Iterator[FrequencyTable]:
    parts = () if privacy is None else privacy.parts
    asked = {getattr(part, "column", None) for part in parts}
    columns = [name for name in people.values if name in asked]
    together = privacy is not None and not privacy.judges_groups_alone
    return people.count(groups, group_of, columns, together=together)


def count_raw(cells: FrequencyTable, people: People) -> FrequencyTable:
    """The cells of a table with distinct people as sizes."""
    return next(count_groups(cells, people))


def worst_levels(recoded: Recoded, people: People, privacy: PrivacyModel) -> tuple[Level, ...]:
    """What the released groups reach with each part of a model, whatever is asked about."""
    return worst_of(privacy, count_exactly(recoded, people, privacy), people.unit)


def worst_of(
    privacy: PrivacyModel, tables: Iterable[FrequencyTable], unit: str = "people"
) -> tuple[Level, ...]:
    """The worst levels over several counts of the same groups."""
    counts = zip(*(check(privacy, table) for table in tables), strict=True)
    worst = []
    for part, levels in zip(privacy.parts, counts, strict=True):
        ends = min if part.larger_is_better else max
        level = ends(levels, key=lambda one: one.reached)
        most = max(one.failing_groups for one in levels)
        said = of_people(level.description, unit)
        worst.append(replace(level, description=said, failing_groups=most))
    return tuple(worst)


def without_values(levels: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """How far groups go as a manifest tells it: of conditions on values only whether they hold.

    Exact shares of people with a value tell which rows of a group are one person's.
    """
    return [
        {**level, "reached": None} if asks_of_values(level["model"]) else dict(level)
        for level in levels
    ]


def asks_of_values(model: Mapping[str, Any]) -> bool:
    """Whether a condition, as plain values, is about a sensitive column."""
    return model.get("column") is not None or any(
        asks_of_values(part) for part in model.values() if isinstance(part, Mapping)
    )


def of_people(sentence: str, unit: str = "people") -> str:
    """What a model asks for, said of people or of households."""
    one = "person" if unit == "people" else "household"
    sentence = re.sub(r"\brow's", f"{one}'s", sentence)
    return re.sub(r"\brows\b", unit, sentence)


def _failing(recoded: Recoded, people: People, privacy: PrivacyModel) -> Flags:
    failing = np.zeros(recoded.groups.n_groups, np.bool_)
    for table in count_exactly(recoded, people, privacy):
        failing |= ~privacy.holds(table)
    return failing


# -- what is said and refused ---------------------------------------------------------------


def warn_of_repeats(engine: Engine, schema: Schema) -> tuple[str, ...]:
    """A note on identifiers that stand in several rows, of a table where none is the subject."""
    counts = {name: _n_distinct(engine, name) for name in schema.identifiers}
    repeated = [
        name
        for name, n_values in counts.items()
        if n_values < engine.n_rows and _may_name_people(engine, schema, name, n_values)
    ]
    if not repeated:
        return ()
    shown = ", ".join(map(repr, repeated))
    return (
        f"rows were counted, not people: values of {shown} stand in several rows. If one of these "
        'columns names the person behind a row, give it the role "subject".',
    )


def _may_name_people(engine: Engine, schema: Schema, name: str, n_values: int) -> bool:
    """Whether a column left out for naming people may do so, and does not merely repeat itself.

    A number with few values (years of school) names nobody.  One with many does if it is called so,
    or if most of what is known of people is the same in all rows that share it.
    """
    if names_a_person(name):
        return True
    if n_values * MOST_ROWS_EACH < engine.n_rows:
        return False
    if engine.types[name] != "number" or name_of_people(name) is not None:
        return True
    known = schema.quasi_identifiers[:_KNOWN]
    varying = [other for other in known if _n_distinct(engine, other) > 1]
    repeats = engine.n_rows - n_values
    steady = sum(_n_distinct(engine, name, o) - n_values <= 0.01 * repeats for o in varying)
    return 2 * steady > len(varying)


def pseudonyms(engine: Engine, schema: Schema) -> tuple[str, ...]:
    """Released columns that link the rows of a person: each value belongs to one person only.

    A few measurements that happen to come back are none: at least half of the rows that a person
    has beyond the first must be tied to another.
    """
    if schema.subject is None:
        return ()
    n_people, n_rows = _n_distinct(engine, schema.subject), engine.n_rows
    names = []
    for name in schema.released:
        if schema[name].role in ("quasi-identifier", "pseudonym") or not 1 < n_people < n_rows:
            continue
        n_values = _n_distinct(engine, name)
        may = n_people <= n_values <= (n_people + n_rows) / 2
        if may and _n_distinct(engine, name, schema.subject) == n_values:
            names.append(name)
    return tuple(names)


def refuse_ties(names: tuple[str, ...], recoded: Recoded, people: People) -> None:
    """Raise when rows of a person can be tied together and do not all look alike.

    The groups of tied rows can be intersected, and fewer than k people may be in all of them.
    """
    if names and people.is_spread(recoded.group_of):
        shown = ", ".join(map(repr, names))
        raise SchemaError(
            f"values of column {shown} belong to one person each, so that they tie rows together, "
            "and the rows of some people are released with different labels: whoever knows several "
            'of them can tell who it is. Give the column the role "identifier", or put '
            "quasi-identifiers into the table that are the same in all rows of a person."
        )


def _n_distinct(engine: Engine, *names: str) -> int:
    return engine.view(names, {}).distinct_rows().n_rows
