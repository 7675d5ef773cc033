"""Which method fits a table and a purpose."""

from __future__ import annotations

import inspect
from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from shoal._checks import check_choice
from shoal.anonymize._registry import meant_by, method_class
from shoal.anonymize.apart._components import find_components
from shoal.errors import ParameterError
from shoal.privacy import PrivacyModel
from shoal.privacy._promise import bind_promise
from shoal.schema import Schema

Purpose = Literal["general", "classification", "queries"]

_MANY_ROWS = 20_000_000  # from here on, the methods that lose less take hours
_MANY_COLUMNS = 25
_BY_LOSS = ("local", "mondrian", "bottom-up", "top-down", "full-domain", "constrained")
"""Methods in the order in which they are tried for parameters that not all of them have."""


@dataclass(frozen=True)
class Choice:
    """The method that fits, and why.

    Parameters
    ----------
    method : str
        A name in ``METHODS``.
    reason : str
        One sentence, for who holds the table: it may have figures of raw values.
    note : str
        What a manifest says of it; nothing where nothing was measured.
    """

    method: str
    reason: str
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def choose_method(
    schema: Schema,
    n_rows: int,
    purpose: Purpose = "general",
    parameters: Collection[str] = (),
    privacy: PrivacyModel | None = None,
) -> Choice:
    """The method for a table of this size and this purpose.

    Parameters
    ----------
    schema : Schema
        Number of quasi-identifiers, target, limits.
    n_rows : int
        Rows of the table.
    purpose : {"general", "classification", "queries"}
        What recipients do with the release.
    parameters : collection of str
        Names of parameters that are asked for; only a method that has them all will do.
    privacy : PrivacyModel, optional
        What is promised; requirements of the schema are known anyway.

    Examples
    --------
    >>> choose_method(Schema({"age": {"role": "quasi-identifier"}}), 1000).method
    'local'
    """
    check_choice("purpose", purpose, get_args(Purpose))
    if purpose == "classification" and schema.target is None:
        raise ParameterError(
            "purpose classification needs a class column. Mark one with target = true."
        )
    choice = _by_promise(schema, privacy) or choose_by_size(schema, n_rows, purpose)
    if set(parameters) <= parameters_of(choice.method):
        return choice
    for name in _BY_LOSS:
        if set(parameters) <= parameters_of(name):
            asked = " and ".join(sorted(set(parameters) - parameters_of(choice.method)))
            return Choice(
                name,
                f"{asked} was asked for, which {choice.method} does not have, though it mostly "
                f"loses much less. Leave {asked} out to have {choice.method}",
            )
    known = set().union(*map(parameters_of, _BY_LOSS))
    if unknown := sorted(set(parameters) - known):
        raise ParameterError(
            f"no method has a parameter {unknown[0]!r}. {meant_by(unknown[0], known)}"
            "help(shoal.release) says what there is."
        )
    raise ParameterError(
        f"no method has all of the parameters {', '.join(sorted(parameters))}. Choose one with "
        "--method, or method=, and give only what it has."
    )


def parameters_of(method: str) -> set[str]:
    """Names of the parameters of a method."""
    return set(inspect.signature(method_class(method)).parameters)


def _by_promise(schema: Schema, privacy: PrivacyModel | None) -> Choice | None:
    """A method that counts what is asked of some columns on those, where that pays.

    Others form groups over all columns that requirements tie together, which costs nothing where
    these are the columns of one requirement.
    """
    if not schema.requirements and not getattr(privacy, "asks_of_some_columns", False):
        return None
    parts = find_components(bind_promise(privacy, schema), schema.quasi_identifiers)
    if not any(part.asked is not None and part.asked.asks_of_some_columns for part in parts):
        return None
    return Choice("top-down", "it counts what is asked of some columns on those columns alone")


def choose_by_size(schema: Schema, n_rows: int, purpose: Purpose) -> Choice:
    """The method for a table of this size and this purpose, whatever else is asked for."""
    n_columns = len(schema.quasi_identifiers)
    if n_rows > _MANY_ROWS or n_columns > _MANY_COLUMNS:
        return Choice(
            "top-down",
            f"with {n_rows} rows and {n_columns} quasi-identifiers the methods that lose less "
            "take long",
        )
    if purpose == "queries":
        return Choice("mondrian", "its regions do not overlap, so counts can be added up")
    if purpose == "classification":
        return Choice(
            "local",
            "classifiers trained on its releases came closest to the raw data where we measured it",
        )
    return Choice(
        "local",
        "it begins with the best of several groupings, Mondrian's among them, and improves it",
    )
