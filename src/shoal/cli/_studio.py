"""`shoal studio`: the whole job in a browser, on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli._output import output

app = typer.Typer()


@app.command()
def studio(
    table: Annotated[
        Path | None,
        typer.Argument(metavar="[TABLE]", help="Table or project folder to open at once."),
    ] = None,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Where to listen; a free one for 0.")
    ] = 0,
    allow: Annotated[
        list[Path] | None,
        typer.Option(
            "--allow",
            help="Folder that may be looked into; that of TABLE, else the working one. "
            "May be repeated.",
        ),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the browser by itself.")
    ] = True,
) -> None:
    """Open the studio: from a table to a signed release in the browser, on this machine alone.

    Nobody else can reach it: it listens on 127.0.0.1, and the address works once, for one browser.
    """
    from shoal.studio import serve_studio

    out = output()

    def tell(address: str) -> None:
        if out.json:
            out.emit({"address": address})
        typer.echo(f"Shoal Studio: {address}", err=True)
        typer.echo("It works once, for one browser; Enter gives another. Ctrl-C ends it.", err=True)

    serve_studio(table, port=port, allow=allow or (), browser=browser, tell=tell)
