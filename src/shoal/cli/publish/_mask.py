"""`shoal mask`: publish as many columns as can go together."""

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli._options import Encoding, Force, Table, refuse_existing
from shoal.cli._output import output
from shoal.cli.publish._quasi_options import Columns, Delta, Seed, numbers_by_column
from shoal.discover import mask, write_masked
from shoal.discover._results import MaskResult
from shoal.tables import open_table

app = typer.Typer(help="Publish as many columns as can go together.")


@app.command("mask")
def mask_table(
    table: Table,
    beta: Annotated[float, typer.Option(help="Largest ratio that the published columns may have.")],
    out: Annotated[
        Path | None,
        typer.Option(help="Write the published columns here (CSV, Parquet, Arrow)."),
    ] = None,
    kind: Annotated[str, typer.Option(help="Which ratio: distinct or separation.")] = "distinct",
    column: Columns = None,
    weight: Annotated[
        list[str] | None,
        typer.Option(help="COLUMN=VALUE of publishing it; repeat. 1 without."),
    ] = None,
    sample: Annotated[
        int | None, typer.Option(help="Rows (distinct) or pairs (separation) to examine.")
    ] = None,
    delta: Delta = 0.01,
    seed: Seed = None,
    encoding: Encoding = None,
    force: Force = False,
) -> None:
    """Choose columns whose combinations tell people apart no more than BETA allows."""
    refuse_existing([] if out is None else [out], force=force)
    engine = open_table(table, encoding=encoding)
    found = mask(
        engine,
        beta,
        kind,
        sample=sample,
        delta=delta,
        weights=numbers_by_column("--weight", weight),
        columns=column,
        random_state=seed,
    )
    ratio = None if out is None else write_masked(engine, found, out, force=force)
    shown = {**found.to_dict(), "out": None if out is None else str(out), "ratio_written": ratio}
    output().emit(shown, lambda: _show(found, out, ratio))


def _show(found: MaskResult, out: Path | None, ratio: float | None) -> None:
    said = output()
    n_columns = len(found.published) + len(found.withheld)
    said.table(
        f"Published, {len(found.published)} of {n_columns} columns",
        ("column", f"{found.kind} ratio with it"),
        list(zip(found.published, found.ratios, strict=True)),
    )
    said.table("Withheld", ("column",), [(name,) for name in found.withheld])
    for note in found.notes:
        said.note(f"Note: {note}")
    said.note(f"{found.guarantee}; {found.seconds:.2f} s.")
    if out is not None:
        said.note(f"Written to {out.name}; {found.kind} ratio of its rows {ratio:.4g}.")
