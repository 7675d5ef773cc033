"""`shoal sets`: a column of sets in which nobody is found by a few items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli._options import (
    Encoding,
    Force,
    OutFile,
    SchemaFile,
    Table,
    refuse_existing,
)
from shoal.cli._output import output
from shoal.cli._reading import reads_tables, refuse_input
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from shoal.anonymize.sets._check_sets import SetVerdict
    from shoal.anonymize.sets._release_sets import SetRelease
    from shoal.schema import Schema

app = typer.Typer()

_KM = typer.Option(
    "--km",
    help="K,M for a column of sets: every combination of at most M items is in at least K rows.",
)
ItemsKnown = Annotated[str | None, _KM]


@app.command()
@reads_tables
def sets(
    table: Table,
    schema: SchemaFile,
    out: OutFile,
    km: ItemsKnown = "5,2",
    encoding: Encoding = None,
    force: Force = False,
) -> None:
    """Release TABLE with the items of its sets generalized: k^m-anonymity.

    The schema has one quasi-identifier, with a separator and a hierarchy of items.  Whoever knows
    at most M items of a person finds at least K rows that have them.
    """
    from shoal.anonymize import release_sets
    from shoal.anonymize._release_files import keep_reading, release_files
    from shoal.schema import Schema
    from shoal.tables._engine import OpenOptions

    k, m = read_km(km or "")
    files = [path for kind, path in release_files(out).items() if kind != "recoding"]
    refuse_input([out, *files], [table, schema])
    refuse_existing(files, force=force)
    release = release_sets(table, Schema.from_toml(schema), k, m, encoding=encoding)
    paths = release.write(out, force=force)
    keep_reading(out, getattr(table, "options", OpenOptions()))
    data = release.to_dict() | {"files": {kind: str(path) for kind, path in paths.items()}}
    output().emit(data, lambda: _show(release, paths["table"].name))


def read_km(text: str) -> tuple[int, int]:
    """K and M of ``--km 5,2``."""
    try:
        k, m = (int(part) for part in text.split(","))
    except ValueError:
        raise ParameterError(f"--km {text!r}: give K,M, as in 5,2.") from None
    return k, m


def show_sets(verdict: SetVerdict, schema: Schema) -> None:
    """What a check of sets found, as a table."""
    from shoal.anonymize._verdict import undecided_by

    out = output()
    rows = zip(verdict.combinations, verdict.fewest, verdict.rare, strict=True)
    out.table(
        f"{verdict.n_rows:,} rows",
        ["items", "combinations", "fewest rows", f"in fewer than {verdict.k} rows"],
        [[size, *row] for size, row in enumerate(rows, 1)],
    )
    named = ", ".join(schema.quasi_identifiers)
    if verdict.holds:
        out.print(f"It holds: nobody is found in {named} by {verdict.m} items or fewer.")
        return
    if rare := sum(verdict.rare):
        are = "combination is" if rare == 1 else "combinations are"
        out.print(f"It does not hold: {rare:,} {are} rare.")
    if verdict.never_released:
        columns = ", ".join(map(repr, verdict.never_released))
        out.print(f"It does not hold: by the schema no release has {columns}. Leave that out.")
    if verdict.is_undecided:
        out.print(undecided_by(verdict.side_doors))
    elif verdict.side_doors:
        out.print(f"The file has more than cells: {'; '.join(verdict.side_doors)}.")


def _show(release: SetRelease, name: str) -> None:
    out = output()
    out.table(
        "",
        ["items known", "fewest rows"],
        [[size, fewest] for size, fewest in enumerate(release.fewest, 1)],
    )
    out.print(f"{name} is written: {release.guarantee}. {release.loss:.1%} of the detail is lost.")
