"""`shoal explain`: why a row was released as it was."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli._options import Encoding, whole_numbers
from shoal.cli._output import output
from shoal.cli._reading import reads_tables
from shoal.cli.publish._show import percent

if TYPE_CHECKING:
    from shoal.anonymize._explain import Explanation

app = typer.Typer()


@app.command()
@reads_tables
def explain(
    release: Annotated[
        Path, typer.Argument(metavar="RELEASE", help="A released table, its house files beside it.")
    ],
    original: Annotated[Path, typer.Option("--original", help="The raw table it was made of.")],
    row: Annotated[int, typer.Option("--row", min=0, help="Row of the raw table, from 0.")],
    k: Annotated[
        str | None,
        typer.Option("-k", help="Other k to try with the same method, with commas between."),
    ] = None,
    encoding: Encoding = None,
) -> None:
    """Say why a row of the raw table was left out or made so coarse.  For the house.

    Reads the raw table and the recoding in NAME.private; shows labels and counts, no raw value.
    """
    from shoal.anonymize._explain import explain_released

    told = explain_released(
        release, original, row, () if k is None else whole_numbers(k), encoding=encoding
    )
    output().emit(told.to_dict(), lambda: _show(told))


def _show(told: Explanation) -> None:
    out = output()
    out.table(
        "",
        ["column", "released as", "lost", "rows alike without it"],
        [
            [name, told.labels[name], percent(told.lost[name]), told.alike_without[name]]
            for name in told.labels
        ],
    )
    for sentence in told.sentences:
        out.print(sentence)
