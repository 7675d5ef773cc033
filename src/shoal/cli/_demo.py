"""`shoal demo`: the main job on real data, from the raw table to the checked release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli._options import Force, OutFolder, refuse_existing
from shoal.cli._output import output
from shoal.cli.publish._schema import draw_schema
from shoal.cli.publish._show import show_release

if TYPE_CHECKING:
    from shoal.datasets._dataset import Dataset
    from shoal.discover._suggest import Suggestion
    from shoal.schema import Schema

app = typer.Typer()

K = 10


@app.command()
def demo(
    out: OutFolder = Path("demo-output"),
    generated: Annotated[
        bool, typer.Option("--generated", help="Use the generated census even if Adult is here.")
    ] = False,
    force: Force = False,
) -> None:
    """Release Adult (or a generated census) as a 10-anonymous table, with a report on it."""
    from shoal.anonymize import check_table
    from shoal.anonymize._make_release import release as make_release
    from shoal.anonymize._release_files import file_beside, release_files
    from shoal.discover import suggest_schema
    from shoal.privacy import KAnonymity
    from shoal.report import release_report

    release_file = out / "release.csv"
    report_file = file_beside(release_file, "report")
    own_files = [out / "table.csv", out / "schema.toml", report_file]
    refuse_existing([*release_files(release_file).values(), *own_files], force=force)
    out.mkdir(parents=True, exist_ok=True)
    say = output()
    data = _data(generated)
    with say.progress() as progress:
        progress(0, 0, "reading")
        table = data.to_file(out / "table.csv")
        progress(0, 0, "suggesting a schema")
        suggestion = suggest_schema(table)
        schema = _with_trees(suggestion, data.schema)
        schema.to_toml(out / "schema.toml", comments=suggestion.reasons, header=suggestion.summary)
        release = make_release(table, schema, K, progress=progress)
        progress(0, 0, "writing and counting again")
        paths = release.write(release_file, force=force)
        verdict = check_table(release_file, schema, KAnonymity(K))
        progress(0, 0, "attacking it for the report")
        release_report(release_file, table).write(report_file, force=force)
    result = release.to_dict() | {
        "data": data.name,
        "check": verdict.to_dict(),
        "files": {"raw": str(table), "suggested": str(out / "schema.toml")}
        | {name: str(path) for name, path in paths.items()}
        | {"report": str(report_file)},
    }

    def show() -> None:
        say.print(f"{data.name}: {data.n_rows:,} rows, {len(data.names)} columns.")
        say.print(draw_schema(schema))
        say.print("")
        show_release(release, paths)
        say.print(f"  raw       {table}")
        say.print(f"  suggested {out / 'schema.toml'}")
        say.print(f"  report    {report_file}")
        say.print("")
        say.print(f"Read the report in a browser: {report_file.resolve().as_uri()}")
        say.print(f"Check it yourself:            shoal check {release_file} -k {K}")

    say.emit(result, show)


def _data(generated: bool) -> Dataset:
    from shoal.datasets import adult, census
    from shoal.errors import DataNotFoundError

    if not generated:
        try:
            return adult("all")
        except DataNotFoundError as error:
            output().note(f"{error} Going on with a generated census instead.")
    return census(5_000)


def _with_trees(suggestion: Suggestion, known: Schema) -> Schema:
    """The suggested schema, with trees in place of "shown or hidden" where we have some."""
    from shoal.schema import Schema

    columns: dict[str, Any] = dict(suggestion.schema)
    for name in suggestion.schema.quasi_identifiers:
        if known[name].role == "quasi-identifier":
            columns[name] = known[name]
    return Schema(columns)
