"""`shoal frontier`: what is lost as groups have to be larger."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli._options import (
    Encoding,
    Force,
    Methods,
    MissingToRoot,
    Privacy,
    SchemaFile,
    Table,
    refuse_existing,
    whole_numbers,
)
from shoal.cli._output import output
from shoal.cli._reading import read_privacy, reads_tables

if TYPE_CHECKING:
    from shoal.report.figures._frontier import Frontier

app = typer.Typer()


@app.command()
@reads_tables
def frontier(
    table: Table,
    schema: SchemaFile,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Figure: .png, .svg, .pdf; a .csv goes beside it.")
    ],
    k: Annotated[
        str, typer.Option("-k", help="Smallest groups to try, with commas between.")
    ] = "2,5,10,20,50,100,200",
    method: Methods = None,
    diversity: Privacy = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", help="Releases made at the same time.")
    ] = min(4, os.cpu_count() or 1),
    lattice: Annotated[
        Path | None,
        typer.Option("--lattice", help="Figure of what full-domain looked at, for the least k."),
    ] = None,
    missing_to_root: MissingToRoot = False,
    encoding: Encoding = None,
    force: Force = False,
) -> None:
    """Release TABLE with every method over a grid of k; draw and list what each loses."""
    from shoal._figure import figure_path
    from shoal.anonymize import FullDomain
    from shoal.anonymize._registry import known_methods, make_method
    from shoal.report import measure_frontier
    from shoal.report.figures._frontier import plot_frontier
    from shoal.report.figures._lattice_plot import plot_lattice
    from shoal.schema import Schema

    for picture in (out, lattice):
        if picture is not None:
            figure_path(picture)  # a format that cannot be drawn is told before any work
    listing = out.with_suffix(".csv")
    refuse_existing([path for path in (out, listing, lattice) if path is not None], force=force)
    described = Schema.from_toml(schema)
    names = method or list(known_methods())
    makers: dict[str, Any] = {}
    for name in names:
        makers[name] = lambda k, name=name: make_method(
            name, described, read_privacy(k, diversity), {}
        )
        makers[name](2)  # an unknown method or condition is told before any work
    out_ = output()
    with out_.progress() as progress:
        measured = measure_frontier(
            table, makers, whole_numbers(k), n_jobs=jobs, progress=progress,
            missing_to_root=missing_to_root, encoding=encoding,
        )  # fmt: skip
    plot_frontier(measured, out)
    measured.write_csv(listing)
    files = {"figure": str(out), "table": str(listing)}
    if lattice is not None:
        least = min(whole_numbers(k))
        full = FullDomain(described, read_privacy(least, diversity))
        full.fit(table, missing_to_root=missing_to_root, encoding=encoding)
        plot_lattice(full.lattice_, lattice)
        files["lattice"] = str(lattice)
    data = measured.to_dict() | {"files": files}
    out_.emit(data, lambda: _show(measured, out, listing))


def _show(frontier: Frontier, out: Path, listing: Path) -> None:
    rows = [
        [p.method, p.k, p.gcp, p.discernibility, p.groups, p.suppressed_rows, p.seconds]
        for p in frontier.points
    ]
    header = ["method", "k", "detail lost", "discernibility", "groups", "suppressed", "seconds"]
    output().table("", header, rows)
    for point in frontier.points:
        if point.failure is not None:
            output().note(f"{point.method}, k={point.k}: {point.failure}")
    output().print(f"Written: {out.name}, {listing.name}")
    output().note("they are measured against the raw table: for the house, not to be published.")
