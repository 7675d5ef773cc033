"""`shoal perturb`: values changed at random, with what an attacker still finds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli._options import (
    Encoding,
    Force,
    OutFile,
    SchemaFile,
    Table,
    numbers_by_column,
    refuse_existing,
)
from shoal.cli._output import output
from shoal.cli._reading import reads_tables, refuse_input
from shoal.cli.publish._show import Earlier, find_earlier, say_earlier

if TYPE_CHECKING:
    from shoal.anonymize.perturbed._perturbed import Perturbed

app = typer.Typer()


@app.command()
@reads_tables
def perturb(
    table: Table,
    schema: SchemaFile,
    out: OutFile,
    noise: Annotated[
        list[str] | None,
        typer.Option(
            "--noise",
            help="COLUMN=SHARE: normal noise with this share of the column's standard deviation. "
            "May be repeated.",
        ),
    ] = None,
    swap: Annotated[
        list[str] | None,
        typer.Option(
            "--swap",
            help="COLUMN=SHARE: values change rows, no farther than this share of the rows in "
            "rank. May be repeated.",
        ),
    ] = None,
    pram: Annotated[
        list[str] | None,
        typer.Option(
            "--pram",
            help="COLUMN=PROBABILITY: a value is kept with this probability, else drawn as values "
            "occur. May be repeated.",
        ),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option("--keep", help="Quasi-identifier to write as it is. May be repeated."),
    ] = None,
    encoding: Encoding = None,
    force: Force = False,
) -> None:
    """Write TABLE with values changed at random.  Nothing is promised; risk is measured.

    Seeds are drawn from the system and not kept.  The result says how many rows an attacker finds
    again who knows the raw quasi-identifiers of everybody.
    """
    from shoal.anonymize import perturb_table
    from shoal.anonymize._release_files import keep_reading, release_files
    from shoal.schema import Schema
    from shoal.tables._engine import OpenOptions

    files = [path for kind, path in release_files(out).items() if kind != "recoding"]
    refuse_input([out, *files], [table, schema])
    refuse_existing(files, force=force)
    described = Schema.from_toml(schema)
    earlier = find_earlier(described, release_files(out), None)
    made = perturb_table(
        table,
        described,
        noise=numbers_by_column("--noise", noise),
        swap=numbers_by_column("--swap", swap),
        pram=numbers_by_column("--pram", pram),
        keep=keep or (),
        encoding=encoding,
    )
    paths = made.write(out, force=force)
    keep_reading(out, getattr(table, "options", OpenOptions()))
    data = made.to_dict() | {"files": {kind: str(path) for kind, path in paths.items()}}
    data["earlier"] = [one.name for one in earlier]
    output().emit(data, lambda: _show(made, paths["table"].name, earlier))


def _show(made: Perturbed, name: str, earlier: Sequence[Earlier]) -> None:
    out = output()
    out.table(
        "",
        ["column", "change", "how much"],
        [
            [column, how, share]
            for how, part in made.changes.items()
            for column, share in part.items()
        ],
    )
    out.table(
        "Rows found again by their quasi-identifiers",
        ["table", "share", "95 % interval", "guessing"],
        [
            [what, f"{one.share:.1%}", f"{one.low:.1%} to {one.high:.1%}", f"{one.baseline:.2%}"]
            for what, one in (("raw", made.before), ("changed", made.after))
        ],
    )
    out.print(
        f"{name} is written. Nothing is promised by counting: nobody is sure to hide among others, "
        "and a better attacker may find more."
    )
    if earlier:
        out.note(
            f"Note: {say_earlier(earlier)} Noise that is drawn twice is not the same, and the mean "
            "of both is nearer to the truth."
        )
