"""`shoal audit`: can this model be published?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli._failures import CANNOT_TELL, CHECK_FAILED
from shoal.cli._options import Encoding, Force, KByDefault, Plot, SchemaFile, Table, refuse_existing
from shoal.cli._output import output
from shoal.cli._reading import reads_tables

if TYPE_CHECKING:
    from shoal.audit._model_audit import ModelAudit

app = typer.Typer(help="Find out whether a model can be published.")

_MOST_BREACHES = 10
"""Breaches that are shown to people; `--json` has all of them."""


@app.command()
@reads_tables
def run(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="Model: .skops or .json; pickles with --trust.")
    ],
    table: Table,
    schema: SchemaFile,
    k: KByDefault = 10,
    release: Annotated[
        str, typer.Option(help="What is published with it: counts, frequencies or majority.")
    ] = "counts",
    threshold: Annotated[
        float | None, typer.Option(help="For a linear regression: what predictions are held to.")
    ] = None,
    trust: Annotated[
        bool, typer.Option("--trust", help="Load pickles; they can run any program.")
    ] = False,
    other_table: Annotated[
        bool, typer.Option("--other-table", help="Accept a table whose counts differ.")
    ] = False,
    plot: Plot = None,
    encoding: Encoding = None,
    force: Force = False,
) -> None:
    """Say what a model tells about the people it was trained on.

    The exit code is 0 for a safe model, 1 for an unsafe one, and 5 where not all of it could be
    read, so that nobody can tell.

    TABLE is the table that the model was trained on.
    """
    from shoal.audit import audit, load_model
    from shoal.report.figures._audit_plot import plot_audit
    from shoal.schema import Schema
    from shoal.tables import open_table

    refuse_existing([] if plot is None else [plot], force=force)
    verdict = audit(
        load_model(model, trust=True) if trust else model,
        open_table(table, encoding=encoding),
        Schema.from_toml(schema),
        k=k,
        release=release,  # type: ignore[arg-type]  # checked there
        threshold=threshold,
        check_table=not other_table,
    )
    if plot is not None:
        plot_audit(verdict, plot)
    output().emit(verdict.to_dict(), lambda: _show(verdict, plot))
    if not verdict.is_safe:
        raise typer.Exit(CHECK_FAILED if verdict.answer == "unsafe" else CANNOT_TELL)


def _show(audit: ModelAudit, plot: Path | None) -> None:
    out = output()
    out.table(
        f"{audit.kind}: {audit.spans.n_spans:,} spans, {len(audit.bins):,} bins",
        ("private column", "certain for rows", "highest confidence"),
        [
            (name, rows, max(audit.confidence[name].values(), default=0.0))
            for name, rows in audit.exposed.items()
        ],
    )
    if audit.breaches:
        out.table(
            f"Breaches at k = {audit.k}",
            ("rows", "bins", "told apart by"),
            [(b.rows, b.bins, "; ".join(b.causes)) for b in audit.breaches[:_MOST_BREACHES]],
        )
    if len(audit.breaches) > _MOST_BREACHES:
        out.note(f"{len(audit.breaches) - _MOST_BREACHES} further breaches: see --json.")
    for note in (f"method: {audit.method}", *audit.notes):
        out.note(f"Note: {note}")
    if plot is not None:
        out.note(f"Drawn to {plot.name}.")
    out.print(audit.verdict)
