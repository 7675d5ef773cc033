"""Whether a table, released or not, keeps a promise; and where it does not."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from shoal.anonymize._recheck import plain_schema
from shoal.errors import SchemaError
from shoal.privacy import PrivacyModel, Reached, check
from shoal.schema import Schema
from shoal.tables import STAR, FrequencyTable, open_table
from shoal.typing import Flags, Native

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
    reached : tuple of Reached
        What each condition asks and what the worst group has.
    n_failing_groups, n_failing_rows : int
        Groups that fail at least one condition, and the rows in them.
    failing : tuple of FailingGroup
        The smallest of them.
    """

    n_rows: int
    n_groups: int
    n_starred: int
    smallest_group: int
    reached: tuple[Reached, ...]
    n_failing_groups: int
    n_failing_rows: int
    failing: tuple[FailingGroup, ...]

    @property
    def holds(self) -> bool:
        """Whether the table keeps the promise."""
        return self.n_failing_groups == 0

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
        }


def check_table(
    table: Native,
    schema: Schema,
    privacy: PrivacyModel,
    *,
    drop_stars: bool = False,
    encoding: str | None = None,
    shown: int = 20,
) -> Verdict:
    """Group the rows by the text of their quasi-identifiers and ask the privacy model.

    Parameters
    ----------
    table : table or path
        Raw or released; identifiers may be absent.
    schema : Schema
        Roles of the columns; hierarchies are not looked at.
    privacy : PrivacyModel
        What every group has to meet.
    drop_stars : bool
        Leave out rows whose quasi-identifiers are all `*`: suppressed rows that were kept.
    encoding : str, optional
        Encoding of CSV files.
    shown : int
        How many failing groups to describe.
    """
    engine = open_table(table, encoding=encoding)
    _require(schema, engine.names)
    privacy = privacy.bind(schema.sensitive)
    compressed = engine.compress(plain_schema(schema, engine.names))
    groups = compressed.cells
    aside = _starred(groups) if drop_stars else np.zeros(groups.n_groups, np.bool_)
    place = np.where(aside, -1, np.cumsum(~aside) - 1)
    counted = groups.merge(place, int((~aside).sum()))
    breaks = [(_name(part), ~part.holds(counted)) for part in privacy.parts]
    failing = np.flatnonzero(~privacy.holds(counted))
    worst = failing[np.argsort(counted.sizes[failing], kind="stable")][:shown]
    first = _first_rows(compressed, place, len(counted.sizes)) if len(worst) else {}
    return Verdict(
        n_rows=counted.n_rows,
        n_groups=counted.n_groups,
        n_starred=int(groups.sizes[aside].sum()),
        smallest_group=int(counted.sizes.min()) if counted.n_groups else 0,
        reached=check(privacy, counted),
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
    )


def _require(schema: Schema, names: tuple[str, ...]) -> None:
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


def _starred(groups: FrequencyTable) -> Flags:
    starred = np.ones(groups.n_groups, np.bool_)
    for at, coding in enumerate(groups.codings):
        starred &= groups.keys[:, at] == coding.code_of.get(STAR, -1)
    return starred


def _name(part: PrivacyModel) -> str:
    column = getattr(part, "column", None)
    return type(part).__name__ + (f" of {column!r}" if column else "")


def _first_rows(compressed: Any, place: Any, n_groups: int) -> dict[int, int]:
    """Number of the first row of each group, from 1; empty where rows have no order."""
    numbered = getattr(compressed, "cell_of_rows", None)
    cells = numbered() if numbered else getattr(compressed, "cell_of", None)
    if cells is None:
        return {}
    groups = place[np.asarray(cells)]
    first = np.full(n_groups, len(groups), np.int64)
    np.minimum.at(first, groups[groups >= 0], np.flatnonzero(groups >= 0))
    return {group: int(row) + 1 for group, row in enumerate(first)}
