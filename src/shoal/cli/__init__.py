"""The command line: reads, calls the library, writes.  No arithmetic lives here.

Exit codes: 0 done, 1 a check failed, 2 bad usage or input, 3 infeasible, 4 the other party,
70 a defect in Shoal, 130 interrupted, 143 terminated.
"""

import gc
from typing import Annotated

import typer

import shoal
from shoal.cli._ending import ends_when_asked
from shoal.cli._group import JSON_OPTION, QUIET_OPTION, VALUES_OPTION, LazyGroup

__all__ = ["app", "main"]

app = typer.Typer(
    cls=LazyGroup,
    no_args_is_help=True,
    rich_markup_mode=None,  # plain help: a third of the time, and it pipes well
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(value: bool) -> None:
    if value:
        typer.echo(f"shoal {shoal.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", help="Say the version.", callback=_show_version, is_eager=True),
    ] = False,
    json: bool = JSON_OPTION,
    quiet: bool = QUIET_OPTION,
    show_values: bool = VALUES_OPTION,
) -> None:
    """Publish tables and models about people, and learn from data that cannot be pooled."""


def main() -> None:
    """Run the command line."""
    # a command makes a hundred thousand texts and few cycles: looking for these would take longer
    gc.set_threshold(200_000)
    with ends_when_asked():
        app(prog_name="shoal")
