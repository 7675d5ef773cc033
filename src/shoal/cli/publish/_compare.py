"""`shoal compare`: every method on one table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli._options import (
    Encoding,
    Force,
    K,
    Methods,
    Plot,
    Privacy,
    SchemaFile,
    Suppress,
    Table,
    read_privacy,
    refuse_existing,
)
from shoal.cli._output import output
from shoal.cli._reading import reads_tables

app = typer.Typer()


@app.command()
@reads_tables
def compare(
    table: Table,
    schema: SchemaFile,
    k: K = None,
    diversity: Privacy = None,
    method: Methods = None,
    suppress: Suppress = None,
    test: Annotated[
        Path | None,
        typer.Option("--test", help="Rows to test a classifier on; else 30 % are drawn."),
    ] = None,
    plot: Plot = None,
    encoding: Encoding = None,
    force: Force = False,
) -> None:
    """Run all methods on TABLE and show loss, discernibility, accuracy, risk and time of each.

    Nothing is released: the table stays where it is.
    """
    from shoal.anonymize import compare_methods
    from shoal.schema import Schema
    from shoal.tables import open_table

    refuse_existing([] if plot is None else [plot], force=force)
    privacy = read_privacy(k, diversity)
    out = output()
    with out.progress() as progress:
        results = compare_methods(
            open_table(table, encoding=encoding),
            Schema.from_toml(schema),
            privacy,
            methods=method,
            test=None if test is None else open_table(test, encoding=encoding),
            max_suppression=suppress or 0.0,
            progress=progress,
        )
    if plot is not None:
        from shoal.report import plot_comparison

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
