"""Names of the methods, one line on each, and which one fits a purpose."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from shoal.errors import ParameterError
from shoal.privacy import PrivacyModel
from shoal.schema import Schema

Purpose = Literal["general", "classification", "queries"]
PURPOSES = ("general", "classification", "queries")

METHODS: dict[str, tuple[str, str]] = {
    "bottom-up": ("BottomUpGeneralization", "one cut per column, keeps class information"),
    "top-down": ("TopDownSpecialization", "one cut per column, refined for the class"),
    "local": ("LocalRecoding", "every group as precise as it can be; least loss"),
    "full-domain": ("FullDomain", "one level per column, the proven best"),
    "mondrian": ("Mondrian", "regions of the data, priorities from a workload"),
    "constrained": ("ConstrainedKMember", "clusters within limits, suppresses the least"),
}
"""Class in `shoal.anonymize` behind each name, and what sets it apart."""

_MANY_ROWS = 20_000_000
_MANY_COLUMNS = 25


@dataclass(frozen=True)
class Choice:
    """The method that fits, and why.

    Parameters
    ----------
    method : str
        A name in ``METHODS``.
    reason : str
        One sentence.
    """

    method: str
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def known_methods() -> dict[str, Any]:
    """Classes that are there, by name."""
    package = importlib.import_module("shoal.anonymize")
    return {
        name: getattr(package, kind)
        for name, (kind, _) in METHODS.items()
        if hasattr(package, kind)
    }


def make_method(
    name: str, schema: Schema, privacy: PrivacyModel, parameters: Mapping[str, Any] | None = None
) -> Any:
    """The estimator called `name`; parameters that are None keep their defaults."""
    known = known_methods()
    if name not in known:
        raise ParameterError(f"unknown method {name!r}. Choose from {', '.join(known)}, auto.")
    given = {key: value for key, value in (parameters or {}).items() if value is not None}
    allowed = set(inspect.signature(known[name]).parameters) - {"schema", "privacy"}
    if unknown := sorted(given.keys() - allowed):
        raise ParameterError(
            f"method {name} has no parameter {unknown[0]!r}. It has {', '.join(sorted(allowed))}."
        )
    return known[name](schema, privacy, **given)


def choose_method(schema: Schema, n_rows: int, purpose: Purpose = "general") -> Choice:
    """The method for a table of this size and this purpose.

    Parameters
    ----------
    schema : Schema
        Number of quasi-identifiers, target, limits.
    n_rows : int
        Rows of the table.
    purpose : {"general", "classification", "queries"}
        What recipients do with the release.
    """
    if purpose not in PURPOSES:
        raise ParameterError(f"purpose must be one of {', '.join(PURPOSES)}, got {purpose!r}.")
    if purpose == "classification" and schema.target is None:
        raise ParameterError(
            "purpose classification needs a class column. Mark one with target = true."
        )
    n_columns = len(schema.quasi_identifiers)
    if n_rows > _MANY_ROWS or n_columns > _MANY_COLUMNS:
        return Choice(
            "top-down",
            f"with {n_rows} rows and {n_columns} quasi-identifiers the methods that lose less "
            "take long",
        )
    if purpose == "queries" and "mondrian" in known_methods():
        return Choice("mondrian", "its regions do not overlap, so counts can be added up")
    if purpose == "classification":
        return Choice(
            "local",
            "classifiers trained on its releases came closest to the raw data where we measured it",
        )
    return Choice("local", "it loses least of all methods, and nothing else is asked for")
