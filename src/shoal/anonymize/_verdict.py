"""Whether a table, released or not, keeps a promise; and where it does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal._notebook import html_note, html_table
from shoal.anonymize._beside_cells import beside_cells
from shoal.anonymize._recheck import Written, count_written, names_of, starred_groups
from shoal.anonymize._release_files import as_files_say
from shoal.anonymize._subjects import worst_of
from shoal.anonymize.regions._check_there import CheckedThere, check_there
from shoal.errors import SchemaError, TableError
from shoal.privacy import AlphaKAnonymity, KAnonymity, PrivacyModel, check
from shoal.privacy._model import Level
from shoal.privacy._promise import bind_promise
from shoal.privacy._written_population import count_population
from shoal.schema import Hierarchy, Schema
from shoal.schema._band_labels import band_bounds
from shoal.schema._builders import Tree
from shoal.schema._coding import Coding, find_ceiling
from shoal.schema._csv import FromFile
from shoal.tables import FrequencyTable
from shoal.typing import Flags, Native

_UNNAMED = (
    "the table does not say whose its rows are: only that groups have enough rows was checked. "
    "People were counted when it was released, as its manifest says."
)
_ADDED = ("_min", "_max", "_mean")  # columns that a release with ranges has besides


@dataclass(frozen=True)
class FailingGroup:
    """A group that breaks the promise, without saying who is in it.

    Parameters
    ----------
    rows : int
        Rows in it.
    first_row : int or None
        Number of its first row, counted from 1; None where the engine does not number rows.
    breaks : tuple of str
        Conditions that it fails.
    """

    rows: int
    first_row: int | None
    breaks: tuple[str, ...]


@dataclass(frozen=True)
class Verdict:
    """What a table reaches, and which of its groups fail.

    Parameters
    ----------
    n_rows, n_groups, n_starred : int
        Rows that count, groups of them, and rows left aside because they are fully starred.
    smallest_group : int
        Rows in it; 0 for an empty table.
    reached : tuple of Level
        What each condition asks and what the worst group has.
    n_failing_groups, n_failing_rows : int
        Groups that fail at least one condition, and the rows in them.
    failing : tuple of FailingGroup
        The smallest of them.
    beyond_limits : mapping of str to int
        For every column with a limit: rows whose released value lies beyond the limit of every
        value it could stand for.
    notes : tuple of str
        What could not be checked.
    never_released : tuple of str
        Columns that the table has and no release may have: identifiers, a subject, a household.
    side_doors : tuple of str
        What a file holds besides the cells of its table, such as a hidden sheet.  What stands
        there is not known, so that nothing can be told of the file.

    Examples
    --------
    >>> from shoal.privacy import KAnonymity
    >>> from shoal.schema import Schema
    >>> schema = Schema({"age": {"role": "quasi-identifier"}})
    >>> verdict = check_table({"age": ["30-39", "30-39", "40-49"]}, schema, KAnonymity(2))
    >>> verdict.holds, verdict.smallest_group, verdict.n_failing_rows
    (False, 1, 1)
    """

    n_rows: int
    n_groups: int
    n_starred: int
    smallest_group: int
    reached: tuple[Level, ...]
    n_failing_groups: int
    n_failing_rows: int
    failing: tuple[FailingGroup, ...]
    beyond_limits: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    never_released: tuple[str, ...] = ()
    side_doors: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the table keeps the promise, stays within the limits and holds no more."""
        return not (self.n_failing_groups or self.reasons or self.side_doors)

    @property
    def is_undecided(self) -> bool:
        """Whether nothing speaks against the table but what else is in its file."""
        return bool(self.side_doors) and not (self.n_failing_groups or self.reasons)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Problems of the table besides failing groups, each with advice."""
        reasons = []
        if any(self.beyond_limits.values()):
            reasons.append("values are generalized beyond what the schema allows.")
        if self.never_released:
            columns = "column" if len(self.never_released) == 1 else "columns"
            it = "it" if len(self.never_released) == 1 else "them"
            reasons.append(
                f"the table has {columns} {', '.join(map(repr, self.never_released))}, and by the "
                f"schema no release has {it}. Leave {it} out before anybody gets the table."
            )
        return tuple(reasons)

    @property
    def undecided(self) -> str:
        """What the file holds besides its cells, with advice; empty if that is nothing."""
        return undecided_by(self.side_doors)

    def _repr_html_(self) -> str:
        word = "It holds." if self.holds else "It does not hold."
        said = self.undecided if self.is_undecided else " ".join([word, *self.reasons])
        header = ["condition", "asked", "reached", "failing groups", "rows in them"]
        rows = [
            [part.description, part.required, part.reached, part.failing_groups, part.failing_rows]
            for part in self.reached
        ]
        return html_table(said, header, rows) + "".join(map(html_note, self.notes))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        plain = {
            key: getattr(self, key) for key in ("n_rows", "n_groups", "n_starred", "smallest_group")
        }
        return plain | {
            "holds": self.holds,
            "reached": [part.to_dict() for part in self.reached],
            "n_failing_groups": self.n_failing_groups,
            "n_failing_rows": self.n_failing_rows,
            "failing": [asdict(group) for group in self.failing],
            "beyond_limits": dict(self.beyond_limits),
            "notes": list(self.notes),
            "never_released": list(self.never_released),
            "side_doors": list(self.side_doors),
        }


def undecided_by(side_doors: Sequence[str]) -> str:
    """What is said of a file that holds more than its cells; nothing of any other."""
    if not side_doors:
        return ""
    return (
        f"It cannot be told whether it holds: the file has more than cells "
        f"({'; '.join(side_doors)}). Save the table as CSV, and give that out."
    )


def check_table(
    table: Native,
    schema: Schema,
    privacy: PrivacyModel | int | None,
    *,
    drop_stars: bool = False,
    encoding: str | None = None,
    shown: int = 20,
) -> Verdict:
    """Check a table against a privacy model, grouping rows by the text of their quasi-identifiers.

    Parameters
    ----------
    table : table or path
        Raw or released.  A table with a column that is never released (identifiers, a subject, a
        household) is counted as any other, and does not hold.  A file is read as its manifest says
        or, without one, as the schema's `reading` does.
    schema : Schema
        Roles of the columns; hierarchies are looked at only where there are limits.
    privacy : PrivacyModel or int
        What every group has to meet; a number k stands for ``KAnonymity(k)``, None for no more
        than the schema requires.
    drop_stars : bool
        Leave out rows whose quasi-identifiers are all `*`: suppressed rows that were kept.
    encoding : str, optional
        Encoding of CSV files.
    shown : int
        How many failing groups to describe.
    """
    table = as_files_say(table, schema)
    names = names_of(table, encoding)
    require_roles(schema, names)
    never_released = tuple(n for n in names if n in schema and not schema[n].is_released)
    privacy = bind_promise(privacy, schema)
    unnamed = schema.subject is not None and schema.subject not in names
    # of people in a group, no more can be told than that they are at most its rows; with
    # households rows are people, and the promise has to hold of them too
    asked = privacy
    if unnamed and schema.household is None:
        asked = KAnonymity(privacy.minimum_size)
    there = check_there(table, schema, asked, drop_stars=drop_stars)
    if there is not None:
        told = _told_from_there(there, schema, asked, shown, unnamed=unnamed)
        return replace(told, never_released=never_released)
    seen = count_written(table, schema, encoding)
    if not seen.groups.n_groups:
        raise TableError("the table has no rows, so there is nothing to check.")
    seen = replace(seen, groups=count_population(seen.groups, privacy, schema))
    privacy = asked
    groups = seen.groups
    aside = starred_groups(groups) if drop_stars else np.zeros(groups.n_groups, np.bool_)
    group_of = np.where(aside, -1, np.cumsum(~aside) - 1)
    n_kept = int((~aside).sum())
    tables = [table.merge(group_of, n_kept) for table in seen.tables(privacy)]
    counted = tables[0]
    breaks = [(_name(part), _broken(part, tables)) for part in privacy.parts]
    failing = np.flatnonzero(_broken(privacy, tables))
    worst = failing[np.argsort(counted.sizes[failing], kind="stable")][:shown]
    first = _first_rows(seen.group_of_row, group_of, len(counted.sizes)) if len(worst) else {}
    return Verdict(
        n_rows=counted.n_rows,
        n_groups=counted.n_groups,
        n_starred=int(groups.sizes[aside].sum()),
        smallest_group=int(counted.sizes.min()) if counted.n_groups else 0,
        reached=(
            check(privacy, counted)
            if seen.people is None
            else worst_of(privacy, tables, seen.people.unit)
        ),
        n_failing_groups=len(failing),
        n_failing_rows=int(counted.sizes[failing].sum()),
        failing=tuple(
            FailingGroup(
                int(counted.sizes[group]),
                first.get(int(group)),
                tuple(name for name, broken in breaks if broken[group]),
            )
            for group in worst
        ),
        beyond_limits=_beyond_limits(counted, schema),
        notes=(*((_UNNAMED,) if unnamed else ()), *_absent_values(privacy, counted)),
        never_released=never_released,
        side_doors=tuple(dict.fromkeys((*seen.side_doors, *beside_cells(table, _values(seen))))),
    )


def _values(seen: Written) -> dict[str, int]:
    """How many different values of each quasi-identifier were counted."""
    return {coding.name: len(coding.texts) for coding in seen.groups.codings}


def _absent_values(privacy: PrivacyModel, groups: FrequencyTable) -> list[str]:
    """Say where nobody has a protected value: a release may lack it, but so does a misspelling."""
    named = [part for part in privacy.parts if isinstance(part, AlphaKAnonymity) and part.values]
    absent = {
        str(part.column): sum(
            groups.histograms[str(part.column)].coding.find(value) < 0
            for value in part.values or ()
        )
        for part in named
        if part.column in groups.histograms
    }
    return [
        f"nobody has {count} of the protected values of column {name!r}. Check how they are spelt."
        for name, count in absent.items()
        if count
    ]


def _told_from_there(
    there: CheckedThere, schema: Schema, privacy: PrivacyModel, shown: int, *, unnamed: bool
) -> Verdict:
    """The verdict on groups that stayed where they are."""
    checked, names = there.found, [_name(part) for part in privacy.parts]
    return Verdict(
        n_rows=checked.n_rows,
        n_groups=sum(checked.verdict.sizes.values()),
        n_starred=there.n_starred,
        smallest_group=min(checked.verdict.sizes),
        reached=checked.verdict.levels,
        n_failing_groups=checked.n_failing_groups,
        n_failing_rows=checked.n_failing_rows,
        failing=tuple(
            FailingGroup(rows, None, tuple(names[part] for part in breaks))
            for rows, breaks in checked.failing[:shown]
        ),
        beyond_limits={
            name: rows
            for labels in there.limited
            for name, rows in _beyond_limits(labels, schema).items()
        },
        notes=(_UNNAMED,) if unnamed else (),
    )


def _broken(privacy: PrivacyModel, tables: Sequence[FrequencyTable]) -> Flags:
    """Groups that fail in one of several counts."""
    return np.logical_or.reduce([~privacy.holds(table) for table in tables])


def _beyond_limits(groups: FrequencyTable, schema: Schema) -> dict[str, int]:
    """Rows whose label no value below it may be generalized to, per column with a limit."""
    rows_beyond = {}
    for index, coding in enumerate(groups.codings):
        column = schema[coding.name]
        recipe = column.hierarchy
        if recipe is None or not (column.limit or column.limit_level is not None):
            continue
        fixed = isinstance(recipe, Hierarchy | FromFile | Tree)
        if not fixed and column.kind != "numeric":
            continue  # a tree made from raw values cannot be made from released ones
        values = _raw_values(coding, column.kind)
        tree = recipe if isinstance(recipe, Hierarchy) else recipe.build(values, column=coding.name)
        depth = tree.depth[find_ceiling(tree, column, coding.name)]
        beyond = np.zeros(coding.n_codes, np.bool_)
        for code, label in enumerate(coding.texts):
            node = tree.find(label) if label is not None else -1
            if node >= 0:
                inside = depth[tree.start[node] : tree.stop[node]]
                beyond[code] = tree.depth[node] < inside.min()
        rows_beyond[coding.name] = int(groups.sizes[beyond[groups.keys[:, index]]].sum())
    return rows_beyond


def _raw_values(coding: Coding, kind: str) -> list[Any]:
    """Values to build a hierarchy from; of a released table, those that are left."""
    texts = [value for value in coding.texts if value is not None]
    if kind != "numeric":
        return texts
    ends = [end for value in texts for end in (band_bounds(value) or ())]
    raw = [float(value) for value in texts if value.replace(".", "", 1).lstrip("-").isdigit()]
    return sorted({*raw, *(end for end in ends if np.isfinite(end))})


def require_roles(schema: Schema, names: tuple[str, ...]) -> None:
    """Raise unless the table has every quasi-identifier, and every column of it has a role."""
    present = set(names)
    lost = [name for name in schema.quasi_identifiers if name not in present]
    if lost:
        raise SchemaError(
            f"quasi-identifiers that the table lacks: {', '.join(map(repr, lost))}. "
            "Remove them from the schema or add them to the table."
        )
    added = {name + end for name in schema.quasi_identifiers for end in _ADDED}
    unknown = [name for name in names if name not in schema and name not in added]
    if unknown:
        raise SchemaError(
            f"columns without a role: {', '.join(map(repr, unknown))}. Give each one a role in "
            "the schema; nothing is assumed."
        )


def _name(part: PrivacyModel) -> str:
    known = getattr(part, "known", None)
    if known is not None:
        return f"{type(part).__name__} by {known}"
    column = getattr(part, "column", None)
    return type(part).__name__ + (f" of {column!r}" if column else "")


def _first_rows(
    group_of_row: NDArray[np.int64] | None, group_of: NDArray[np.int64], n_groups: int
) -> dict[int, int]:
    """Number of the first row of each group, from 1; empty where rows have no order."""
    if group_of_row is None:
        return {}
    groups = group_of[group_of_row]
    first = np.full(n_groups, len(groups), np.int64)
    np.minimum.at(first, groups[groups >= 0], np.flatnonzero(groups >= 0))
    return {group: int(row) + 1 for group, row in enumerate(first)}
