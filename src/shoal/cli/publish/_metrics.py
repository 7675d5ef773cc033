"""`shoal metrics`: what a table keeps and what it risks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from shoal._plain import from_json
from shoal.cli._options import Encoding, SchemaOrBeside, Table
from shoal.cli._output import output
from shoal.cli._reading import reads_tables
from shoal.cli.publish._check import schema_beside
from shoal.cli.publish._show import measures, percent
from shoal.errors import TableError

if TYPE_CHECKING:
    from shoal.schema import Schema

app = typer.Typer()

_NEEDS_RAW = ("detail lost (GCP)", "suppressed rows")
_LOST = {
    "gcp": "detail lost (GCP)",
    "precision": "levels that are left (precision)",
    "loss": "mean loss of a cell (LM)",
    "information_loss_share": "steps up the hierarchies (hierarchical loss)",
    "n_suppressed": "suppressed rows",
}
"""What the manifest has against the raw table, in its names and in words."""


@app.command()
@reads_tables
def metrics(table: Table, schema: SchemaOrBeside = None, encoding: Encoding = None) -> None:
    """Measure groups and risks of TABLE, raw or released.

    Beside a release written by `shoal anonymize` lie its schema and its manifest; what was lost
    against the raw table is read from there.
    """
    from shoal.anonymize._recheck import count_released, names_of
    from shoal.metrics import measure, risk
    from shoal.schema import Schema

    described = Schema.from_toml(schema or schema_beside(table))
    groups = count_released(table, described, encoding=encoding)
    if not groups.n_groups:
        raise TableError("the table has no rows, so there is nothing to measure.")
    measured = measure(groups, target=_target(described, groups))
    sensitive = [name for name in described.sensitive if name in groups.histograms]
    risks = risk(groups, sensitive=sensitive)
    lost = _from_manifest(table)
    data: dict[str, Any] = {
        key: value
        for key, value in measured.to_dict().items()
        if not key.startswith(("ncp", "n_suppressed", "suppressed", *_LOST, "non_uniform"))
    }
    data |= {"risk": risks.to_dict()} | ({"against_raw": lost} if lost else {})

    def show() -> None:
        rows = [[key, v] for key, v in measures(measured, risks).items() if key not in _NEEDS_RAW]
        output().table("", ["measure", "value"], rows)
        if lost:
            output().table(
                "What was lost (from the manifest)",
                ["measure", "value"],
                [
                    [_LOST[key], value if key == "n_suppressed" else percent(value)]
                    for key, value in lost.items()
                ],
            )

    output().emit(data, show)
    if described.subject is not None and described.subject not in names_of(table, encoding):
        output().note(
            "Note: the table does not say whose its rows are, so rows were counted: chances to "
            "find a person are larger where people have several. The manifest counts people."
        )


def _target(schema: Schema, groups: Any) -> str | None:
    return schema.target if schema.target in groups.histograms else None


def _from_manifest(table: Path) -> dict[str, Any]:
    from shoal.anonymize._release_files import file_beside

    try:
        manifest = from_json(file_beside(table, "manifest").read_text("utf-8"))
        return {key: manifest["metrics"]["after"][key] for key in _LOST}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
