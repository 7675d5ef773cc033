"""`shoal report`: a release as one page that people can read."""

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli._options import Encoding, Force
from shoal.cli._output import output
from shoal.report import write_release_html

app = typer.Typer()


@app.command()
def report(
    release: Annotated[Path, typer.Argument(help="A released table, or its NAME.manifest.json.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="File to write; NAME.report.html unless given."),
    ] = None,
    encoding: Encoding = None,
    force: Force = False,
) -> None:
    """Write one HTML file on RELEASE: promise, risk, utility, limits, how to make it again.

    Reads the release and its manifest, never the raw table.  The file loads nothing, and holds no
    row and no sensitive value.
    """
    path = write_release_html(release, out, force=force, encoding=encoding)
    output().emit({"report": str(path)}, lambda: output().print(f"  report    {path}"))
