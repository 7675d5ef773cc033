"""`shoal attack`: what a release or a transform gives away, measured on your own table."""

from pathlib import Path
from typing import Annotated

import typer

from shoal.attacks import attack_kernel, attack_table, linking_attack
from shoal.cli._options import SchemaFile
from shoal.cli.publish._attack_output import show_attacks
from shoal.cli.together._passphrase import PassphraseFile, passphrase
from shoal.federated import RandomKernel, TransformKey
from shoal.federated.transforms._files import read_rows, sample_file
from shoal.schema import Schema

app = typer.Typer(
    no_args_is_help=True, help="Attack a release or a transform before you rely on it."
)

Table = Annotated[Path, typer.Argument(help="The original rows, CSV or Parquet.")]
Known = Annotated[
    list[int] | None, typer.Option("--known", min=0, help="People the attacker knows; repeat.")
]
Seed = Annotated[int, typer.Option("--seed", help="Seed of the attacker's luck.")]


@app.command("release")
def release_attack(
    release: Annotated[Path, typer.Argument(help="A released table, of any method.")],
    schema: SchemaFile,
    people: Annotated[
        Path,
        typer.Option("--people", help="Everybody, with all columns: the table before its release."),
    ],
    column: Annotated[
        str | None,
        typer.Option("--column", help="Sensitive column to guess; else the target or the first."),
    ] = None,
    second: Annotated[
        Path | None,
        typer.Option("--second", help="Another release of the same people, to intersect with."),
    ] = None,
    known: Annotated[
        list[int] | None,
        typer.Option(
            "--known", min=0, help="Row of PEOPLE whose value the attacker knows, from 0; repeat."
        ),
    ] = None,
) -> None:
    """Link a release to people by their quasi-identifiers and guess what is sensitive.

    PEOPLE holds the sensitive values too: the guesses are scored by them, never made from them.
    """
    found = linking_attack(
        release,
        people,
        Schema.from_toml(schema),
        column=column,
        second=second,
        known=known or (),
    )
    details = found.summary.details
    facts = {name.replace("_", " "): value for name, value in details.items()}
    show_attacks({"column": found.column} | facts, [found.summary])


@app.command("table")
def table_attack(
    table: Table,
    key: Annotated[Path, typer.Option("--key", help="Key file.")],
    public: Annotated[
        Path | None,
        typer.Option("--public", help="Table whose marginals are public; else TABLE itself."),
    ] = None,
    known: Known = None,
    seed: Seed = 0,
    passphrase_file: PassphraseFile = None,
) -> None:
    """Frequency analysis of aliases, bracketing of graded values, membership."""
    shared = TransformKey.load(key, passphrase(passphrase_file))
    results = attack_table(
        sample_file(table, shared),
        shared,
        public=None if public is None else sample_file(public, shared),
        n_known=known or (2, 10),
        random_state=seed,
    )
    show_attacks({}, results)


@app.command("kernel")
def kernel_attack(
    table: Table,
    kernel: Annotated[Path, typer.Option("--kernel", help="Kernel file.")],
    known: Known = None,
    seed: Seed = 0,
    passphrase_file: PassphraseFile = None,
) -> None:
    """Reconstruction of rows from projections, with and without B, and membership."""
    shared = RandomKernel.load(kernel, passphrase(passphrase_file))
    show_attacks({}, attack_kernel(read_rows(table), shared, n_known=known, random_state=seed))
