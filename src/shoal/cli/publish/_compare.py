"""`shoal compare`: every method on one table, or a release beside the raw table."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli._options import (
    Encoding,
    Force,
    K,
    Methods,
    Plot,
    Privacy,
    Requirements,
    Seed,
    Suppress,
    Table,
    Target,
    refuse_existing,
)
from shoal.cli._output import output
from shoal.cli._reading import read_table_promise, reads_tables, refuse_input
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from shoal.privacy import PrivacyModel
    from shoal.schema import Schema

app = typer.Typer()


def _original_first(command: Callable[..., None]) -> Callable[..., None]:
    """Let the raw table be named behind the release, as other commands have it."""

    @wraps(command)
    def run(**given: Any) -> None:
        if given["original"] is not None:
            if given["release"] is not None:
                raise ParameterError(
                    "the raw table is named twice. Say `shoal compare RAW RELEASE`, or "
                    "`shoal compare RELEASE --original RAW`."
                )
            given |= {"table": given["original"], "release": given["table"], "original": None}
        command(**given)

    return run


@app.command()
@_original_first
@reads_tables
def compare(
    table: Table,
    release: Annotated[
        Path | None,
        typer.Argument(metavar="RELEASE", help="A table made of TABLE, by whatever program."),
    ] = None,
    original: Annotated[
        Path | None,
        typer.Option("--original", help="The raw table, where TABLE is the release."),
    ] = None,
    schema: Annotated[
        Path | None,
        typer.Option(
            "--schema",
            "-s",
            help="What the columns are, TOML; of a RELEASE, what lies beside it unless given.",
        ),
    ] = None,
    k: K = None,
    diversity: Privacy = None,
    requirement: Requirements = None,
    method: Methods = None,
    suppress: Suppress = None,
    test: Annotated[
        Path | None,
        typer.Option("--test", help="Raw rows to test a classifier on; else 30 % are drawn."),
    ] = None,
    target: Target = None,
    weight: Annotated[
        str | None,
        typer.Option("--weights", help="Column with the people that each row stands for."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="One HTML page on RELEASE to write, too."),
    ] = None,
    plot: Plot = None,
    seed: Seed = 0,
    encoding: Encoding = None,
    force: Force = False,
) -> None:
    """Show what RELEASE keeps of TABLE for analysts; without RELEASE, what each method would lose.

    `shoal compare RELEASE --original RAW` is the same as `shoal compare RAW RELEASE`.
    RELEASE may be of any program: labels, intervals, noise or synthetic rows.  Its schema, where it
    lies beside it, says what the labels cover.  Methods are run with
    -k and shown by detail lost (GCP), discernibility, accuracy, highest risk and time; nothing is
    released.
    """
    refuse_existing([path for path in (plot, out) if path is not None], force=force)
    if release is None:
        for name, given in (("--weights", weight), ("--out", out), ("--target", target)):
            if given is not None:
                raise ParameterError(f"{name} is for a RELEASE. Name it behind the table.")
        if schema is None:
            raise ParameterError(_what_to_compare(table))
        from shoal.schema import Schema

        columns = Schema.from_toml(schema)
        promise = read_table_promise(columns, k, diversity, requirement)
        _methods(table, columns, promise, method, suppress, test, plot, encoding)
        return
    for name, wanted in (("-k", k), ("--privacy", diversity), ("--requirement", requirement),
                         ("--method", method), ("--suppress", suppress)):  # fmt: skip
        if wanted is not None:
            raise ParameterError(f"{name} is for methods, and a RELEASE is made already.")
    if _is_released(table) and not _is_released(release):
        raise ParameterError(
            f"{table.name} is a release, by the manifest beside it, and comes second. Say `shoal "
            f"compare {release.name} {table.name}`."
        )
    _release(table, release, schema, target, weight, test, out, plot, seed, encoding)


def _is_released(table: Path) -> bool:
    from shoal.anonymize._release_files import file_beside

    return file_beside(table, "manifest").exists()


def _what_to_compare(table: Path) -> str:
    if _is_released(table):
        return (
            f"{table.name} is a release. Name the table that it was made of: `shoal compare "
            f"{table.name} --original RAW`."
        )
    return (
        f"say what to compare {table.name} with: `shoal compare {table.name} RELEASE` shows what a "
        f"release keeps, `shoal compare {table.name} --schema FILE -k 10` runs every method."
    )


def _release(
    table: Path,
    release: Path,
    schema: Path | None,
    target: str | None,
    weight: str | None,
    test: Path | None,
    page: Path | None,
    plot: Path | None,
    seed: int,
    encoding: str | None,
) -> None:
    from shoal.anonymize._release_files import find_schema
    from shoal.cli.publish._show import show_comparison
    from shoal.metrics import compare_tables
    from shoal.schema import Schema
    from shoal.tables import open_table

    read = [path for path in (table, release, test) if path is not None]
    refuse_input([path for path in (plot, page) if path is not None], read)
    if schema is None and find_schema(release).exists():
        schema = find_schema(release)
    comparison = compare_tables(
        open_table(table, encoding=encoding),
        open_table(release, encoding=encoding),
        None if schema is None else Schema.from_toml(schema),
        target=target,
        weight=weight,
        test=None if test is None else open_table(test, encoding=encoding),
        random_state=seed,
    )
    files = {}
    if page is not None:
        from shoal.report.release.pages._comparison_page import write_comparison

        files["page"] = str(write_comparison(comparison, page, release.name))
    if plot is not None:
        files["plot"] = str(comparison.plot().save(plot))
    output().emit(files | comparison.to_dict(), lambda: show_comparison(comparison, files))


def _methods(
    table: Path,
    schema: Schema,
    privacy: PrivacyModel,
    method: list[str] | None,
    suppress: float | None,
    test: Path | None,
    plot: Path | None,
    encoding: str | None,
) -> None:
    from shoal.anonymize import compare_methods
    from shoal.tables import open_table

    out = output()
    with out.progress() as progress:
        results = compare_methods(
            open_table(table, encoding=encoding),
            schema,
            privacy,
            methods=method,
            test=None if test is None else open_table(test, encoding=encoding),
            max_suppression=suppress or 0.0,
            progress=progress,
        )
    if plot is not None:
        from shoal.report.figures._compare_plot import plot_comparison

        plot_comparison(results, plot, title=privacy.describe())
    rows = [
        (
            one.method, _share(one.ncp), one.discernibility, _share(one.accuracy),
            _share(one.highest_risk), one.suppressed, one.seconds,
        )
        for one in results
    ]  # fmt: skip
    header = (
        "method", "lost", "discern.", "accuracy", "risk", "left out", "seconds",
    )  # fmt: skip

    def show() -> None:
        out.table(privacy.describe(), header, rows)
        for one in results:
            if one.note:
                out.note(f"{one.method}: {one.note}")

    out.emit({"privacy": privacy.to_dict(), "methods": [r.to_dict() for r in results]}, show)


def _share(value: float | None) -> str | None:
    """In per cent, as the command that releases shows the same figures."""
    from shoal.cli.publish._show import percent

    return None if value is None else percent(value)
