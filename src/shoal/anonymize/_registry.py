"""The methods there are: what command line, reports, guides and contract tests read.

A new method is a file with a class that carries its name, summary and explanation, a line in
:data:`METHODS`, and its name in the package.

Examples
--------
>>> "local" in METHODS, METHODS["local"].rpartition(".")[2]
(True, 'LocalRecoding')
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from shoal._checks import did_you_mean
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from shoal.anonymize._anonymizer import Anonymizer
    from shoal.privacy import PrivacyModel
    from shoal.schema import Schema

METHODS: dict[str, str] = {
    "bottom-up": "shoal.anonymize.greedy._bottom_up.BottomUpGeneralization",
    "top-down": "shoal.anonymize.greedy._top_down.TopDownSpecialization",
    "local": "shoal.anonymize.clusters._local_recoding.LocalRecoding",
    "full-domain": "shoal.anonymize.lattice._full_domain.FullDomain",
    "mondrian": "shoal.anonymize.mondrian._mondrian.Mondrian",
    "constrained": "shoal.anonymize.clusters._constrained.ConstrainedKMember",
    "microaggregation": "shoal.anonymize.numbers._microaggregation.Microaggregation",
}
"""Name of each method, and its class as a path: what only lists methods loads none of them."""

METHODS_WITH_TARGET: dict[str, str] = {
    "tree": "shoal.anonymize._model_based.TreeGeneralization",
}
"""Methods for tables with a target only: asked for by name, never tried unasked."""

EVERY_METHOD: Mapping[str, str] = METHODS | METHODS_WITH_TARGET
"""All of them: what a release may have been made by."""


def method_class(name: str) -> type[Anonymizer]:
    """The class behind a name.

    Examples
    --------
    >>> method_class("local").summary
    'every group as precise as it can be; least loss'
    """
    if name not in EVERY_METHOD:
        known = ", ".join(EVERY_METHOD)
        written = getattr(name, "__name__", str(name))  # a class is known by its name
        meant = did_you_mean(word_of(written) or written, EVERY_METHOD)
        raise ParameterError(f"unknown method {written!r}. {meant}Choose from {known}, auto.")
    module, _, kind = EVERY_METHOD[name].rpartition(".")
    loaded: type[Anonymizer] = getattr(import_module(module), kind)
    return loaded


def word_of(kind: object) -> str | None:
    """The name of the method whose class a manifest names; None where there is none.

    Examples
    --------
    >>> word_of("LocalRecoding"), word_of("import_module")
    ('local', None)
    """
    return {path.rpartition(".")[2]: name for name, path in EVERY_METHOD.items()}.get(str(kind))


def known_methods() -> dict[str, type[Anonymizer]]:
    """The classes of all methods, by name."""
    return {name: method_class(name) for name in METHODS}


_USUAL = {
    **dict.fromkeys(("suppress", "suppression", "suppression_limit"), "max_suppression"),
    **dict.fromkeys(("diversity", "l", "t"), "privacy"),
}
"""What people type for a parameter who know the command line or other programs."""


def meant_by(parameter: str, known: Collection[str]) -> str:
    """What was probably meant by a parameter that is not there, as a sentence with a blank."""
    usual = _USUAL.get(parameter, "")
    if usual == "privacy":
        return "Did you mean 'privacy', as in privacy=DistinctDiversity(2)? "
    return did_you_mean(usual or parameter, known)


def make_method(
    name: str,
    schema: Schema,
    privacy: PrivacyModel | int,
    parameters: Mapping[str, Any] | None = None,
) -> Anonymizer:
    """The estimator called `name`; parameters that are None keep their defaults.

    Examples
    --------
    >>> from shoal.schema import Schema
    >>> schema = Schema({"age": {"role": "quasi-identifier"}})
    >>> make_method("mondrian", schema, 5, {"relaxed": True}).get_params()["relaxed"]
    True
    """
    kind: Any = method_class(name)
    given = {key: value for key, value in (parameters or {}).items() if value is not None}
    allowed = set(inspect.signature(kind).parameters) - {"schema", "privacy"}
    if unknown := sorted(given.keys() - allowed):
        meant = _USUAL.get(unknown[0], unknown[0])
        others = [
            other
            for other, there in known_methods().items()
            if meant in inspect.signature(there).parameters and meant not in allowed | {"privacy"}
        ]
        instead = f" {meant!r} is known to {', '.join(others)}." if others else ""
        raise ParameterError(
            f"method {name} has no parameter {unknown[0]!r}. {meant_by(unknown[0], allowed)}"
            f"It has {', '.join(sorted(allowed))}." + instead
        )
    made: Anonymizer = kind(schema, privacy, **given)
    return made
