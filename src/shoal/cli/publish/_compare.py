"""`shoal compare`: every method on one table."""

from pathlib import Path
from typing import Annotated

import typer

from shoal.anonymize import compare_methods
from shoal.cli._options import K, Privacy, SchemaFile, Table, read_privacy
from shoal.cli._output import output
from shoal.schema import Schema

app = typer.Typer()


@app.command()
def compare(
    table: Table,
    schema: SchemaFile,
    k: K = None,
    diversity: Privacy = None,
    methods: Annotated[
        list[str] | None,
        typer.Option("--method", "-m", help="A method to run; all without. May be repeated."),
    ] = None,
    suppress: Annotated[
        float, typer.Option("--suppress", help="Share of rows that may be left out, 0 to 1.")
    ] = 0.0,
    test: Annotated[
        Path | None,
        typer.Option("--test", help="Rows to test a classifier on; else 30 % are drawn."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Picture to write: .png, .svg, .pdf.")
    ] = None,
) -> None:
    """Run all methods on TABLE and show loss, discernibility, accuracy, risk and time of each.

    Nothing is released: the table stays where it is.
    """
    privacy = read_privacy(k, diversity)
    out = output()
    with out.progress() as progress:
        results = compare_methods(
            table,
            Schema.from_toml(schema),
            privacy,
            methods=methods,
            test=test,
            max_suppression=suppress,
            progress=progress,
        )
    if plot is not None:
        from shoal.report import plot_comparison  # noqa: PLC0415  needs an optional package

        plot_comparison(results, plot, title=privacy.describe())
    rows = [
        (
            one.method, one.loss, one.discernibility, one.accuracy, one.highest_risk,
            one.suppressed, one.seconds,
        )
        for one in results
    ]  # fmt: skip
    header = (
        "method", "loss", "discern.", "accuracy", "risk", "left out", "seconds",
    )  # fmt: skip

    def show() -> None:
        out.table(privacy.describe(), header, rows)
        for one in results:
            if one.note:
                out.note(f"{one.method}: {one.note}")

    out.emit({"privacy": privacy.to_dict(), "methods": [r.to_dict() for r in results]}, show)
