"""`shoal check`: does a table keep a promise?"""

from __future__ import annotations

from dataclasses import replace
from glob import has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal._addresses import is_address
from shoal._atomic import settle
from shoal._plain import from_json
from shoal.cli._failures import CANNOT_TELL, CHECK_FAILED
from shoal.cli._options import (
    Encoding,
    K,
    Population,
    Privacy,
    Requirements,
    Table,
)
from shoal.cli._output import output
from shoal.cli._reading import read_population, read_table_promise, reads_tables
from shoal.cli.publish._sets import ItemsKnown, read_km, show_sets
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from shoal.anonymize._verdict import Verdict
    from shoal.privacy import PrivacyModel
    from shoal.schema import Schema

app = typer.Typer()


@app.command()
@reads_tables
def check(
    table: Table,
    schema: Annotated[
        Path | None,
        typer.Option(
            "--schema", "-s", help="What the columns are, TOML; NAME.schema.toml unless given."
        ),
    ] = None,
    k: K = None,
    diversity: Privacy = None,
    requirement: Requirements = None,
    ignore_stars: Annotated[
        bool,
        typer.Option("--ignore-stars", help="Leave out suppressed rows that were kept, starred."),
    ] = False,
    km: ItemsKnown = None,
    population: Population = None,
    encoding: Encoding = None,
) -> None:
    """Tell whether every group of TABLE meets the conditions; exit with 1 when one does not.

    TABLE may be raw or released.  A release brings its schema and its promise in the files beside
    it; -k, --diversity and --requirement ask for something else.  Rows are grouped by what stands
    in their quasi-identifiers; a missing value matches only a missing value.  No value of anybody
    is printed.
    """
    from shoal.anonymize import check_table
    from shoal.anonymize._release_files import written_form
    from shoal.schema import Schema

    settle(table.parent)
    if written_form(table) == "draws":
        output().note(
            f"{table.name} holds values drawn within labels, so that its groups cannot be seen. "
            "They were counted before the draws were written; its manifest says what they reach."
        )
        raise typer.Exit(CANNOT_TELL)
    if written_form(table) == "perturbed":
        output().note(
            f"{table.name} holds values that were changed at random. Nothing is promised of it by "
            "counting, so there is nothing to check; its manifest says what an attack achieved."
        )
        raise typer.Exit(CANNOT_TELL)
    columns = Schema.from_toml(schema or schema_beside(table))
    if km is not None or written_form(table) == "sets":
        _check_sets(table, columns, km, encoding)
        return
    everybody = None if population is None else read_population(population, columns, encoding)
    if k is None and not diversity and not requirement:
        promise = _promised(table, columns)
        if everybody is not None:
            from shoal.privacy._written_population import ask_of_population

            promise = ask_of_population(promise, everybody)
    else:
        promise = read_table_promise(columns, k, diversity, requirement, everybody)
    verdict = check_table(
        table,
        columns,
        promise,
        drop_stars=ignore_stars,
        encoding=encoding,
    )
    everything = None if ignore_stars else (verdict.n_rows, verdict.n_groups)
    matches = _matches_manifest(table, everything)
    if matches is False:
        what = "table" if is_address(table) else "file"
        output().note(
            f"{table.name} is not the {what} that the manifest beside it was written with: one of "
            "them was exchanged or changed. They do not belong together; release the table again."
        )
    output().emit(verdict.to_dict() | {"matches_manifest": matches}, lambda: _show(verdict))
    if matches is False or not (verdict.holds or verdict.is_undecided):
        raise typer.Exit(CHECK_FAILED)
    if verdict.is_undecided:
        raise typer.Exit(CANNOT_TELL)


def _check_sets(table: Path, columns: Schema, km: str | None, encoding: str | None) -> None:
    """The promise on a column of sets: that asked for, or that of the manifest."""
    from shoal.anonymize import check_sets
    from shoal.anonymize._release_files import file_beside, written_form
    from shoal.tables._engine import OpenOptions, TableFile

    if km is None:
        try:
            promised = from_json(file_beside(table, "manifest").read_text("utf-8"))["km"]
            km = f"{promised['k']},{promised['m']}"
        except (OSError, ValueError, KeyError, TypeError):
            raise ParameterError(
                f"the manifest beside {table.name} does not say what is promised. Give --km 5,2."
            ) from None
    k, m = read_km(km)
    ours = written_form(table) == "sets" and table.suffix.lower() == ".csv"
    # a file with this one column looks as if the sign between items were that between columns
    how = getattr(table, "options", OpenOptions())
    read = TableFile.of(str(table), replace(how, delimiter=",")) if ours else table
    verdict = check_sets(read, columns, k, m, encoding=encoding)
    matches = _matches_manifest(table)
    output().emit(
        verdict.to_dict() | {"matches_manifest": matches}, lambda: show_sets(verdict, columns)
    )
    if matches is False:
        output().note(f"{table.name} is not the file that the manifest was written with.")
    if matches is False or not (verdict.holds or verdict.is_undecided):
        raise typer.Exit(CHECK_FAILED)
    if verdict.is_undecided:
        raise typer.Exit(CANNOT_TELL)


def schema_beside(table: Path) -> Path:
    """The schema that a release was written with."""
    from shoal.anonymize._release_files import find_schema

    path = find_schema(table)
    if not path.exists():
        if table.suffix and not table.exists() and not has_magic(str(table)):
            raise ParameterError(f"no file or folder {table.name!r}. Check the path.")
        raise ParameterError(
            f"there is no {path.name!r} beside {table.name}. Say what its columns are with "
            f"--schema FILE (`shoal schema {table.name}` makes a first draft)."
        )
    return path


def _promised(table: Path, columns: Schema) -> PrivacyModel:
    """What the manifest beside a release promises."""
    from shoal.anonymize._release_files import file_beside
    from shoal.privacy import PrivacyModel

    for kind, part in (("promise", None), ("manifest", "privacy")):
        try:
            content = from_json(file_beside(table, kind).read_text("utf-8"))  # type: ignore[arg-type]
            return PrivacyModel.from_dict(content if part is None else content[part])
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
    return read_table_promise(columns, None, None, None)


def _matches_manifest(table: Path, counted: tuple[int, int] | None = None) -> bool | None:
    """Whether the manifest beside a table seals these bytes; None where there is none.

    Of a table in a database no bytes are sealed: its rows and groups, `counted`, have to be those
    of the manifest.  A writer that is killed after the table and before its companions leaves an
    old manifest beside a new table.
    """
    from shoal.anonymize._release_files import digest, file_beside

    try:
        manifest = from_json(file_beside(table, "manifest").read_text("utf-8"))
        if not is_address(table):
            return bool(manifest["files"][table.name] == digest(table))
        if counted is None or manifest["keep_suppressed"]:
            return None
        alike = manifest["form"] != "labels" or counted[1] == manifest["groups"]
        return bool(counted[0] == manifest["released_rows"] and alike)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _show(verdict: Verdict) -> None:
    out = output()
    starred = _count(verdict.n_starred, "starred row")
    aside = f", {starred} left aside" if verdict.n_starred else ""
    out.print(
        f"{_count(verdict.n_rows, 'row')} in {_count(verdict.n_groups, 'group')}, the smallest of "
        f"{verdict.smallest_group:,}{aside}."
    )
    out.table(
        "",
        ["condition", "asked", "reached", "failing groups", "rows in them"],
        [
            [part.description, part.required, part.reached, part.failing_groups, part.failing_rows]
            for part in verdict.reached
        ],
    )
    for name, rows in verdict.beyond_limits.items():
        are = "is" if rows == 1 else "are"
        out.print(f"{name}: {_count(rows, 'row')} {are} generalized beyond the limit.")
    for note in verdict.notes:
        out.note(f"Note: {note}")
    if verdict.holds:
        out.print("It holds.")
        return
    if verdict.n_failing_groups:
        out.table(
            f"Failing groups ({len(verdict.failing)} of {verdict.n_failing_groups:,})",
            ["first row", "rows", "breaks"],
            [[group.first_row, group.rows, ", ".join(group.breaks)] for group in verdict.failing],
        )
        groups = _count(verdict.n_failing_groups, "group")
        fail = "fails" if verdict.n_failing_groups == 1 else "fail"
        out.print(f"It does not hold: {groups} ({_count(verdict.n_failing_rows, 'row')}) {fail}.")
    for reason in verdict.reasons:
        out.print(f"It does not hold: {reason}")
    if verdict.is_undecided:
        out.print(verdict.undecided)
    elif verdict.side_doors:
        out.print(f"The file has more than cells: {'; '.join(verdict.side_doors)}.")


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
