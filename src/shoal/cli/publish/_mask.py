"""`shoal mask`: publish as many columns as can go together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli._options import (
    Columns,
    Delta,
    Encoding,
    Force,
    Seed,
    Table,
    numbers_by_column,
    refuse_existing,
)
from shoal.cli._output import output
from shoal.cli._reading import reads_tables, refuse_input

if TYPE_CHECKING:
    from shoal.discover._results import MaskResult

app = typer.Typer(help="Publish as many columns as can go together.")


@app.command("mask")
@reads_tables
def mask_table(
    table: Table,
    beta: Annotated[float, typer.Option(help="Largest ratio that the published columns may have.")],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="Write the published columns here: .csv, .parquet, .arrow."
        ),
    ] = None,
    kind: Annotated[str, typer.Option(help="Which ratio: distinct or separation.")] = "distinct",
    column: Columns = None,
    weight: Annotated[
        list[str] | None,
        typer.Option(
            help="COLUMN=VALUE: what publishing it is worth, 1 unless given. May be repeated."
        ),
    ] = None,
    sample: Annotated[
        int | None, typer.Option(help="Rows (distinct) or pairs (separation) to examine.")
    ] = None,
    delta: Delta = 0.01,
    time_limit: Annotated[
        float,
        typer.Option(min=0.1, help="Seconds to search; then what was found so far is told."),
    ] = 20.0,
    seed: Seed = 0,
    encoding: Encoding = None,
    force: Force = False,
) -> None:
    """Choose columns whose combinations tell people apart no more than BETA allows."""
    from shoal.discover import mask
    from shoal.discover._publish import write_masked
    from shoal.tables import open_table

    refuse_input([] if out is None else [out], [table])
    refuse_existing([] if out is None else [out], force=force)
    engine = open_table(table, encoding=encoding)
    result = mask(
        engine,
        beta,
        kind,
        sample=sample,
        delta=delta,
        weights=numbers_by_column("--weight", weight),
        columns=column,
        time_limit=time_limit,
        random_state=seed,
    )
    ratio = None if out is None else write_masked(engine, result, out, force=force)
    shown = {**result.to_dict(), "out": None if out is None else str(out), "ratio_written": ratio}
    output().emit(shown, lambda: _show(result, out, ratio))


def _show(result: MaskResult, out: Path | None, ratio: float | None) -> None:
    said = output()
    n_columns = len(result.published) + len(result.withheld)
    said.table(
        f"{'Can be published' if out is None else 'Published'}, {len(result.published)} of "
        f"{n_columns} columns",
        ("column", f"{result.kind} ratio with it"),
        list(zip(result.published, result.ratios, strict=True)),
    )
    said.table("Withheld", ("column",), [(name,) for name in result.withheld])
    for note in result.notes:
        said.note(f"Note: {note}")
    said.note(f"{result.guarantee}; {result.seconds:.2f} s.")
    if out is None:
        said.note("Nothing was written. Name a file with --out to write the columns.")
    else:
        said.note(f"Written to {out.name}; {result.kind} ratio of its rows {ratio:.4g}.")
