"""`shoal report`: a release as one page that people can read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli._failures import CHECK_FAILED
from shoal.cli._options import (
    Encoding,
    Force,
    Original,
    People,
    ReleaseOrManifest,
    Seed,
    Shadows,
)
from shoal.cli._output import output
from shoal.cli._reading import reads_tables

if TYPE_CHECKING:
    from shoal.report.release.pages._html import ReleaseReport

app = typer.Typer()


@app.command()
@reads_tables
def report(
    release: ReleaseOrManifest,
    original: Original = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="File to write; NAME.report.html unless given."),
    ] = None,
    shadows: Shadows = 0,
    people: People = 5_000,
    seed: Seed = 0,
    encoding: Encoding = None,
    force: Force = False,
) -> None:
    """Write one HTML file on RELEASE: promise, risk, attacks, utility, limits, how to make it.

    The promise is evaluated again in the released rows; exit with 1 when they break it or are not
    those of the manifest.  The file loads nothing, and holds no row and no sensitive value.
    """
    from shoal.report import release_report
    from shoal.report.release.pages._html import report_path

    path = report_path(release, out, force=force)
    written = release_report(
        release,
        original,
        n_people=people,
        n_shadows=shadows,
        random_state=seed,
        encoding=encoding,
    )
    written.write(path, force=force)
    output().emit({"report": str(path)} | written.to_dict(), lambda: _show(written, path))
    if written.problems:
        raise typer.Exit(CHECK_FAILED)


def _show(report: ReleaseReport, path: Path) -> None:
    for problem in report.problems:
        output().print(f"  {problem}")
    output().print(f"  promise   {report.promise}")
    for attack in report.attacks:
        output().print(
            f"  attack    {attack.column}: {attack.risk:.1%} of {attack.n_people:,} guessed "
            f"rightly, {attack.baseline:.1%} without the release"
        )
    if report.members is not None:
        output().print(
            f"  attack    shadow tables: members told from outsiders in "
            f"{report.members.risk:.1%} of pairs, 50.0% by luck"
        )
    output().print(f"  report    {path}")
