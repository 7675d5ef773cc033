"""Options that several commands share, and what they mean to the library."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal._atomic import refuse_existing as refuse_existing  # for the commands
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from shoal.privacy import PrivacyModel

Table = Annotated[Path, typer.Argument(help="CSV or Parquet file, or a folder of them.")]
SchemaFile = Annotated[Path, typer.Option("--schema", "-s", help="What the columns are, TOML.")]
K = Annotated[int | None, typer.Option("-k", help="Smallest group of people that look alike.")]
Privacy = Annotated[
    list[str] | None,
    typer.Option(
        "--diversity",
        "--privacy",
        help="A further condition, e.g. distinct:3, entropy:1.5, recursive:3:2 (c, l), "
        "confidence:0.85, t:0.2, alpha:0.7, p-sensitive:2, beta:1.5, proximity:1000:2 (e, m). "
        "Add @COLUMN to speak of one sensitive column only. May be repeated.",
    ),
]
OutFile = Annotated[
    Path, typer.Option("--out", "-o", help="File to write: .csv, .parquet, .arrow.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace files that are there.")]
Encoding = Annotated[
    str | None, typer.Option("--encoding", help="Encoding of CSV files, e.g. latin-1.")
]
MissingToRoot = Annotated[
    bool,
    typer.Option("--missing-to-root", help="Values that a hierarchy lacks go under its root."),
]


def read_privacy(k: int | None, conditions: Sequence[str] | None) -> PrivacyModel:
    """The privacy model that `-k` and the further conditions ask for."""
    from shoal import privacy  # noqa: PLC0415  loads arrays; --help has no use for them

    models = [] if k is None else [privacy.KAnonymity(k)]
    for condition in conditions or ():
        models.append(_read_condition(condition, k))
    if not models:
        raise ParameterError("nothing is asked for. Say -k 10, or a condition with --diversity.")
    joined = models[0]
    for model in models[1:]:
        joined = joined & model
    return joined


def _read_condition(condition: str, k: int | None) -> Any:
    from shoal import privacy as p  # noqa: PLC0415

    makers: dict[str, tuple[int, Callable[..., Any]]] = {
        "distinct": (1, lambda l, column: p.DistinctDiversity(_whole(l), column)),  # noqa: E741
        "entropy": (1, p.EntropyDiversity),
        "recursive": (2, lambda c, l, column: p.RecursiveDiversity(c, _whole(l), column)),  # noqa: E741
        "confidence": (1, p.ConfidenceLimit),
        "t": (1, p.TCloseness),
        "alpha": (1, lambda alpha, column: p.AlphaKAnonymity(alpha, k or 1, column)),
        "p-sensitive": (1, lambda least, column: p.PSensitive(_whole(least), k or 1, column)),
        "beta": (1, p.BetaLikeness),
        "proximity": (2, p.Proximity),
    }
    text, _, column = condition.partition("@")
    kind, *numbers = text.split(":")
    if kind not in makers:
        raise ParameterError(
            f"unknown condition {kind!r}. Choose from {', '.join(makers)}, e.g. entropy:1.5."
        )
    wanted, make = makers[kind]
    if len(numbers) != wanted or not all(re.fullmatch(r"-?[\d.]+(e-?\d+)?", n) for n in numbers):
        example = ":".join([kind, *["2"] * wanted])
        raise ParameterError(f"condition {kind} takes {wanted} number(s), e.g. {example}.")
    return make(*map(_number, numbers), column or None)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ParameterError(f"{text!r} is not a number.") from None


def _whole(number: float) -> Any:
    return int(number) if number == int(number) else number  # the model says what is wrong
