"""`shoal audit`: can this model be published?"""

from pathlib import Path
from typing import Annotated

import typer

from shoal.audit import ModelAudit, audit, load_model
from shoal.cli._options import Force, refuse_existing
from shoal.cli._output import output
from shoal.report import plot_audit
from shoal.schema import Schema

app = typer.Typer(help="Find out whether a model can be published.")

_MOST = 10


@app.command()
def run(
    model: Annotated[Path, typer.Argument(help="Model: .skops or .json; pickles with --trust.")],
    table: Annotated[Path, typer.Argument(help="Its training table: CSV or Parquet.")],
    schema: Annotated[Path, typer.Option("--schema", "-s", help="Schema file (TOML).")],
    k: Annotated[int, typer.Option("-k", help="People who must share a span.")] = 10,
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
    figure: Annotated[
        Path | None, typer.Option(help="Draw the sizes of spans to this file (PNG, SVG or PDF).")
    ] = None,
    force: Force = False,
) -> None:
    """Say what a model tells about the people it was trained on; exit code 1 on a breach."""
    refuse_existing([] if figure is None else [figure], force=force)
    found = audit(
        load_model(model, trust=trust),
        table,
        Schema.from_toml(schema),
        k=k,
        release=release,  # type: ignore[arg-type]  # checked there
        threshold=threshold,
        check_table=not other_table,
    )
    if figure is not None:
        plot_audit(found, figure)
    output().emit(found.to_dict(), lambda: _show(found, figure))
    if not found.is_safe:
        raise typer.Exit(1)


def _show(found: ModelAudit, figure: Path | None) -> None:
    out = output()
    out.table(
        f"{found.kind}: {found.spans.n_spans:,} spans, {len(found.bins):,} equivalence classes",
        ("private column", "certain for rows", "highest confidence"),
        [
            (name, rows, max(found.confidence[name].values(), default=0.0))
            for name, rows in found.exposed.items()
        ],
    )
    if found.breaches:
        out.table(
            f"Breaches at k = {found.k}",
            ("rows", "classes", "told apart by"),
            [(b.rows, b.bins, "; ".join(b.causes)) for b in found.breaches[:_MOST]],
        )
    if len(found.breaches) > _MOST:
        out.note(f"{len(found.breaches) - _MOST} further breaches: see --json.")
    for note in (f"method: {found.method}", *found.notes):
        out.note(f"Note: {note}")
    if figure is not None:
        out.note(f"Drawn to {figure.name}.")
    out.print(found.verdict)
