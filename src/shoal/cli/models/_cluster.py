"""`shoal cluster`: clusters that can be published as centroids with their sizes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal._atomic import write_text
from shoal.cli._options import (
    Encoding,
    Force,
    KByDefault,
    Privacy,
    SchemaFile,
    Table,
    refuse_existing,
    refuse_format,
)
from shoal.cli._output import output
from shoal.cli._reading import read_privacy, reads_tables
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from shoal.models import KAnonymousClustering

app = typer.Typer(help="Find clusters that can be published as centroids with their sizes.")


@app.command()
@reads_tables
def cluster(
    table: Table,
    schema: SchemaFile,
    k: KByDefault = 10,
    diversity: Privacy = None,
    clusters: Annotated[
        int | None, typer.Option("--clusters", min=1, help="Stop with as many; else cut on.")
    ] = None,
    min_rows: Annotated[
        int | None,
        typer.Option(min=1, help="Rows behind every centroid; the smallest group unless given."),
    ] = None,
    scale: Annotated[
        bool, typer.Option("--scale/--no-scale", help="Bring numbers to mean 0 and variance 1.")
    ] = True,
    max_tries: Annotated[
        int | None, typer.Option(min=0, help="Edges tried, longest first; for large tables.")
    ] = None,
    domain: Annotated[
        list[str] | None,
        typer.Option(
            "--domain",
            help="What a private numeric column can be: COLUMN=LOW:HIGH. May be repeated.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write the clusters here: .json.")
    ] = None,
    encoding: Encoding = None,
    force: Force = False,
) -> None:
    """Cluster the rows of TABLE so that nobody's private values show in the clusters.

    What is published is a rule: a row belongs to the nearest centroid.  Under it every person can
    be in one cluster only, whatever the private values are, or hides among k.
    """
    from shoal.models import KAnonymousClustering
    from shoal.schema import Schema
    from shoal.tables import open_table

    refuse_format(out, (".json",))
    refuse_existing([] if out is None else [out], force=force)
    privacy = read_privacy(k, diversity)
    model = KAnonymousClustering(
        Schema.from_toml(schema),
        privacy,
        n_clusters=clusters,
        scale=scale,
        min_rows=max(privacy.minimum_size, 1) if min_rows is None else min_rows,
        max_tries=max_tries,
        domain=_ranges(domain),
    )
    with output().progress() as progress:
        progress(0, 0, "clustering")
        model.fit(open_table(table, encoding=encoding).columns())
    if out is not None:
        write_text(out, model.to_json())
    output().emit(_result(model, out), lambda: _show(model, out))


def _ranges(given: list[str] | None) -> dict[str, tuple[float, float]]:
    """Read COLUMN=LOW:HIGH, which may be repeated."""
    ranges = {}
    for text in given or ():
        name, _, ends = text.rpartition("=")
        low, _, high = ends.partition(":")
        try:
            ranges[name] = (float(low), float(high))
        except ValueError:
            name = ""
        if not name:
            raise ParameterError(f"--domain {text!r}: write COLUMN=LOW:HIGH, e.g. income=0:200000.")
    return ranges


def _centers(model: KAnonymousClustering) -> list[dict[str, float | None]]:
    """Numeric coordinates of the centroids in their columns' units.

    Private ones that are means of fewer rows than a group has stay out: they are people's values.
    """
    least = model.privacy_.minimum_size
    centers = []
    for center, rows in zip(model.cluster_centers_, model.center_rows_.tolist(), strict=True):
        first, own = 0, {}
        for axis in model.space_.axes:
            if axis.coding is None:
                value = float(center[first]) * axis.spread + axis.origin
                own[axis.name] = value if axis.is_public or rows >= least else None
            first += axis.width
        centers.append(own)
    return centers


def _result(model: KAnonymousClustering, out: Path | None) -> dict[str, Any]:
    return {
        "guarantee": model.guarantee(),
        "privacy": model.privacy_.to_dict(),
        "clusters": [
            {"cluster": number, "rows": rows, "center": center}
            for number, (rows, center) in enumerate(
                zip(model.bins_.population.tolist(), _centers(model), strict=True)
            )
        ],
        "spans": model.spans_.n_spans,
        "largest_k": model.spans_.largest_k,
        "tried": model.n_tried_,
        "refused": model.n_refused_,
        "out": None if out is None else str(out),
    }


def _show(model: KAnonymousClustering, out: Path | None) -> None:
    centers = _centers(model)
    names = list(centers[0])
    rows = [
        (number, size, *("hidden" if center[name] is None else center[name] for name in names))
        for number, (size, center) in enumerate(
            zip(model.bins_.population.tolist(), centers, strict=True)
        )
    ]
    output().table("Clusters and their centroids", ("cluster", "rows", *names), rows)
    typer.echo(model.guarantee())
    if out is not None:
        output().note(f"Written to {out.name}.")
