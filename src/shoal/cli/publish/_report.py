"""`shoal report`: a release as one page that people can read."""

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli._group import CHECK_FAILED
from shoal.cli._options import Encoding, Force
from shoal.cli._output import output
from shoal.report import release_report
from shoal.report.release.pages._html import ReleaseReport, report_path

app = typer.Typer()


@app.command()
def report(
    release: Annotated[Path, typer.Argument(help="A released table, or its NAME.manifest.json.")],
    original: Annotated[
        Path | None,
        typer.Option("--original", help="The raw table: attack its people, compare its columns."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="File to write; NAME.report.html unless given."),
    ] = None,
    people: Annotated[
        int, typer.Option("--people", help="People to attack, drawn where there are more.")
    ] = 5_000,
    seed: Annotated[int, typer.Option("--seed", help="For drawing them.")] = 0,
    encoding: Encoding = None,
    force: Force = False,
) -> None:
    """Write one HTML file on RELEASE: promise, risk, attacks, utility, limits, how to make it.

    The promise is evaluated again in the released rows; exit with 1 when they break it or are not
    those of the manifest.  The file loads nothing, and holds no row and no sensitive value.
    """
    path = report_path(release, out, force=force)
    found = release_report(release, original, n_people=people, random_state=seed, encoding=encoding)
    found.write(path, force=force)
    output().emit({"report": str(path)} | found.to_dict(), lambda: _show(found, path))
    if found.problems:
        raise typer.Exit(CHECK_FAILED)


def _show(found: ReleaseReport, path: Path) -> None:
    for problem in found.problems:
        output().print(f"  {problem}")
    output().print(f"  promise   {found.promise}")
    for attack in found.attacks:
        output().print(
            f"  attack    {attack.column}: {attack.risk:.1%} of {attack.n_people:,} guessed "
            f"rightly, {attack.baseline:.1%} without the release"
        )
    output().print(f"  report    {path}")
