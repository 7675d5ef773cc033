"""`shoal apply`: recode new rows as a release was."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal._atomic import atomic_path, settle
from shoal.cli._options import (
    Encoding,
    Force,
    KeepSuppressed,
    OutFile,
    Table,
    refuse_existing,
    refuse_input,
)
from shoal.cli._output import output
from shoal.cli._reading import reads_tables
from shoal.errors import ParameterError, SchemaError

if TYPE_CHECKING:
    from shoal.schema import Schema

app = typer.Typer()


class Unseen(StrEnum):
    """What happens to values that the recoding never saw."""

    root = "root"
    suppress = "suppress"
    error = "error"


@app.command()
@reads_tables
def apply(
    recoding: Annotated[
        Path,
        typer.Argument(
            metavar="RECODING", help="NAME.private/recoding.json of a release, or its table."
        ),
    ],
    table: Table,
    out: OutFile,
    schema: Annotated[
        Path | None,
        typer.Option("--schema", "-s", help="NAME.schema.toml of the release, unless given."),
    ] = None,
    unseen: Annotated[
        Unseen,
        typer.Option("--unseen", help="Values never seen: '*', row left out, or refused."),
    ] = Unseen.root,
    keep_suppressed: KeepSuppressed = False,
    encoding: Encoding = None,
    force: Force = False,
) -> None:
    """Recode TABLE with the recoding of an earlier release, for instance test rows.

    The promise was made for the rows of the release, not for these: check before you publish them.
    """
    from shoal.anonymize import load_recoding
    from shoal.anonymize._release_files import find_recoding
    from shoal.schema import Schema
    from shoal.tables import RowOptions, open_table
    from shoal.tables._assemble import CodingOptions

    refuse_input([out], [table, recoding])
    refuse_existing([out], force=force)
    settle(recoding.parent)
    recoding = find_recoding(recoding)
    loaded = load_recoding(recoding)
    described = Schema.from_toml(schema or _schema_beside(recoding))
    engine = open_table(table, encoding=encoding)
    compressed = engine.compress(
        _present(described, engine.names), CodingOptions(use_hierarchies=False)
    )
    recoded = loaded.recode(compressed.cells, unseen.value)
    with atomic_path(out) as part:
        compressed.write(
            recoded, RowOptions(keep_suppressed=keep_suppressed, keep_order=True), part
        )
    data = {
        "rows": int(recoded.cells.row_counts.sum()),
        "suppressed_rows": int(recoded.cells.row_counts[recoded.suppressed].sum()),
        "groups": recoded.groups.n_groups,
        "smallest_group": int(recoded.groups.sizes.min()) if recoded.groups.n_groups else 0,
        "file": str(out),
    }

    def show() -> None:
        output().table(
            "", ["measure", "value"], [[k.replace("_", " "), v] for k, v in data.items()]
        )
        output().print("Nothing is promised for these rows: check them before you publish them.")

    output().emit(data, show)


def _schema_beside(recoding: Path) -> Path:
    from shoal.anonymize._release_files import find_schema

    path = find_schema(recoding)
    if not path.exists():
        raise ParameterError(f"no schema {path.name!r} beside the recoding. Give it with --schema.")
    return path


def _present(schema: Schema, names: tuple[str, ...]) -> Schema:
    """The schema of the columns that are there; new rows may lack those that are not recoded."""
    from shoal.schema import Schema

    lost = [name for name in schema.quasi_identifiers if name not in names]
    if lost:
        raise SchemaError(
            f"quasi-identifiers that the table lacks: {', '.join(map(repr, lost))}. Add them."
        )
    return Schema({name: column for name, column in schema.items() if name in names})
