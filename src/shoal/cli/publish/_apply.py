"""`shoal apply`: recode new rows as a release was."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal._atomic import atomic_path, settle
from shoal._plain import from_json
from shoal.cli._options import (
    Encoding,
    Force,
    KeepOrder,
    KeepSuppressed,
    OutFile,
    Table,
    refuse_existing,
)
from shoal.cli._output import output
from shoal.cli._reading import reads_tables, refuse_input
from shoal.cli.together._passphrase import (
    PassphraseFile,
    PseudonymKeyFile,
    read_pseudonym_key,
)
from shoal.errors import ParameterError, SchemaError

if TYPE_CHECKING:
    from shoal.schema import Schema
    from shoal.tables._recoded import Recoded

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
    keep_order: KeepOrder = False,
    key: PseudonymKeyFile = None,
    passphrase_file: PassphraseFile = None,
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
    from shoal.tables._frequency import CodingOptions
    from shoal.tables._keyed import need_key

    refuse_input([out], [table, recoding])
    refuse_existing([out], force=force)
    settle(recoding.parent)
    if not find_recoding(recoding).exists() and find_recoding(table).exists():
        raise ParameterError(
            f"the release comes first, then the new rows: shoal apply {table.name} {recoding.name}."
        )
    recoding = find_recoding(recoding)
    loaded = load_recoding(recoding)
    described = Schema.from_toml(schema or _schema_beside(recoding))
    secret = None if key is None else read_pseudonym_key(key, passphrase_file)
    need_key(described, secret, keep_suppressed=keep_suppressed)
    _require_same_key(recoding, secret)
    engine = open_table(table, encoding=encoding)
    compressed = engine.compress(
        _present(described, engine.names), CodingOptions(use_hierarchies=False)
    )
    recoded = loaded.recode(compressed.cells, unseen.value)
    with atomic_path(out) as part:
        rows = RowOptions(keep_suppressed=keep_suppressed, keep_order=keep_order, key=secret)
        compressed.write(recoded, rows, part)
    data = {
        "rows": int(recoded.cells.row_counts.sum()),
        "suppressed_rows": int(recoded.cells.row_counts[recoded.suppressed].sum()),
        "rows_without_detail": _rows_without_detail(recoded),
        "groups": recoded.groups.n_groups,
        "smallest_group": int(recoded.groups.sizes.min()) if recoded.groups.n_groups else 0,
        "file": str(out),
    }

    def show() -> None:
        output().table(
            "", ["measure", "value"], [[k.replace("_", " "), v] for k, v in data.items()]
        )
        output().print(
            "Nothing is promised for these rows: check them before you publish them. Beside the "
            "release they are a second one, and no promise covers both: of a table that grew, "
            "whoever takes one from the other has the rows of those who joined."
        )
        if data["rows_without_detail"]:
            output().note(
                f"Note: {data['rows_without_detail']:,} of {data['rows']:,} rows lost every detail "
                "of their quasi-identifiers: the release has no group that they fit into. One by "
                "--method mondrian or top-down recodes new rows better: its groups cover what lies "
                "between the people that it was made of."
            )

    output().emit(data, show)


def _rows_without_detail(recoded: Recoded) -> int:
    """Rows that are kept and whose every label is a root, which covers all there is."""
    import numpy as np

    from shoal.metrics._measure import label_loss

    blank = np.ones(len(recoded.codes), np.bool_)
    for labels, codes in zip(recoded.labels, recoded.codes.T, strict=True):
        # the star of a column with a single value covers no more than that
        says_all = (label_loss(labels) >= 1) | np.array([text == "*" for text in labels.texts])
        blank &= says_all[codes]
    kept = recoded.group_of[~recoded.suppressed]
    return int(recoded.cells.row_counts[~recoded.suppressed][blank[kept]].sum())


def _require_same_key(recoding: Path, secret: bytes | None) -> None:
    """Refuse another key than that of the release: nobody would have the same token in both."""
    from shoal.anonymize._release_files import file_beside
    from shoal.tables._keyed import fingerprint

    try:
        used = from_json(file_beside(recoding, "manifest").read_text("utf-8"))["key"]
    except (OSError, ValueError, KeyError, TypeError):
        return
    if secret is not None and used is not None and fingerprint(secret) != used:
        raise ParameterError(
            "this is not the key that the release was made with, and people would get other tokens "
            "and dates. Give the key of the release with --key."
        )


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
