"""Options that `shoal quasi` and `shoal mask` share."""

from pathlib import Path
from typing import Annotated

import typer

from shoal.errors import ParameterError, TableError

Table = Annotated[Path, typer.Argument(help="CSV or Parquet file, or a folder of them.")]
Columns = Annotated[
    list[str] | None, typer.Option("--column", "-c", help="Column to look at; repeat. All without.")
]
Delta = Annotated[float, typer.Option(help="Probability that a sampled result is off.")]
Seed = Annotated[int | None, typer.Option(help="Seed of the sample.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")]


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


def refuse_existing(path: Path | None, force: bool) -> None:
    """Raise when a file is there and may not be overwritten."""
    if path is not None and path.exists() and not force:
        raise TableError(f"{path.name!r} is there already. Choose another name or use --force.")
