"""`shoal anonymize`: a release that keeps its promise."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.anonymize._registry import EVERY_METHOD, METHODS
from shoal.cli._options import (
    Encoding,
    Force,
    K,
    KeepOrder,
    KeepSuppressed,
    MissingToRoot,
    OutFile,
    Population,
    Privacy,
    Requirements,
    SchemaFile,
    Suppress,
    Table,
    numbers_by_column,
    refuse_existing,
)
from shoal.cli._output import output
from shoal.cli._reading import read_population, read_table_promise, reads_tables, refuse_input
from shoal.cli.publish._show import find_earlier, show_release
from shoal.cli.together._passphrase import (
    PassphraseFile,
    PseudonymKeyFile,
    read_pseudonym_key,
)
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from shoal.anonymize import Release
    from shoal.anonymize._choose import Choice
    from shoal.privacy import PrivacyModel
    from shoal.schema import Schema
    from shoal.tables._frequency import CodingOptions

app = typer.Typer()

MANY_COLUMNS = 25
"""Quasi-identifiers beyond which it is said how long a search takes."""
LOSS_WORTH_A_HINT = 0.25
WORTH_ANOTHER = 0.95  # of what is lost: less than that is clearly less
"""Detail lost from which on a word about other methods is due."""
CELLS_TO_TRY = 5_000
"""Cells up to which another method is tried for that word; it takes a second or two."""


@app.command()
@reads_tables
def anonymize(
    table: Table,
    schema: SchemaFile,
    out: OutFile,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            "-m",
            help=f"How to search: {', '.join(EVERY_METHOD)}, or auto.",
            autocompletion=lambda incomplete: [
                name for name in (*EVERY_METHOD, "auto") if name.startswith(incomplete)
            ],
        ),
    ] = "auto",
    purpose: Annotated[
        str | None,
        typer.Option("--purpose", help="For --method auto: general, classification, queries."),
    ] = None,
    k: K = None,
    diversity: Privacy = None,
    requirement: Requirements = None,
    suppress: Suppress = None,
    metric: Annotated[
        str | None,
        typer.Option("--metric", help="What to lose least of: information, ncp, ..."),
    ] = None,
    workload: Annotated[
        Path | None,
        typer.Option(
            "--workload", help="SQL queries that recipients will ask (mondrian): priorities, cuts."
        ),
    ] = None,
    weight: Annotated[
        list[str] | None,
        typer.Option(
            "--weight",
            help="Priority of a quasi-identifier, COLUMN=NUMBER (mondrian); those not named get 0, "
            "or what the workload says. May be repeated.",
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail on a query of the workload that is not SQL.")
    ] = False,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="A parameter of the method, NAME=VALUE, e.g. for mondrian spread, gain, priority, "
            "loss, splits=full, relaxed=true. May be repeated.",
        ),
    ] = None,
    keep_suppressed: KeepSuppressed = False,
    keep_order: KeepOrder = False,
    order_seed: Annotated[
        int | None,
        typer.Option("--order-seed", min=0, help="An order that can be made again, and undone."),
    ] = None,
    population: Population = None,
    statistics: Annotated[
        list[str] | None,
        typer.Option(
            "--statistics",
            help="Numeric column that also gets _min, _max and _mean of its group. May be "
            "repeated.",
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--as",
            help="How numeric and date quasi-identifiers are written: labels, intervals (columns "
            "_low and _high), midpoints, draws (values drawn within the label) or means (of the "
            "group). Labels, or what the method is for (means for microaggregation), if not given.",
        ),
    ] = None,
    key: PseudonymKeyFile = None,
    passphrase_file: PassphraseFile = None,
    missing_to_root: MissingToRoot = False,
    encoding: Encoding = None,
    regions: Annotated[
        str | None,
        typer.Option(
            "--regions",
            help="For tables larger than memory: solve about so many regions by themselves (or "
            "auto). Tables that need it are cut without being asked.",
        ),
    ] = None,
    publish: Annotated[
        Path | None,
        typer.Option(
            "--publish",
            help="Folder that also gets the files that may be published, and no others.",
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            min=0.1,
            help="Seconds to search; then the best so far is released (local, mondrian, top-down, "
            "full-domain, constrained).",
        ),
    ] = None,
    force: Force = False,
) -> None:
    """Release TABLE so that everybody hides among at least k people.

    Writes the release with its manifest and its schema beside it, and what stays in the house into
    a folder NAME.private.  The written file is read again and judged before it gets its name.
    """
    from shoal.anonymize._choose import Choice
    from shoal.anonymize._registry import make_method
    from shoal.anonymize._release_files import (
        PUBLISHED,
        file_beside,
        keep_reading,
        release_files,
        require_file,
    )
    from shoal.anonymize.trials._choose_on_table import note_choice
    from shoal.schema import Schema
    from shoal.tables import RowOptions
    from shoal.tables._engine import OpenOptions
    from shoal.tables._frequency import CodingOptions
    from shoal.tables._keyed import need_key

    files = release_files(out)
    refuse_input([out, *files.values()], [table, schema], database=True)
    refuse_existing(files.values(), force=force)
    if publish is not None:
        require_file(out)
        refuse_existing([publish / files[kind].name for kind in PUBLISHED], force=force)
    columns = Schema.from_toml(schema)
    parameters: dict[str, Any] = {
        "max_suppression": suppress, "metric": metric, "time_limit": time_limit,
    }  # fmt: skip
    if workload is not None:
        parameters |= learn(workload, columns, strict=strict)
    if weight:
        parameters["weights"] = {
            **(parameters.get("weights") or {}),
            **numbers_by_column("--weight", weight),
        }
    parameters |= _parse(option) if option else {}
    everybody = None if population is None else read_population(population, columns, encoding)
    promise = read_table_promise(columns, k, diversity, requirement, everybody)
    if len(columns.quasi_identifiers) > MANY_COLUMNS:
        _advise(columns, promise)
    choice, opened = Choice(method, ""), table
    if method == "auto" or purpose is not None or len(columns.quasi_identifiers) > MANY_COLUMNS:
        coding = CodingOptions(missing_to_root=missing_to_root)
        choice, opened = pick_method(
            method, table, columns, purpose, encoding, parameters, promise, coding
        )
    estimator = make_method(choice.method, columns, promise, parameters)
    rows = RowOptions(
        keep_suppressed=keep_suppressed,
        shuffle=order_seed,
        ranges=tuple(statistics or ()),
        keep_order=keep_order,
        form=form or estimator.form,  # type: ignore[arg-type]  # checked there
        key=None if key is None else read_pseudonym_key(key, passphrase_file),
    )
    if columns.pseudonym is not None or columns.shifted:
        need_key(columns, rows.key, keep_suppressed=keep_suppressed)  # before any work
    out_, started = output(), time.perf_counter()
    with out_.progress() as progress:
        estimator.fit(
            opened,
            output=rows,
            missing_to_root=missing_to_root,
            encoding=encoding,
            regions=None if regions is None else _read_regions(regions),
            progress=progress,
        )
        progress(0, 0, "writing and counting again")
        release = estimator.release_
        if choice.note:
            release = note_choice(release, choice)
        earlier = find_earlier(release.schema, files, publish)
        paths = release.write(out, force=force, publish=publish)
        told = getattr(table, "options", OpenOptions())
        if told != OpenOptions() or file_beside(out, "reading").exists():
            keep_reading(out, told)
    show_release(
        release,
        paths,
        round(time.perf_counter() - started, 3),
        earlier,
        said=choice.note,
        aside=estimator.aside_,
    )
    if (
        choice.method != "local"
        and (method != "auto" or any(value is not None for value in parameters.values()))
        and not (out_.json or out_.quiet)
    ):
        say_if_another_keeps_more(release)


def _advise(schema: Schema, promise: PrivacyModel) -> None:
    """Say what else may be asked of very many columns, before the work begins."""
    from shoal.anonymize.trials._trial import advise_on_many

    if promise.asks_of_some_columns or schema.requirements:
        return
    if said := advise_on_many(len(schema.quasi_identifiers), max(2, promise.minimum_size)):
        output().note(f"Note: {said}")


def _read_regions(text: str) -> Any:
    if text == "auto":
        return text
    if not text.isdigit() or int(text) < 1:
        raise ParameterError(f"--regions {text!r}: give a whole number above 0, or auto.")
    return int(text)


def pick_method(
    name: str,
    table: Path,
    schema: Schema,
    purpose: str | None,
    encoding: str | None,
    parameters: dict[str, Any],
    promise: PrivacyModel | None = None,
    coding: CodingOptions | None = None,
) -> tuple[Choice, Any]:
    """The method for a table, and the table: `auto` chooses one and says why.

    Of a method that is named it is said how long it takes, if there are many columns.
    """
    from shoal.anonymize._choose import Choice
    from shoal.anonymize.trials._choose_on_table import choose_on_table
    from shoal.anonymize.trials._trial import how_long
    from shoal.tables import open_table

    n_columns = len(schema.quasi_identifiers)
    if name != "auto":
        if purpose is not None:
            raise ParameterError("--purpose is for --method auto. Leave one of them out.")
        if name not in METHODS:
            return Choice(name, ""), table
        opened = open_table(table, encoding=encoding)
        output().note(how_long(name, opened.n_rows, n_columns))
        return Choice(name, ""), opened
    opened = open_table(table, encoding=encoding)
    given = [key for key, value in parameters.items() if value is not None]
    choice = choose_on_table(
        opened,
        schema,
        purpose or "general",  # type: ignore[arg-type]  # checked there
        given,
        promise,
        coding=coding,
    )
    output().note(f"method {choice.method}: {choice.reason}.")
    return choice, opened


def say_if_another_keeps_more(release: Release) -> None:
    """A note that another method loses less, where it was tried on the same cells and does."""
    from shoal.anonymize._choose import choose_method
    from shoal.anonymize._registry import make_method
    from shoal.errors import InfeasibleError
    from shoal.metrics import measure

    if not hasattr(release, "recoded"):  # made by regions: its cells are in no one place
        return
    lost, cells = release.metrics.gcp, release.recoded.cells
    if lost <= LOSS_WORTH_A_HINT or cells.n_groups > CELLS_TO_TRY:
        return
    n_rows = int(cells.row_counts.sum())
    other = choose_method(release.schema, n_rows, privacy=release.privacy).method
    estimator = make_method(other, release.schema, release.privacy)
    try:
        kept = measure(estimator.recode_cells(cells)).gcp
    except InfeasibleError:
        return
    if kept < WORTH_ANOTHER * lost:
        output().note(
            f"{lost:.0%} of the detail is lost; --method {other} would lose {kept:.0%} "
            "(`shoal compare` shows every method)."
        )


def learn(path: Path, schema: Schema, *, strict: bool) -> dict[str, Any]:
    """Parameters of Mondrian from a file of queries; queries that cannot be read are noted."""
    from shoal.workload import read_workload  # an extra

    asked = read_workload(path, strict=strict)
    for problem in asked.problems:
        output().note(f"{path.name}, line {problem.line}: {problem.reason}; skipped.")
    return asked.settings(schema)


def _parse(options: list[str]) -> dict[str, Any]:
    parsed: dict[str, Any] = {}
    for option in options:
        name, equals, text = option.partition("=")
        if not equals:
            raise ParameterError(f"--set {option!r}: write NAME=VALUE.")
        parsed[name.replace("-", "_")] = _value(text)
    return parsed


def _value(text: str) -> Any:
    named = {"true": True, "false": False, "none": None}
    if text.lower() in named:
        return named[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
