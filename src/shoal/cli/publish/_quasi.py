"""`shoal quasi`: which columns single people out, alone and together."""

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli._options import Encoding, Force, Table, refuse_existing
from shoal.cli._output import output
from shoal.cli.publish._quasi_options import Columns, Delta, Seed, numbers_by_column
from shoal.discover import survey
from shoal.discover._survey import Survey
from shoal.report import plot_survey
from shoal.tables import open_table

app = typer.Typer(help="Find the quasi-identifiers of a table.")

_MOST_KEYS = 10


@app.command()
def quasi(
    table: Table,
    column: Columns = None,
    max_size: Annotated[int, typer.Option(help="Attributes that the attacker knows, at most.")] = 3,
    bins: Annotated[
        list[str] | None,
        typer.Option(help="COLUMN=WIDTH: compare its numbers in bins of this width; repeat."),
    ] = None,
    weight: Annotated[
        list[str] | None,
        typer.Option(help="COLUMN=COST of learning it, for the cheapest key; repeat."),
    ] = None,
    examine: Annotated[
        str, typer.Option(help="auto, all (every row) or sample (for the searches).")
    ] = "auto",
    eps: Annotated[float, typer.Option(help="Error that a sampled key may have.")] = 0.01,
    delta: Delta = 0.01,
    seed: Seed = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the risk to this file (PNG, SVG or PDF).")
    ] = None,
    encoding: Encoding = None,
    force: Force = False,
) -> None:
    """Show what single columns tell, the smallest keys, and what an attacker can do."""
    refuse_existing([] if plot is None else [plot], force=force)
    out = output()
    with out.progress() as progress:
        found = survey(
            open_table(table, encoding=encoding),
            max_size,
            columns=column,
            bins=numbers_by_column("--bins", bins),
            weights=numbers_by_column("--weight", weight),
            examine=examine,
            eps=eps,
            delta=delta,
            random_state=seed,
            progress=progress,
        )
    if plot is not None:
        plot_survey(found, plot)
    shown = {**found.to_dict(), "plot": None if plot is None else str(plot)}
    out.emit(shown, lambda: _show(found, plot))


def _show(found: Survey, plot: Path | None) -> None:
    out = output()
    out.table(
        f"Single columns of {found.n_rows:,} rows",
        ("column", "distinct ratio", "separation ratio", "unique rows"),
        [
            (risk.attributes[0], risk.distinct_ratio, risk.separation_ratio, risk.unique)
            for risk in found.columns
        ],
    )
    out.table(
        "An attacker who knows ...",
        ("attributes", "worst set" if found.exhaustive else "worst set found", "unique rows", "%"),
        [
            (len(risk.attributes), ", ".join(risk.attributes), risk.unique, 100 * risk.unique_share)
            for risk in found.attacker
        ],
    )
    _show_keys(found)
    for note in found.notes:
        out.note(f"Note: {note}")
    out.note(f"{found.guarantee}; {found.seconds:.2f} s.")
    if plot is not None:
        out.note(f"Drawn to {plot.name}.")


def _show_keys(found: Survey) -> None:
    out = output()
    if found.n_equal:
        out.note(
            f"{found.n_equal:,} rows equal another one on every column: no set of columns is a "
            "key. The keys below are of the rows made distinct."
        )
    rows: list[tuple[int, str, str]] = []
    if found.minimal_keys is not None:
        rows = [(len(key), ", ".join(key), "minimal") for key in found.minimal_keys.keys]
    if not rows and found.key is not None:
        how = "smallest there is" if found.key.proved_minimum else "found greedily"
        rows = [(len(found.key.attributes), ", ".join(found.key.attributes), how)]
    if not rows:
        return
    out.table("Keys", ("attributes", "key", "which is"), rows[:_MOST_KEYS])
    if len(rows) > _MOST_KEYS:
        out.note(f"{len(rows) - _MOST_KEYS} further minimal keys: see --json.")
    if found.key is not None:
        out.note(f"{found.key.guarantee}.")
