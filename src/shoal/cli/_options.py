"""Options that several commands share: one name, one type and one meaning each.

Nothing here loads the library: `--help` shows these options, and has to be quick.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal._atomic import refuse_existing as refuse_existing  # for the commands
from shoal._figure import figure_path
from shoal.anonymize._registry import METHODS
from shoal.errors import ParameterError

if TYPE_CHECKING:
    pass

CONDITION_EXAMPLES = (
    "distinct:3, entropy:1.5, recursive:3:2 (c, l), confidence:0.85, t:0.2, alpha:0.7, "
    "p-sensitive:2, beta:1.5, proximity:1000:2 (e, m)"
)
"""What models say of themselves; asking them would load NumPy, so a test compares.

A new model need not be here: the guide lists all, and so does the error for an unknown word.
"""

Table = Annotated[
    Path,
    typer.Argument(
        metavar="TABLE",
        help="File (CSV, Parquet, Excel, SPSS, ...), folder, table of a database, or - for stdin.",
    ),
]
SchemaFile = Annotated[Path, typer.Option("--schema", "-s", help="What the columns are, TOML.")]
SchemaOrBeside = Annotated[
    Path | None,
    typer.Option(
        "--schema",
        "-s",
        help="What the columns are, TOML; what lies beside a release unless given.",
    ),
]
Original = Annotated[
    Path | None,
    typer.Option("--original", help="The raw table: attack its people, compare its columns."),
]
ReleaseOrManifest = Annotated[
    Path, typer.Argument(metavar="RELEASE", help="A released table, or its NAME.manifest.json.")
]
People = Annotated[
    int, typer.Option("--people", help="People to attack, drawn where there are more.")
]
Shadows = Annotated[
    int,
    typer.Option(
        "--shadows", min=0, help="Releases to make for shadow tables, 6 or more; else none."
    ),
]
_K = typer.Option("-k", help="Smallest group of people that look alike.")
K = Annotated[int | None, _K]
KByDefault = Annotated[int, _K]
Privacy = Annotated[
    list[str] | None,
    typer.Option(
        "--diversity",
        "--privacy",
        help=f"A further condition, e.g. {CONDITION_EXAMPLES}. "
        "Add @COLUMN to speak of one sensitive column only. May be repeated.",
    ),
]
Requirements = Annotated[
    list[str] | None,
    typer.Option(
        "--requirement",
        help="Columns that somebody may know together, and the rows that have to agree on them: "
        "zip,age:10, or zip,age:10+distinct:2. May be repeated.",
    ),
]
Population = Annotated[
    Path | None,
    typer.Option(
        "--population",
        help="Table of everybody who might be in TABLE, those who are included, for conditions "
        "such as k-map:5.",
    ),
]
Methods = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        "-m",
        help=f"A method: {', '.join(METHODS)}. All of them unless given. May be repeated.",
        autocompletion=lambda incomplete: [name for name in METHODS if name.startswith(incomplete)],
    ),
]
Suppress = Annotated[
    float | None, typer.Option("--suppress", help="Share of rows that may be left out, 0 to 1.")
]
Columns = Annotated[
    list[str] | None,
    typer.Option("--column", "-c", help="Column to look at; all unless given. May be repeated."),
]
Target = Annotated[
    str | None, typer.Option("--target", help="Column to predict; that of the schema unless given.")
]
OutFile = Annotated[
    Path, typer.Option("--out", "-o", help="File to write: .csv, .parquet, .xlsx, ...")
]
OutFolder = Annotated[Path, typer.Option("--out", "-o", help="Folder for the results.")]


def _drawable(path: Path | None) -> Path | None:
    """Refuse a format that cannot be drawn before any work."""
    return None if path is None else figure_path(path)


Plot = Annotated[
    Path | None,
    typer.Option("--plot", help="Picture to draw beside: .png, .svg, .pdf.", callback=_drawable),
]
Force = Annotated[bool, typer.Option("--force", help="Replace files that are there.")]
Encoding = Annotated[
    str | None,
    typer.Option("--encoding", help="Encoding of CSV files, e.g. cp1252; else found."),
]
Seed = Annotated[int, typer.Option("--seed", help="Seed of everything that is drawn.")]
Delta = Annotated[float, typer.Option("--delta", help="Probability that a sampled result is off.")]
KeepSuppressed = Annotated[
    bool, typer.Option("--keep-suppressed", help="Keep suppressed rows, starred.")
]
KeepOrder = Annotated[
    bool,
    typer.Option(
        "--keep-order",
        help="Leave rows in the order of the input, which tells who is who to those who know "
        "it; else a secret order is drawn and not kept.",
    ),
]
MissingToRoot = Annotated[
    bool,
    typer.Option("--missing-to-root", help="Values that a hierarchy lacks go under its root."),
]


def numbers_by_column(option: str, given: Sequence[str] | None) -> dict[str, float]:
    """Read COLUMN=NUMBER, which may be repeated."""
    numbers: dict[str, float] = {}
    for text in given or ():
        name, sign, number = text.rpartition("=")
        try:
            numbers[name] = float(number)
        except ValueError:
            sign = ""
        if not sign or not name:
            raise ParameterError(f"{option} {text!r}: write COLUMN=NUMBER, for example age=5.")
    return numbers


def refuse_format(out: Path | None, endings: Sequence[str]) -> None:
    """Raise before any work when a file to write ends in none of these."""
    if out is not None and out.suffix not in endings:
        raise ParameterError(f"cannot tell the format of {out.name!r}: {', '.join(endings)}.")


def whole_numbers(text: str) -> list[int]:
    """Values of ``-k`` with commas between."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise ParameterError(f"-k {text!r}: give whole numbers, as in 2,5,10.") from None
