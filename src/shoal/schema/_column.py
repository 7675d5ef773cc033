"""What one column is: its role, its kind, how it may be coarsened and how far."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from math import inf
from numbers import Real
from os import PathLike
from typing import Any, Literal, get_args

from shoal._checks import did_you_mean
from shoal.errors import HierarchyError, SchemaError
from shoal.schema._bands import Breaks, EqualFrequency, EqualWidth
from shoal.schema._builders import Auto, Flat, Intervals, Prefix, Tree
from shoal.schema._csv import FromFile
from shoal.schema._days import PERIODS, Dates
from shoal.schema._hierarchy import Hierarchy, Recipe
from shoal.schema._text import text
from shoal.schema.readymade._ready import Ready

Role = Literal[
    "identifier",
    "subject",
    "pseudonym",
    "household",
    "quasi-identifier",
    "sensitive",
    "insensitive",
]
"""What others may know of a column, and what they may not."""
Kind = Literal["categorical", "ordinal", "numeric", "date"]
"""How values of a column relate to one another."""

ROLES: tuple[str, ...] = get_args(Role)
"""All roles."""
KINDS: tuple[str, ...] = get_args(Kind)
"""All kinds."""
NEVER_RELEASED = ("identifier", "subject", "household")
"""Roles of columns that name people."""


@dataclass(frozen=True)
class Column:
    """One column of a schema.

    Parameters
    ----------
    role : {"identifier", "subject", "pseudonym", "household", "quasi-identifier", ...}
        Identifiers are never released.  Nor is the subject, which names the person behind several
        rows, so that people are counted; nor the household, so that families are.  A pseudonym is a
        subject that is released as a token made with a secret key; quasi-identifiers are coarsened;
        sensitive values are what nobody may link to a person; insensitive ones are released as they
        are.
    kind : {"categorical", "ordinal", "numeric", "date"}
        How values relate to one another.
    hierarchy : recipe or Hierarchy, optional
        How values coarsen.
    weight : float
        Priority of the column to the recipient; larger is kept more precise where it matters.
    limit : tuple of str
        Nodes of the hierarchy beyond which no value may be generalized.
    limit_level : int, optional
        Level of the hierarchy beyond which no value may be generalized.
    target : bool
        Whether recipients want to predict this column.
    order : tuple of str
        Values of an ordinal column, lowest first.
    lines : float or {"month", "quarter", "year", "decade"}, optional
        Where released ranges of a numeric (multiples of a number) or date column may end; by
        default the finest bands of the hierarchy, else round numbers, months and years.
    shift : str, optional
        For an insensitive date column of a table with a subject: "90 days" moves all dates of a
        person by the same secret number of days, at most that many either way.
    round_to : float, optional
        For a sensitive or insensitive numeric column: values are released as the nearest multiple.
    bottom, top : float, optional
        For such a column: smaller, or larger, values are released as this one.
    beyond : int, optional
        With `bottom` or `top`: at least this many people are released at the line, or nobody;
        otherwise nothing is released.
    separator : str, optional
        For a quasi-identifier that holds sets, such as "milk;bread": what stands between items.
        Its hierarchy is one of items.
    public : bool
        Whether all values that its hierarchy and its order list are public knowledge, such as the
        towns of a country.  Otherwise a schema that is published with a release lists only those
        that the release shows.

    Examples
    --------
    >>> age = Column("quasi-identifier", "numeric", {"intervals": [5, 10]}, limit_level=1)
    >>> age.to_toml()["hierarchy"], age.weight
    ({'intervals': [5, 10]}, 1.0)
    """

    role: Role
    kind: Kind = "categorical"
    hierarchy: Recipe | Hierarchy | None = None
    weight: float = 1.0
    limit: tuple[str, ...] = ()
    limit_level: int | None = None
    target: bool = False
    order: tuple[str, ...] = ()
    lines: float | str | None = None
    shift: str | None = None
    round_to: float | None = None
    bottom: float | None = None
    top: float | None = None
    separator: str | None = None
    public: bool = False
    beyond: int | None = None
    #: Whether a release has the column at all.
    is_released: bool = field(init=False, repr=False, compare=False)
    #: Whether values are rounded, or end at a top or bottom, before they are released.
    is_coarse: bool = field(init=False, repr=False, compare=False)
    #: Days by which dates of a person are moved at most, either way; 0 where they are not.
    most_days: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if isinstance(self.weight, Real) and not isinstance(self.weight, bool):
            object.__setattr__(self, "weight", float(self.weight))
        written: Any = self.hierarchy  # a recipe, or as files write it; `Schema` knows the name
        if isinstance(written, Mapping | str):
            object.__setattr__(self, "hierarchy", recipe_from_toml(written, column=self.role))
        for key in ("limit", "order"):
            given = getattr(self, key)
            given = (given,) if isinstance(given, str) else given
            if isinstance(given, Iterable):  # whatever else it is, `check` reports
                object.__setattr__(self, key, tuple(str(text(value)) for value in given))
        days = re.fullmatch(r"([1-9]\d{0,4}) days?", str(self.shift))
        vars(self).update(
            is_released=self.role not in NEVER_RELEASED,
            is_coarse=any(line is not None for line in (self.round_to, self.bottom, self.top)),
            most_days=int(days[1]) if days else 0,
        )

    def check(self, name: str) -> None:
        """Raise unless the parts agree with one another."""
        sorts: dict[str, tuple[Any, str]] = {
            "weight": (Real, "a number"),
            "limit": (tuple, "a list of labels"),
            "limit_level": (int | None, "a whole number"),
            "beyond": (int | None, "a whole number"),
            "target": (bool, "true or false"),
            "public": (bool, "true or false"),
            "order": (tuple, "a list of values"),
            "hierarchy": (Recipe | Hierarchy | None, "a hierarchy"),
        }
        for key, (sort, words) in sorts.items():
            value = getattr(self, key)
            if not isinstance(value, sort) or (isinstance(value, bool) and sort is not bool):
                raise SchemaError(f"column {name!r}: {key} must be {words}.")
        for what, word, known in (("role", self.role, ROLES), ("kind", self.kind, KINDS)):
            if word not in known:
                raise SchemaError(
                    f"column {name!r}: unknown {what} {word!r}. {_meant(what, word, known)}"
                    f"Choose from {', '.join(known)}."
                )
        tree, is_limited = self.hierarchy, bool(self.limit) or self.limit_level is not None
        article = "an" if self.role == "identifier" else "a"
        faults = {
            "its hierarchy has a leaf for missing values. Leave it out; it is added when the data "
            "has some.": isinstance(tree, Hierarchy) and tree.missing >= 0,
            f"{article} {self.role} is never released, so no target.": self.target
            and not self.is_released,
            f"weight must not be negative, got {self.weight}.": not self.weight >= 0,
            "give limit or limit_level, not both.": self.limit and self.limit_level is not None,
            "a limit needs a hierarchy. Add one.": is_limited and tree is None,
            "order is for ordinal columns.": self.order and self.kind != "ordinal",
        }
        for fault, is_there in faults.items():
            if is_there:
                raise SchemaError(f"column {name!r}: {fault}")
        asked = {
            self._check_lines: self.lines is not None,
            self._check_shift: self.shift is not None,
            self._check_coarse: self.is_coarse or self.beyond is not None,
            self._check_separator: self.separator is not None,
        }
        for check in (check for check, is_asked in asked.items() if is_asked):
            check(name)

    def _check_separator(self, name: str) -> None:
        is_text = isinstance(self.separator, str) and bool(self.separator.strip())
        if not is_text or self.role != "quasi-identifier" or self.kind != "categorical":
            raise SchemaError(
                f"column {name!r}: separator is the sign between items of a set, such as ';', in a "
                "quasi-identifier of kind categorical."
            )

    def _check_coarse(self, name: str) -> None:
        for key in ("round_to", "bottom", "top"):
            value = getattr(self, key)
            is_number = isinstance(value, Real) and not isinstance(value, bool)
            if value is not None and not (is_number and -inf < float(value) < inf):
                raise SchemaError(f"column {name!r}: {key} must be a number.")
        if self.role not in ("sensitive", "insensitive") or self.kind != "numeric":
            raise SchemaError(
                f"column {name!r}: round_to, bottom and top are for sensitive and insensitive "
                "columns of kind numeric. A quasi-identifier is coarsened by its hierarchy: bands "
                "with open ends, written as numbers with --as midpoints."
            )
        if self.round_to is not None and not self.round_to > 0:
            raise SchemaError(f"column {name!r}: round_to must be above 0.")
        if self.bottom is not None and self.top is not None and not self.bottom < self.top:
            raise SchemaError(f"column {name!r}: bottom must be below top.")
        if self.beyond is not None and (self.beyond < 2 or self.bottom is self.top is None):
            raise SchemaError(
                f"column {name!r}: beyond is the number of people, 2 or more, at its top or bottom."
            )

    def _check_shift(self, name: str) -> None:
        if not isinstance(self.shift, str) or not self.most_days:
            raise SchemaError(f"column {name!r}: shift must be a number of days, as in '90 days'.")
        if self.kind != "date" or self.role != "insensitive":
            raise SchemaError(
                f"column {name!r}: shift is for insensitive columns of kind date; a {self.role} "
                f"column of kind {self.kind} is not shifted."
            )

    def _check_lines(self, name: str) -> None:
        lines: Any = self.lines
        if self.kind == "date" and lines in PERIODS:
            return
        is_number = isinstance(lines, Real) and not isinstance(lines, bool)
        if self.kind == "numeric" and is_number and 0 < float(lines) < inf:
            return
        raise SchemaError(
            f"column {name!r}: lines must be a number above 0 in a numeric column, or one of "
            f"{', '.join(PERIODS)} in a date column."
        )

    def to_toml(self) -> dict[str, Any]:
        """What stands under `[columns.name]`; defaults are left out."""
        table: dict[str, Any] = {"role": self.role, "kind": self.kind}
        if self.hierarchy is not None:
            # level by level: a nested tree would lose which level a short branch repeats on
            table["hierarchy"] = (
                self.hierarchy.to_toml()
                if isinstance(self.hierarchy, Recipe)
                else {
                    "levels": [
                        [str(self.hierarchy.labels[n]) for n in row]
                        for row in self.hierarchy.levels
                    ]
                }
            )
        if self.weight != 1.0:
            table["weight"] = self.weight
        if self.limit:
            table["limit"] = list(self.limit)
        if self.limit_level is not None:
            table["limit_level"] = self.limit_level
        if self.target:
            table["target"] = True
        if self.order:
            table["order"] = list(self.order)
        for key in ("lines", "shift", "round_to", "bottom", "top", "separator", "beyond"):
            if getattr(self, key) is not None:
                table[key] = getattr(self, key)
        if self.public:
            table["public"] = True
        return table

    @classmethod
    def from_toml(cls, name: str, table: Any, *, folder: str = "") -> Column:
        """Read what stands under `[columns.name]`."""
        if not isinstance(table, Mapping):
            raise SchemaError(
                f"column {name!r}: give a table with at least a role, such as "
                '{"role": "quasi-identifier"} in Python or {role = "quasi-identifier"} in a file.'
            )
        known = {f.name for f in fields(cls) if f.init}
        if unknown := sorted(set(table) - known):
            raise SchemaError(
                f"column {name!r}: unknown key {unknown[0]!r}. "
                f"{_meant('key', unknown[0], known)}"
                f"Known are {', '.join(sorted(known))}."
            )
        if "role" not in table:
            raise SchemaError(f"column {name!r} has no role. Choose from {', '.join(ROLES)}.")
        parts = dict(table)
        if "hierarchy" in parts:
            spec = parts["hierarchy"]
            if not isinstance(spec, Hierarchy | Recipe):
                parts["hierarchy"] = recipe_from_toml(spec, column=name, folder=folder)
        column = cls(**parts)
        column.check(name)
        return column


def recipe_from_toml(spec: Any, *, column: str, folder: str = "") -> Recipe | Hierarchy:
    """Read what stands behind `hierarchy =`."""
    if spec == "auto":
        return Auto()
    if spec == "flat":
        return Flat()
    if not isinstance(spec, Mapping):
        file = isinstance(spec, PathLike) or str(spec).lower().endswith((".csv", ".txt"))
        raise HierarchyError(
            f'hierarchy of column {column!r} is neither "auto", "flat" nor a table such as '
            "{intervals = [5, 10]}."
            + (" For a file with a hierarchy: {file = ...}." if file else "")
        )
    makers: dict[str, Callable[[Any], Recipe | Hierarchy]] = {
        "intervals": lambda s: Intervals(_list(s["intervals"]), s.get("origin", 0.0)),
        "breaks": lambda s: Breaks(_list(s["breaks"])),
        "equal_width": lambda s: EqualWidth(int(s["equal_width"])),
        "equal_frequency": lambda s: EqualFrequency(int(s["equal_frequency"])),
        "prefix": lambda s: Prefix(_list(s["prefix"]), str(s.get("mask", "*"))),
        "dates": lambda s: Dates(_list(s["dates"])),
        "file": lambda s: FromFile(str(s["file"]), folder),
        "ready": lambda s: Ready(str(s["ready"])),
        "tree": lambda s: Tree(s["tree"]),
        "levels": lambda s: Hierarchy.from_levels(map(_list, s["levels"]), column=column),
    }
    extras = {"intervals": {"origin"}, "prefix": {"mask"}}
    chosen = [name for name in makers if name in spec]
    if len(chosen) != 1 or set(spec) - {chosen[0]} - extras.get(chosen[0], set()):
        odd = next((key for key in spec if key not in makers), None)
        meant = did_you_mean(odd, makers) if not chosen and odd is not None else ""
        tree = "A tree of values stands under tree." if not chosen and not meant and spec else ""
        raise HierarchyError(
            f"hierarchy of column {column!r}: give exactly one of {', '.join(makers)}. "
            f"{meant}{tree}".rstrip()
        )
    try:
        return makers[chosen[0]](spec)
    except HierarchyError:
        raise
    except (TypeError, ValueError, AttributeError):
        raise HierarchyError(
            f"hierarchy of column {column!r}: {chosen[0]} has a value of the wrong type."
        ) from None


_USUAL = {
    "role": {
        "quasi-identifier": ("qi", "qid", "quasi", "quasi_identifying", "key", "keyvar"),
        "identifier": ("id", "direct", "direct_identifier", "identifying", "drop"),
        "sensitive": ("confidential", "secret", "private", "sa", "target"),
        "insensitive": ("other", "none", "non_sensitive", "not_sensitive", "public"),
        "subject": ("person", "patient"),
    },
    "kind": {
        "numeric": ("int", "integer", "float", "double", "decimal", "continuous"),
        "categorical": (
            *("category", "nominal", "factor", "object", "bool", "boolean"),
            *("str", "string", "text"),
        ),
        "date": ("datetime", "datetime64", "timestamp", "day", "time"),
        "ordinal": ("ordered", "ranked", "levels"),
    },
    "key": {
        "kind": ("type", "dtype", "datatype"),
        "hierarchy": ("generalization", "generalisation", "levels", "tree"),
        "role": ("attribute_type", "attribute"),
        "weight": ("priority", "importance"),
    },
}
"""Words of other programs, by the word for it here."""


def _meant(what: str, word: object, known: Iterable[str]) -> str:
    """The word that was probably meant, as a sentence; a type stands for its name."""
    written = word.__name__ if isinstance(word, type) else str(word)
    written = written.strip().lower().replace("-", "_").replace(" ", "_")
    ours = [word for word, theirs in _USUAL[what].items() if written in theirs]
    return did_you_mean(ours[0] if ours else written.replace("_", "-"), [*known])


def _list(given: Any) -> tuple[Any, ...]:
    return tuple(given) if isinstance(given, list | tuple) else (given,)
