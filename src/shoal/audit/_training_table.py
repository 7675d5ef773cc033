"""The people behind a model: which of their columns an attacker knows, and what the rest can be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import SchemaError, TableError
from shoal.frames._frame import Frame
from shoal.privacy.spans._spans import PrivateColumns
from shoal.schema import Column, Hierarchy, Schema
from shoal.schema._builders import Tree
from shoal.schema._coding import Coding, code_column
from shoal.schema._csv import FromFile
from shoal.schema._text import number, text
from shoal.tables import open_table
from shoal.typing import Codes, Native


@dataclass(frozen=True)
class Domain:
    """What a private attribute can be, as far as the attacker knows.

    Parameters
    ----------
    values : tuple
        All values; of a range its two ends.
    is_range : bool
        Whether every number between the ends is possible.
    has_missing : bool
        Whether the value may be missing as well.
    """

    values: tuple[Any, ...]
    is_range: bool = False
    has_missing: bool = False


@dataclass(frozen=True, eq=False)
class TrainingTable:
    """Training rows with the roles of their columns.

    Parameters
    ----------
    frame : Frame
        The rows.
    schema : Schema
        Roles and kinds.
    attributes : tuple of str
        Columns that a model may use: all but identifiers and the target.
    private : tuple of str
        Attributes that the attacker does not know.
    domains : mapping of str to Domain
        What each private attribute can be.
    columns : mapping
        Codes of the private columns, the target's among them when it is private.
    """

    frame: Frame
    schema: Schema
    attributes: tuple[str, ...]
    private: tuple[str, ...]
    domains: Mapping[str, Domain]
    columns: PrivateColumns

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.frame.n_rows

    @property
    def target_is_private(self) -> bool:
        """Whether there is a target that the attacker does not know."""
        return self.schema.target is not None and self.schema.target in self.columns

    def numbers(self, name: str) -> Any:
        """A column as floats; an error names a column that has none."""
        if self.frame.types[name] not in ("number", "boolean"):
            raise SchemaError(
                f"column {name!r} is not numeric, and the model has no encoder for it. "
                "Audit the whole Pipeline with the encoders it was fitted with."
            )
        return self.frame.numbers(name)

    def class_codes(self, classes: Any) -> NDArray[np.int64] | None:
        """Place of each row's target among the classes of a model; None where they are others.

        Classes 0, 1, 2 may also stand for the target's values in order, as encoders number them.
        """
        target = self.schema.target
        if target is None or not isinstance(classes, np.ndarray) or classes.ndim != 1:
            return None
        codes, values = self.frame.factorize(target)
        known = [text(value) for value in values]
        own = [text(value) for value in classes.tolist()]
        if not set(own) <= set(known) and own == [text(n) for n in range(len(known))]:
            own = sorted(known, key=lambda one: (one is None, str(one)))
        code_of = {value: number for number, value in enumerate(own)}
        if (codes < 0).any() or not set(known) <= code_of.keys():
            return None
        return np.array([code_of[value] for value in known], np.int64)[codes]


def read_training_table(
    table: Native,
    schema: Schema,
    domain: Mapping[str, Sequence[Any]] | None = None,
    *,
    several_rows: bool = False,
) -> TrainingTable:
    """Read a training table and check it against its schema.

    A schema with a subject is refused unless the caller copes with `several_rows` of a person.
    """
    if not isinstance(schema, Schema):
        raise SchemaError("schema must be a Schema: which columns are public, which private.")
    frame = read_frame(_baskets(table, schema) if isinstance(table, list) else table, schema)
    if not frame.n_rows:
        raise TableError("the table has 0 rows. Give the training table.")
    schema.require(frame.names)
    if not several_rows:
        schema.require_rows_of_own("an audit")
    target = schema.target
    attributes = tuple(name for name in frame.names if name != target and schema[name].is_released)
    private = tuple(name for name in attributes if schema[name].role == "sensitive")
    if unknown := sorted(set(domain or {}) - set(private)):
        raise SchemaError(f"domain names {unknown[0]!r}, which is not a private attribute.")
    hidden = [*private]
    if target is not None and schema[target].role == "sensitive":
        hidden.append(target)
    columns: dict[str, tuple[Coding, Codes]] = {}
    domains = {}
    for name in hidden:
        codes, values = frame.factorize(name)
        columns[name] = code_column(name, schema[name], codes, values)
        if name in private:
            domains[name] = _domain(name, schema[name], codes, values, (domain or {}).get(name))
    return TrainingTable(frame, schema, attributes, private, domains, columns)


def _baskets(baskets: list[Any], schema: Schema) -> dict[str, Any]:
    """Baskets as a table: a column per item of the schema, true where a basket has it."""
    column_of = {item: column for column, item in enumerate(schema)}
    has_item = np.zeros((len(column_of), len(baskets)), np.bool_)
    unknown = set()
    for row, basket in enumerate(baskets):
        for item in basket:
            if item in column_of:
                has_item[column_of[item], row] = True
            else:
                unknown.add(item)
    if unknown:
        raise SchemaError(f"{len(unknown)} items of the baskets are no columns of the schema.")
    return dict(zip(column_of, has_item, strict=True))


def read_frame(table: Native, schema: Schema | None = None) -> Frame:
    """A frame of any library; files and relations are read into whichever is installed."""
    return open_table(table, schema=schema).frame()


def _domain(
    name: str, column: Column, codes: Codes, values: Sequence[Any], given: Sequence[Any] | None
) -> Domain:
    missing = bool((codes < 0).any())
    if given is not None:
        return _declared(name, column, values, given, missing)
    if column.kind in ("numeric", "date"):
        if not values:
            return Domain((), False, missing)
        numbers = sorted(values, key=number)
        return Domain((numbers[0], numbers[-1]), True, missing)
    value_of = {text(value): value for value in values}
    # numbers of a categorical column have no text to be compared with the schema's
    if all(isinstance(value, str) for value in values):
        value_of |= {leaf: leaf for leaf in (*column.order, *_leaves(column, name))}
    return Domain(tuple(value_of[key] for key in sorted(map(str, value_of))), False, missing)


def _declared(
    name: str, column: Column, values: Sequence[Any], given: Sequence[Any], missing: bool
) -> Domain:
    if column.kind in ("numeric", "date") and isinstance(given, tuple) and len(given) == 2:
        low, high = number(given[0]), number(given[1])
        outside = sum(not low <= number(value) <= high for value in values)
        declared = Domain(tuple(given), True, missing)
    else:
        known = {text(value) for value in given}
        outside = sum(text(value) not in known for value in values)
        declared = Domain(tuple(given), False, missing)
    if outside:
        raise SchemaError(
            f"column {name!r}: {outside} of its values are outside the declared domain. Widen it."
        )
    return declared


def _leaves(column: Column, name: str) -> list[str]:
    recipe = column.hierarchy
    if isinstance(recipe, Tree | FromFile):
        recipe = recipe.build((), column=name)
    if not isinstance(recipe, Hierarchy):
        return []
    return [str(label) for label in recipe.labels[: recipe.n_leaves] if label is not None]
