"""Options that `shoal quasi` and `shoal mask` share."""

from typing import Annotated

import typer

from shoal.errors import ParameterError

Columns = Annotated[
    list[str] | None, typer.Option("--column", "-c", help="Column to look at; repeat. All without.")
]
Delta = Annotated[float, typer.Option(help="Probability that a sampled result is off.")]
Seed = Annotated[int | None, typer.Option(help="Seed of the sample.")]


def numbers_by_column(option: str, given: list[str] | None) -> dict[str, float]:
    """Read NAME=NUMBER, which may be repeated."""
    found: dict[str, float] = {}
    for text in given or []:
        name, sign, number = text.rpartition("=")
        try:
            found[name] = float(number)
        except ValueError:
            sign = ""
        if not sign or not name:
            raise ParameterError(f"{option} {text!r}: write COLUMN=NUMBER, for example age=5.")
    return found
