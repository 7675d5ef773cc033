"""`shoal quasi`: which columns single people out, alone and together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli._options import (
    Columns,
    Delta,
    Encoding,
    Force,
    Plot,
    Seed,
    Table,
    numbers_by_column,
    refuse_existing,
)
from shoal.cli._output import output
from shoal.cli._reading import reads_tables
from shoal.errors import SchemaError

if TYPE_CHECKING:
    from shoal.discover._results import KeyResult
    from shoal.discover._survey import Survey

app = typer.Typer(help="Find the quasi-identifiers of a table.")

_MOST_KEYS, _MOST_COLUMNS = 10, 15


@app.command()
@reads_tables
def quasi(
    table: Table,
    column: Columns = None,
    schema: Annotated[
        Path | None,
        typer.Option("--schema", "-s", help="What the columns are: identifiers are left out."),
    ] = None,
    max_size: Annotated[int, typer.Option(help="Attributes that the attacker knows, at most.")] = 3,
    bins: Annotated[
        list[str] | None,
        typer.Option(help="COLUMN=WIDTH: numbers count as equal within it. May be repeated."),
    ] = None,
    weight: Annotated[
        list[str] | None,
        typer.Option(help="COLUMN=COST: what learning it costs an attacker. May be repeated."),
    ] = None,
    examine: Annotated[
        str, typer.Option(help="auto, all (every row) or sample (for the searches).")
    ] = "auto",
    beta: Annotated[
        float | None,
        typer.Option(help="Find the fewest columns that tell this share of all pairs apart, too."),
    ] = None,
    eps: Annotated[float, typer.Option(help="Error that a sampled key may have.")] = 0.01,
    delta: Delta = 0.01,
    time_limit: Annotated[
        float,
        typer.Option(min=0.1, help="Seconds to search; what is undecided by then is said to be."),
    ] = 12.0,
    seed: Seed = 0,
    plot: Plot = None,
    encoding: Encoding = None,
    force: Force = False,
) -> None:
    """Show what single columns tell, the smallest keys, and what an attacker can do."""
    from shoal.discover import find_key, survey
    from shoal.tables import open_table

    refuse_existing([] if plot is None else [plot], force=force)
    out = output()
    with out.progress() as progress:
        opened = open_table(table, encoding=encoding)
        columns = column or (None if schema is None else _released(opened.names, schema))
        surveyed = survey(
            opened,
            max_size,
            columns=columns,
            bins=numbers_by_column("--bins", bins),
            weights=numbers_by_column("--weight", weight),
            examine=examine,
            eps=eps,
            delta=delta,
            time_limit=time_limit,
            random_state=seed,
            progress=progress,
        )
        apart = None
        if beta is not None:
            apart = find_key(
                opened,
                "exact" if surveyed.exhaustive and examine != "sample" else "separation",
                beta=beta,
                eps=eps,
                delta=delta,
                columns=columns,
                bins=numbers_by_column("--bins", bins),
                weights=numbers_by_column("--weight", weight),
                search="minimum",
                time_limit=time_limit,
                random_state=seed,
            )
    if plot is not None:
        # loads what models are audited with, too
        from shoal.report.figures._quasi_plot import plot_survey

        plot_survey(surveyed, plot)
    shown = {
        **surveyed.to_dict(),
        "apart": None if apart is None else apart.to_dict(),
        "plot": None if plot is None else str(plot),
    }
    out.emit(shown, lambda: _show(surveyed, apart, plot))


def _released(names: Sequence[str], path: Path) -> list[str]:
    """Columns that a release has: an identifier is a key by itself, and nobody gets it."""
    from shoal.schema import Schema

    schema = Schema.from_toml(path)
    schema.require(names)
    kept = [name for name in names if schema[name].is_released]
    if not kept:
        raise SchemaError("the schema leaves no column to look at: all of them name people.")
    if dropped := len(names) - len(kept):
        what = "1 column that names" if dropped == 1 else f"{dropped} columns that name"
        output().note(f"Left out: {what} people, as {path.name} says.")
    return kept


def _show(survey: Survey, apart: KeyResult | None, plot: Path | None) -> None:
    out = output()
    singles = survey.columns
    if len(singles) > _MOST_COLUMNS:
        telling = sorted(singles, key=lambda risk: (-risk.unique, -risk.separation_ratio))
        singles = tuple(telling[:_MOST_COLUMNS])
    out.table(
        f"Single columns of {survey.n_rows:,} rows",
        ("column", "distinct ratio", "separation ratio", "unique rows"),
        [
            (risk.attributes[0], risk.distinct_ratio, risk.separation_ratio, risk.unique)
            for risk in singles
        ],
    )
    if left := len(survey.columns) - len(singles):
        out.note(f"{left} further columns tell fewer rows apart: see --json.")
    _show_attackers(survey)
    _show_keys(survey)
    if apart is not None:
        how = "fewest there are" if apart.proved_minimum else "found greedily"
        row = (len(apart.attributes), ", ".join(apart.attributes), apart.ratios[-1], how)
        head = ("attributes", "columns", "separation ratio", "which are")
        out.table("Columns that tell that share of pairs apart", head, [row])
        out.note(f"{apart.guarantee}.")
    for note in survey.notes:
        out.note(f"Note: {note}")
    out.note(f"{survey.guarantee}; {survey.seconds:.2f} s.")
    if plot is not None:
        out.note(f"Drawn to {plot.name}.")


def _show_attackers(survey: Survey) -> None:
    head: tuple[str, ...] = ("attributes", "worst set", "unique rows", "%")
    rows: list[tuple[object, ...]] = [
        (len(risk.attributes), ", ".join(risk.attributes), risk.unique, 100 * risk.unique_share)
        for risk in survey.attacker
    ]
    if not survey.exhaustive:
        head = ("attributes", "worst set found", "unique rows", "%", "at most")
        rows = [(*row, most) for row, most in zip(rows, survey.attacker_bounds, strict=True)]
    output().table("An attacker who knows ...", head, rows)


def _show_keys(survey: Survey) -> None:
    out = output()
    if survey.n_equal:
        out.note(
            f"{survey.n_equal:,} rows equal another one on every column: no set of columns is a "
            "key. The keys below are of the rows made distinct."
        )
    rows: list[tuple[int, str, str]] = []
    if survey.minimal_keys is not None:
        rows = [(len(key), ", ".join(key), "minimal") for key in survey.minimal_keys.keys]
    if not rows and survey.key is not None:
        how = "smallest there is" if survey.key.proved_minimum else "found greedily"
        rows = [(len(survey.key.attributes), ", ".join(survey.key.attributes), how)]
    if not rows:
        return
    out.table("Keys", ("attributes", "key", "which is"), rows[:_MOST_KEYS])
    if len(rows) > _MOST_KEYS:
        out.note(f"{len(rows) - _MOST_KEYS} further minimal keys: see --json.")
    if survey.key is not None:
        out.note(f"{survey.key.guarantee}.")
