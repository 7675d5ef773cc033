"""Shoal: publish tables and models about people, and learn from data that cannot be pooled.

The names here are for the first ten minutes; the packages hold the rest.  They load on first use,
so that ``import shoal`` costs next to nothing.

Examples
--------
A table, a first guess at what its columns are, and a release in which nobody is alone:

>>> import shoal
>>> from shoal.datasets import census
>>> people = census(300).path()
>>> schema = shoal.suggest_schema(people).schema
>>> "age" in schema.quasi_identifiers
True
>>> release = shoal.release(people, schema, k=5, method="top-down", max_suppression=0.1)
>>> smallest = release.reached[0]
>>> smallest.description, smallest.holds
('every group has at least 5 rows', True)

Ask for more than large groups by joining conditions:

>>> (shoal.KAnonymity(5) & shoal.EntropyDiversity(1.5, "income")).describe()
"every group has at least 5 rows; the entropy of column 'income' is at least log(1.5) in every group"
"""  # noqa: E501  an answer is one line

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.anonymize import Release, check_table, compare_methods, read_release
    from shoal.anonymize._make_release import release
    from shoal.discover import suggest_schema
    from shoal.privacy import (
        AlphaKAnonymity,
        DistinctDiversity,
        EntropyDiversity,
        KAnonymity,
        TCloseness,
    )
    from shoal.schema import Hierarchy, Schema
    from shoal.tables import open_table

    __version__: str

__all__ = [
    "AlphaKAnonymity",
    "DistinctDiversity",
    "EntropyDiversity",
    "Hierarchy",
    "KAnonymity",
    "Release",
    "Schema",
    "TCloseness",
    "__version__",
    "check_table",
    "compare_methods",
    "open_table",
    "read_release",
    "release",
    "suggest_schema",
]

_HOMES = {
    "AlphaKAnonymity": "shoal.privacy",
    "DistinctDiversity": "shoal.privacy",
    "EntropyDiversity": "shoal.privacy",
    "Hierarchy": "shoal.schema",
    "KAnonymity": "shoal.privacy",
    "Release": "shoal.anonymize",
    "Schema": "shoal.schema",
    "TCloseness": "shoal.privacy",
    "check_table": "shoal.anonymize",
    "compare_methods": "shoal.anonymize",
    "open_table": "shoal.tables",
    "read_release": "shoal.anonymize",
    "release": "shoal.anonymize._make_release",
    "suggest_schema": "shoal.discover",
}


_ROOMS = (
    *("anonymize", "attacks", "audit", "datasets", "discover", "errors", "federated", "metrics"),
    *("models", "parties", "privacy", "report", "risk", "schema", "secure", "tables", "workload"),
)
"""Packages that can be reached as `shoal.models`, without an import of their own."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        value: Any = importlib.import_module("importlib.metadata").version("shoal")
    elif name in _HOMES:
        value = getattr(importlib.import_module(_HOMES[name]), name)
    elif name in _ROOMS:
        return importlib.import_module(f"shoal.{name}")  # which makes it known here
    else:
        from shoal._checks import did_you_mean  # noqa: PLC0415  only on error

        meant = "" if name.startswith("_") else did_you_mean(name, [*__all__, *_ROOMS])
        raise AttributeError(f"module 'shoal' has no attribute {name!r}. {meant}".rstrip())
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    own = (name for name in globals() if name.startswith("__"))
    return sorted({*own, *__all__, *_ROOMS})
