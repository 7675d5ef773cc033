"""Parameters: checked once and in the same words, and kept by scikit-learn's conventions.

Importing `sklearn.base` loads pandas and `scipy.stats`, which takes longer than releasing a
million rows.  What `clone`, pipelines and parameter searches ask of an estimator is little and
public, so anonymizers offer it themselves; see docs/decisions/estimators.md.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from difflib import get_close_matches
from functools import wraps
from math import inf, isfinite
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Self

from shoal.errors import ParameterError


def check_integer(name: str, value: object, least: int) -> None:
    """Raise unless `value` is an integer of at least `least`.

    Examples
    --------
    >>> check_integer("k", 2.5, 1)
    Traceback (most recent call last):
        ...
    shoal.errors.ParameterError: k must be an integer of at least 1, got 2.5.
    """
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ParameterError(f"{name} must be an integer of at least {least}, got {value!r}.")


def check_number(
    name: str, value: object, least: float, most: float = inf, *, above: bool = False
) -> None:
    """Raise unless `value` is a finite number between `least` (above it, if asked) and `most`.

    Examples
    --------
    >>> check_number("share", 0, 0, 1, above=True)
    Traceback (most recent call last):
        ...
    shoal.errors.ParameterError: share must be above 0 and at most 1, got 0.
    """
    right = isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)
    if not right or value < least or value > most or (above and value == least):  # type: ignore[operator]
        lower = f"above {least:g}" if above else f"at least {least:g}"
        upper = "" if most == inf else f" and at most {most:g}"
        raise ParameterError(f"{name} must be {lower}{upper}, got {value!r}.")


def check_choice(name: str, value: object, choices: Collection[str]) -> None:
    """Raise unless `value` is one of a few words."""
    if value not in choices:
        meant = did_you_mean(value, choices).rstrip()
        asked = f"{name} must be one of {', '.join(choices)}, got {value!r}."
        raise ParameterError(f"{asked} {meant}".rstrip())


def did_you_mean(word: object, known: Collection[str]) -> str:
    """The known word that was probably meant, as a sentence; empty where none is near.

    Examples
    --------
    >>> did_you_mean("mondrain", ["local", "mondrian"]), did_you_mean("xyz", ["local"])
    ("Did you mean 'mondrian'? ", '')
    """
    folded = {name.casefold(): name for name in known}
    near = get_close_matches(str(word).casefold().strip(), folded, 1, 0.75)
    return f"Did you mean {folded[near[0]]!r}? " if near else ""


_HINTS = {
    "privacy": "privacy=10 asks for k = 10, and a model such as KAnonymity(10) says more",
    "schema": "`suggest_schema(table).schema` suggests one, `Schema.from_toml(path)` reads one",
}
_MEANT = dict.fromkeys(
    ("k", "l", "t", "diversity", "privacy_model", "model", "min_group_size"), "privacy"
)


class SaysWhatItTakes:
    """Says of parameters that are not there, or missing, what there is."""

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        init = vars(cls).get("__init__")
        if init is None:
            return

        @wraps(init)
        def explained(self: Any, *args: Any, **given: Any) -> None:
            try:
                init(self, *args, **given)
            except TypeError as error:
                trace = error.__traceback__
                if trace is None or trace.tb_next is not None:  # not of this call
                    raise
                said = say_what_it_takes(type(self).__name__, init, (self, *args), given)
                raise TypeError(said or str(error)) from None

        cls.__init__ = explained  # type: ignore[method-assign]


def say_what_it_takes(
    name: str, function: Callable[..., Any], args: Sequence[Any], given: Mapping[str, Any]
) -> str:
    """What is wrong with a call, and what to write; empty where nothing is.

    Examples
    --------
    >>> def mine(schema, privacy, *, seed=0): ...
    >>> say_what_it_takes("mine", mine, ["s"], {"k": 10})
    "mine has no parameter 'k'. Did you mean 'privacy'? It has schema, privacy, seed. privacy=10 \
asks for k = 10, and a model such as KAnonymity(10) says more."
    """
    parameters = inspect.signature(function).parameters
    positional = [key for key, one in parameters.items() if one.kind is one.POSITIONAL_OR_KEYWORD]
    known = [key for key in parameters if key != "self"]
    there = {*positional[: len(args)], *given}
    missing = [key for key in known if parameters[key].default is inspect.Parameter.empty]
    missing = [key for key in missing if key not in there]
    if unknown := [key for key in given if key not in known]:
        usual = _MEANT.get(unknown[0], "")
        meant = usual if usual in known else ""
        near = f"Did you mean {meant!r}? " if meant else did_you_mean(unknown[0], known)
        hint = f" {_HINTS[meant]}." if meant else ""
        return f"{name} has no parameter {unknown[0]!r}. {near}It has {', '.join(known)}.{hint}"
    if missing:
        hints = "; ".join(_HINTS[key] for key in missing if key in _HINTS)
        return f"{name} needs {' and '.join(missing)}{': ' if hints else ''}{hints}."
    if len(args) > len(positional):
        return f"{name} takes {', '.join(known)}: all but the first few by name, as in name=value."
    return ""


class Estimator(SaysWhatItTakes):
    """Parameters in ``__init__``, by keyword, stored as they are."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name."""
        names = inspect.signature(type(self)).parameters
        return {name: getattr(self, name) for name in sorted(names)}

    def set_params(self, **parameters: Any) -> Self:
        """Change parameters by name."""
        known = list(self.get_params())
        for name, value in parameters.items():
            if name not in known:
                raise ParameterError(
                    f"{type(self).__name__} has no parameter {name!r}. It has {', '.join(known)}."
                )
            setattr(self, name, value)
        return self

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Say of what fitting makes that it is not there yet."""
            made = name.endswith("_") and not name.startswith("_")
            if made and not any(key[:1] != "_" and key[-1:] == "_" for key in vars(self)):
                raise AttributeError(
                    f"this {type(self).__name__} is not fitted yet, so it has no {name}. Call fit "
                    "first."
                )
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn asks before it puts an estimator into a pipeline."""
        from sklearn.base import BaseEstimator  # noqa: PLC0415  only when scikit-learn asks

        tags = BaseEstimator().__sklearn_tags__()
        tags.target_tags.required = False
        return tags

    def __repr__(self) -> str:
        signature = inspect.signature(type(self).__init__).parameters
        shown = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if signature[name].default is not value and name != "schema"
        ]
        return f"{type(self).__name__}({', '.join(shown)})"


def require_fitted(estimator: Any, attribute: str) -> None:
    """Raise scikit-learn's NotFittedError when `attribute` is not there yet."""
    if not hasattr(estimator, attribute):
        from sklearn.exceptions import NotFittedError  # noqa: PLC0415  only on error

        raise NotFittedError(f"this {type(estimator).__name__} is not fitted yet. Call fit first.")
