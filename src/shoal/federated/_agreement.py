"""What sites agree on, written down: keys and kernels from one small TOML file."""

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import ParameterError, SchemaError
from shoal.federated.transforms._aliases import AliasTable
from shoal.federated.transforms._key import ColumnCode, TransformKey
from shoal.federated.transforms._ranges import GradedRanges
from shoal.typing import PathText

if TYPE_CHECKING:
    from shoal.federated.kernels._random_kernel import RandomKernel

GRADED = {"low", "high", "groups", "breaks", "decimals"}
MAPPED = {"categories", "prefix"}


def read_agreement(path: PathText) -> dict[str, Any]:
    """The tables of an agreement file."""
    try:
        return tomllib.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise ParameterError(f"cannot read '{Path(path).name}': {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
        raise ParameterError(f"'{Path(path).name}' is not valid TOML.") from None


def make_key(agreement: Mapping[str, Any]) -> TransformKey:
    """A new key from the agreed columns.

    Each ``[columns.NAME]`` has either `low` and `high` (with `groups`) or `breaks`, and `decimals`,
    for a number; or `categories` (and an alias `prefix`) for a category.

    Examples
    --------
    >>> columns = {"age": {"low": 15, "high": 90}, "sex": {"categories": ["f", "m"]}}
    >>> list(make_key({"columns": columns}).columns.values())
    [GradedRanges(5 ranges, decimals=0), AliasTable(prefix='sex', 2 categories)]
    """
    columns = agreement.get("columns")
    if not isinstance(columns, Mapping) or not columns:
        raise SchemaError("the agreement needs one table per column: [columns.NAME].")
    return TransformKey.create({name: _column(name, spec) for name, spec in columns.items()})


def make_kernel(agreement: Mapping[str, Any]) -> "RandomKernel":
    """A new random kernel from the agreed features.

    Each ``[features.NAME]`` has `low` and `high`; ``[kernel]`` may have `components`, `kernel` and
    `gamma`.  B is drawn from the operating system's randomness.

    Examples
    --------
    >>> agreed = {"low": 0, "high": 100}
    >>> kernel = make_kernel({"features": {"age": agreed, "dose": agreed, "weight": agreed}})
    >>> kernel.basis_.shape
    (2, 3)
    """
    from shoal.federated.kernels._random_kernel import (  # noqa: PLC0415  it loads scikit-learn
        RandomKernel,
    )

    features = agreement.get("features")
    if not isinstance(features, Mapping) or not features:
        raise SchemaError("the agreement needs one table per feature: [features.NAME].")
    ranges = {}
    for name, spec in features.items():
        _known(name, spec, {"low", "high"})
        if not {"low", "high"} <= set(spec):
            raise SchemaError(f"feature '{name}' needs low and high.")
        ranges[name] = (float(spec["low"]), float(spec["high"]))
    options = agreement.get("kernel", {})
    _known("kernel", options, {"components", "kernel", "gamma"})
    return RandomKernel(
        ranges,
        options.get("components"),
        options.get("kernel", "linear"),
        gamma=options.get("gamma"),
    ).fit()


def _column(name: str, spec: Any) -> ColumnCode:
    if not isinstance(spec, Mapping):
        raise SchemaError(f"column '{name}' needs a table of settings.")
    if "categories" in spec:
        _known(name, spec, MAPPED)
        return AliasTable.random(spec["categories"], spec.get("prefix", name))
    _known(name, spec, GRADED)
    decimals = spec.get("decimals", 0)
    if "breaks" in spec:
        return GradedRanges.from_breaks(spec["breaks"], decimals=decimals)
    if not {"low", "high"} <= set(spec):
        raise SchemaError(f"column '{name}' needs categories, breaks, or low and high.")
    return GradedRanges.uniform(spec["low"], spec["high"], spec.get("groups", 5), decimals=decimals)


def _known(name: str, spec: Any, known: set[str]) -> None:
    """Raise unless these are known settings, each of its type."""
    if not isinstance(spec, Mapping):
        raise SchemaError(f"'{name}' needs a table of settings.")
    unknown = sorted(set(spec) - known)
    if unknown:
        raise SchemaError(
            f"'{name}': unknown setting '{unknown[0]}'. Known are {', '.join(sorted(known))}."
        )
    for setting, value in spec.items():
        fits, words = SETTINGS[setting]
        if not fits(value):
            raise SchemaError(f"'{name}': {setting} must be {words}.")


def _number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < MOST_NUMBER


def _whole(least: int, most: int) -> Callable[[Any], bool]:
    return lambda value: type(value) is int and least <= value <= most


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _list_of(*types: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list | tuple) and all(type(v) in types for v in value)


MOST_NUMBER, MOST_GROUPS, MOST_DECIMALS = 1e300, 100_000, 15
SETTINGS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "low": (_number, "a number"),
    "high": (_number, "a number"),
    "gamma": (lambda value: _number(value) and value > 0, "a number above 0"),
    "groups": (_whole(1, MOST_GROUPS), f"a whole number from 1 to {MOST_GROUPS}"),
    "decimals": (_whole(0, MOST_DECIMALS), f"a whole number from 0 to {MOST_DECIMALS}"),
    "components": (_whole(1, MOST_GROUPS), f"a whole number from 1 to {MOST_GROUPS}"),
    "breaks": (
        lambda value: _list_of(int, float)(value) and all(map(_number, value)),
        "a list of numbers",
    ),
    "categories": (_list_of(str, int, bool), "a list of texts, whole numbers or truth values"),
    "prefix": (_text, "a text"),
    "kernel": (_text, "a text"),
}
