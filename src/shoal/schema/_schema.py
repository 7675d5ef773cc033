"""What each column of a table is, in Python and in a TOML file, and how much of it may be told."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from shoal._addresses import path_of
from shoal._atomic import write_text
from shoal._notebook import Plot, html_table, plot_bars
from shoal._plain import comment_toml, table_toml
from shoal.errors import SchemaError
from shoal.schema._builders import Tree
from shoal.schema._column import ROLES, Column
from shoal.schema._csv import FromFile
from shoal.schema._hierarchy import Hierarchy
from shoal.schema._reading import read_reading
from shoal.schema._required import Required
from shoal.typing import PathText

_LEVEL = re.compile(r" \[level \d+\]$")
_PARTS = ("columns", "requirements", "reading")
_READ_AGAIN = "How the table is read: commands that are given this schema read it so again."


class Schema(Mapping[str, Column]):
    """Role, kind, hierarchy, weight and limit of every column.

    Parameters
    ----------
    columns : mapping of str to Column or mapping
        A plain mapping stands for a column as it is written in a schema file.
    requirements : sequence of mapping
        What is asked of rows that agree on some of the quasi-identifiers: `columns`, with `k` or
        `diversity`, as in a schema file.  Releases promise it besides what is asked elsewhere.
    reading : mapping, optional
        How the file of the table is read where that is not said otherwise, in the words of
        :func:`shoal.tables.open_table`; it is never published.

    Examples
    --------
    >>> schema = Schema({
    ...     "age": {"role": "quasi-identifier", "kind": "numeric",
    ...             "hierarchy": {"intervals": [5, 10]}},
    ...     "income": {"role": "sensitive", "target": True},
    ... })
    >>> schema.quasi_identifiers, schema.target
    (('age',), 'income')
    """

    def __init__(
        self,
        columns: Mapping[str, Column | Mapping[str, Any]],
        requirements: Sequence[Required | Mapping[str, Any]] = (),
        reading: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(columns, Mapping):
            raise SchemaError(
                f"a schema is made of a mapping, got {type(columns).__name__}. Write "
                'Schema({"age": {"role": "quasi-identifier"}}) with every column of the table; '
                "`Schema.from_toml(path)` reads a file, and `suggest_schema(table).schema` "
                "suggests one."
            )
        self._columns: dict[str, Column] = {}
        for name, column in columns.items():
            if isinstance(column, Column):
                column.check(name)
            else:
                column = Column.from_toml(name, column)
            self._columns[name] = column
        if not self._columns:
            raise SchemaError("the schema has no columns. Describe at least one.")
        #: What is asked of rows that agree on some of the quasi-identifiers.
        self.requirements = tuple(Required.from_toml(one) for one in requirements)
        #: How the file of the table is read, where that is not said otherwise.
        self.reading: dict[str, Any] = read_reading(reading) if reading else {}
        roles = {
            role: tuple(n for n, column in self._columns.items() if column.role == role)
            for role in ROLES
        }
        subjects = roles["subject"] + roles["pseudonym"]
        targets = [n for n, column in self._columns.items() if column.target]
        #: Columns that are never released.
        self.identifiers = roles["identifier"]
        #: Columns that are coarsened.
        self.quasi_identifiers = roles["quasi-identifier"]
        #: Columns that nobody may link to a person.
        self.sensitive = roles["sensitive"]
        #: Columns whose values are counted within groups: the sensitive ones and the target.
        self.counted = tuple(dict.fromkeys((*self.sensitive, *targets)))
        #: Columns whose dates are moved, person by person.
        self.shifted = tuple(n for n, column in self._columns.items() if column.shift is not None)
        #: Columns that a release has: all but identifiers, the subject and the household.
        self.released = tuple(n for n, column in self._columns.items() if column.is_released)
        #: Columns in which values stand that are not declared public.
        self.listing = tuple(
            name
            for name, column in self._columns.items()
            if not column.public
            and (isinstance(column.hierarchy, Tree | Hierarchy) or column.order or column.limit)
        )
        #: The column that names the household of each row, which is then a person.
        self.household = next(iter(roles["household"]), None)
        #: The subject, where it is released as a token; None where it is not released.
        self.pseudonym = next(iter(roles["pseudonym"]), None)
        #: The column by which rows are counted together: of one person, or of one household.
        #: None when every row is a person, and nothing else is protected.
        self.subject = next(iter(subjects), self.household)
        #: The column that recipients want to predict.
        self.target = next(iter(targets), None)
        units = [*subjects, *roles["household"]]
        # one of each at most, and nothing that needs another, is all right
        if self.requirements or self.shifted or len(targets) > 1 or len(units) > 1:
            self._check_roles(targets, subjects, units)

    def _check_roles(
        self, targets: Sequence[str], subjects: Sequence[str], units: Sequence[str]
    ) -> None:
        for required in self.requirements:
            required.check(self.quasi_identifiers)
        if len(targets) > 1:
            shown = ", ".join(map(repr, targets))
            raise SchemaError(f"the schema has {len(targets)} targets ({shown}). Keep one.")
        if self.shifted and not subjects:
            raise SchemaError(
                f"column {self.shifted[0]!r}: dates are shifted person by person, and no column "
                'says whose a row is. Give one the role "subject" or "pseudonym".'
            )
        if len(subjects) > 1:
            shown = ", ".join(map(repr, subjects))
            raise SchemaError(
                f"the schema has {len(subjects)} subjects ({shown}), and a row belongs to one "
                'person. Keep one, and give the others the role "identifier".'
            )
        if len(units) > max(1, len(subjects)):
            shown = ", ".join(map(repr, units))
            raise SchemaError(
                f"the schema has several columns that say who belongs together ({shown}), and one "
                "is counted. Keep the household where everybody lives in one, since k households "
                'are at least k people, and give the others the role "identifier".'
            )

    # -- parts ------------------------------------------------------------------------------

    def __getitem__(self, name: str) -> Column:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def having(self, *roles: str) -> tuple[str, ...]:
        """Names of the columns in some roles, role by role."""
        return tuple(n for role in roles for n, c in self._columns.items() if c.role == role)

    def replace(self, **columns: Column | Mapping[str, Any]) -> Schema:
        """Copy with some columns exchanged or added."""
        return Schema({**self._columns, **columns}, self.requirements, self.reading)

    def require(
        self, names: Iterable[str], *, to_group: bool = False, index: Sequence[str] = ()
    ) -> None:
        """Raise unless the schema describes exactly these columns of a table.

        Rows that are `to_group` need quasi-identifiers, too; what is in the `index` of a table of
        pandas is no column.
        """
        names = list(names)
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            shown = ", ".join(map(repr, twice))
            raise SchemaError(f"columns given twice: {shown}. Rename or drop one of each.")
        undeclared = [name for name in names if name not in self._columns]
        present = set(names)
        absent = [name for name in self._columns if name not in present]
        if undeclared:
            shown = ", ".join(map(repr, undeclared))
            raise SchemaError(
                f"columns without a role: {shown}. Give each one a role in the schema; "
                f"nothing is assumed.{_misspelt(undeclared, absent)}"
            )
        if absent:
            shown = ", ".join(map(repr, absent))
            way = "Remove them from the schema or add them to the table."
            if set(absent) & set(index):
                way = "They are in its index: table.reset_index() makes columns of it."
            raise SchemaError(f"columns of the schema that the table lacks: {shown}. {way}")
        if to_group and not self.quasi_identifiers:
            raise SchemaError(
                "the schema has no quasi-identifiers, so there is nothing to group rows by. "
                'Give at least one column the role "quasi-identifier".'
            )

    def require_rows_of_own(self, what: str) -> None:
        """Raise if a person may have several rows: for work that takes rows for people."""
        if self.subject is not None:
            raise SchemaError(
                f"{what} counts rows, and column {self.subject!r} says that people have several. "
                "Keep one row of each person, and leave the column out."
            )

    # -- files ------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """As in a schema file."""
        plain: dict[str, Any] = {"columns": {n: column.to_toml() for n, column in self.items()}}
        if self.requirements:
            plain["requirements"] = [required.to_toml() for required in self.requirements]
        if self.reading:
            plain["reading"] = dict(self.reading)
        return plain

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, folder: str = "") -> Schema:
        """Inverse of :meth:`to_dict`."""
        columns = data.get("columns")
        if not isinstance(columns, Mapping):
            raise SchemaError("a schema needs one table per column: [columns.NAME].")
        if extra := [key for key in data if key not in _PARTS]:
            raise SchemaError(
                f"unknown part {extra[0]!r} of the schema. Columns stand under [columns.NAME]."
            )
        requirements = data.get("requirements", ())
        if not isinstance(requirements, list | tuple):
            raise SchemaError("requirements are a list of tables: [[requirements]].")
        return cls(
            {
                name: Column.from_toml(name, column, folder=folder)
                for name, column in columns.items()
            },
            requirements,
            data.get("reading"),
        )

    def to_toml(
        self,
        path: PathText | None = None,
        *,
        comments: Mapping[str, Sequence[str]] | None = None,
        header: Sequence[str] = (),
        folder: PathText | None = None,
    ) -> str:
        """Text of the schema file; written to `path` as well when given.

        Parameters
        ----------
        path : path, optional
            Where to write it.  Hierarchy files are named relative to its folder.
        comments : mapping of str to sequence of str, optional
            Lines to put above columns.
        header : sequence of str
            Lines to put at the top.
        folder : path, optional
            Where the file will lie, when that is not where it is written first.
        """
        if folder is None and path is not None:
            folder = Path(path).parent
        moved = {
            name: replace(column, hierarchy=column.hierarchy.seen_from(Path(folder)))
            for name, column in self._columns.items()
            if folder is not None and isinstance(column.hierarchy, FromFile)
        }
        plain = (self.replace(**moved) if moved else self).to_dict()
        blocks = [comment_toml(header)] if header else []
        if self.reading:
            above = comment_toml([_READ_AGAIN])
            blocks.append(above + table_toml(("reading",), plain["reading"]))
        for name, table in plain["columns"].items():
            above = comment_toml(comments[name]) if comments and name in comments else ""
            blocks.append(above + table_toml(("columns", name), table))
        for table in plain.get("requirements", ()):  # each is one more in a list: in two brackets
            blocks.append(f"[{table_toml(('requirements',), table).replace(']', ']]', 1)}")
        content = "\n".join(blocks)
        if path is not None:
            write_text(path, content)
        return content

    @classmethod
    def from_toml(cls, source: PathText) -> Schema:
        """Read a schema file; hierarchy files are looked up beside it."""
        if isinstance(source, str) and "\n" in source:  # its lines may list somebody's values
            raise SchemaError(
                "from_toml takes the path of a schema file, and was given several lines of text. "
                "Write them to a file, or use Schema.from_dict(tomllib.loads(text))."
            )
        path = path_of(source)
        try:
            data = tomllib.loads(path.read_text("utf-8"))
        except OSError as error:
            raise SchemaError(f"cannot read schema {path.name}: {error.strerror}.") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
            if path.suffix.lower() != ".toml":  # its words may be somebody's
                raise SchemaError(
                    f"{path.name} is no schema, which is a TOML file. `shoal schema TABLE -o "
                    "schema.toml` suggests one."
                ) from None
            raise SchemaError(f"schema {path.name} is not valid TOML: {error}") from None
        return cls.from_dict(data, folder=str(path.parent))

    def _repr_html_(self) -> str:
        rows = [
            [
                name,
                column.role,
                column.kind,
                "" if column.hierarchy is None else type(column.hierarchy).__name__,
                "target" if column.target else "",
            ]
            for name, column in self.items()
        ]
        return html_table("", ["column", "role", "kind", "hierarchy", ""], rows)

    def plot(self) -> Plot:
        """Draw how many columns have each role; needs matplotlib."""
        counts = {role: len(self.having(role)) for role in ROLES if self.having(role)}
        return plot_bars("Columns by role", [*counts], [*counts.values()], "columns")

    def __repr__(self) -> str:
        return f"Schema({', '.join(f'{n}: {c.role}' for n, c in self.items())})"

    def __eq__(self, other: object) -> bool:
        """Same columns in the same order: the order of quasi-identifiers means something."""
        if not isinstance(other, Schema):
            return NotImplemented
        mine = (list(self.items()), self.requirements, self.reading)
        return mine == (list(other.items()), other.requirements, other.reading)

    def __hash__(self) -> int:
        return hash((tuple(self.items()), self.requirements))

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled, with a model that is given out, say: how a table is read is not."""
        return vars(self) | {"reading": {}}

    def __deepcopy__(self, memo: dict[int, Any]) -> Schema:
        """The same: nothing of a schema changes, and clones of an estimator read its tables."""
        return self


def _misspelt(wanted: Sequence[str], spare: Sequence[str]) -> str:
    """Columns that the schema has under nearly the same name, as the end of a sentence."""
    folded = {name.casefold().strip(): name for name in spare}
    pairs = []
    for name in wanted:
        near = get_close_matches(name.casefold().strip(), folded, 1, 0.75)
        if near:
            pairs.append(f"{folded[near[0]]!r} for {name!r}")
    return f" Did you write {', '.join(pairs)}?" if pairs else ""


def published_schema(schema: Schema, told: Mapping[str, Collection[str | None]]) -> Schema:
    """The schema that may be published with a release whose cells say what is `told`, by column.

    A schema that was made from a table lists values of people: a tree names towns in which one
    person lives, and that person may be suppressed.  What is published therefore names only what
    the cells of the release say, and what stands above it.  Recipes (bands, prefixes, periods,
    ready-made trees) name no value and stay, and so does all of a column that is declared `public`.

    Examples
    --------
    >>> tree = {"north": ["Kiel", "Emden"], "south": ["Ulm", "Passau"]}
    >>> schema = Schema({"town": {"role": "quasi-identifier", "hierarchy": {"tree": tree}}})
    >>> published_schema(schema, {"town": ["north", "Ulm"]})["town"].to_toml()["hierarchy"]
    {'tree': {'north': [], 'south': ['Ulm']}}
    """
    made = dict(schema)
    for name in schema.listing:
        column = schema[name]
        named = named_by(told.get(name, ()), column.separator)
        hierarchy, level = column.hierarchy, column.limit_level
        if isinstance(hierarchy, Tree):
            tree = _pruned(hierarchy.tree, named)
            hierarchy, level = Tree(tree) if tree else None, None
        elif isinstance(hierarchy, Hierarchy):
            hierarchy, level = _cut(hierarchy, named), None
        order = tuple(value for value in column.order if value in named)
        # how far values may coarsen was kept when the release was made, and names labels
        made[name] = replace(column, order=order, hierarchy=hierarchy, limit=(), limit_level=level)
    return Schema(made, schema.requirements)


def named_by(cells: Collection[str | None], separator: str | None = None) -> set[str]:
    """Values that cells name: what they say, or items of sets, and the ends of ranges."""
    named = {text for text in cells if text is not None}
    if separator is not None:
        named = {item.strip() for text in named for item in text.split(separator)}
    named |= {_LEVEL.sub("", text) for text in named}
    for text in [text for text in named if text[:1] == "[" and text[-1:] == "]"]:
        for sign in (" to ", "-"):  # a value may hold it, too: any way to read it will do
            parts = text[1:-1].split(sign)
            for cut in range(1, len(parts)):
                named |= {sign.join(parts[:cut]), sign.join(parts[cut:])}
    return named


def _pruned(tree: Any, named: set[str]) -> Any:
    if not isinstance(tree, Mapping):
        return [leaf for leaf in tree if leaf in named]
    below = {label: _pruned(under, named) for label, under in tree.items()}
    return {label: under for label, under in below.items() if under or label in named}


def _cut(hierarchy: Hierarchy, named: set[str]) -> Hierarchy | None:
    """Ways up from what is named; what lies below it is not told, and repeats it."""
    rows = {}
    for nodes in hierarchy.levels.tolist():
        labels = [str(hierarchy.labels[node]) for node in nodes]
        first = next((level for level, label in enumerate(labels[:-1]) if label in named), None)
        if first is not None:
            rows[labels[first]] = [labels[first]] * first + labels[first:]
    above = {label for row in rows.values() for label in row if label != row[0]}
    ways = [row for label, row in rows.items() if label not in above]
    return Hierarchy.from_levels(ways) if ways else None
