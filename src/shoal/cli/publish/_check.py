"""`shoal check`: does a table keep a promise?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli._group import CHECK_FAILED
from shoal.cli._options import Encoding, K, Privacy, SchemaFile, Table, read_privacy
from shoal.cli._output import output

if TYPE_CHECKING:
    from shoal.anonymize import Verdict

app = typer.Typer()


@app.command()
def check(
    table: Table,
    schema: SchemaFile,
    k: K = None,
    diversity: Privacy = None,
    ignore_stars: Annotated[
        bool,
        typer.Option("--ignore-stars", help="Leave out suppressed rows that were kept, starred."),
    ] = False,
    encoding: Encoding = None,
) -> None:
    """Tell whether every group of TABLE meets the conditions; exit with 1 when one does not.

    TABLE may be raw or released.  Rows are grouped by what stands in their quasi-identifiers; a
    missing value matches only a missing value.  No value of anybody is printed.
    """
    from shoal.anonymize import check_table
    from shoal.schema import Schema

    verdict = check_table(
        table,
        Schema.from_toml(schema),
        read_privacy(k, diversity),
        drop_stars=ignore_stars,
        encoding=encoding,
    )
    output().emit(verdict, lambda: _show(verdict))
    if not verdict.holds:
        raise typer.Exit(CHECK_FAILED)


def _show(verdict: Verdict) -> None:
    out = output()
    starred = f", {verdict.n_starred:,} starred rows left aside" if verdict.n_starred else ""
    out.print(
        f"{verdict.n_rows:,} rows in {verdict.n_groups:,} groups, the smallest of "
        f"{verdict.smallest_group:,}{starred}."
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
        out.print(f"{name}: {rows:,} rows are generalized beyond the limit.")
    if verdict.holds:
        out.print("It holds.")
        return
    if not verdict.n_failing_groups:
        out.print("It does not hold: values are generalized beyond what the schema allows.")
        return
    out.table(
        f"Failing groups ({len(verdict.failing)} of {verdict.n_failing_groups:,})",
        ["first row", "rows", "breaks"],
        [[group.first_row, group.rows, ", ".join(group.breaks)] for group in verdict.failing],
    )
    out.print(
        f"It does not hold: {verdict.n_failing_groups:,} groups "
        f"({verdict.n_failing_rows:,} rows) fail."
    )
