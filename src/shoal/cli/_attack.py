"""`shoal attack`: what a transform gives away, measured on your own table."""

from pathlib import Path
from typing import Annotated

import typer

from shoal.audit import attack_kernel, attack_table
from shoal.cli._attack_output import show_attacks
from shoal.cli._passphrase import PassphraseFile, passphrase
from shoal.federated import RandomKernel, TransformKey, read_rows, sample_file

app = typer.Typer(no_args_is_help=True, help="Attack a transform before you rely on it.")

Table = Annotated[Path, typer.Argument(help="The original rows, CSV or Parquet.")]
Known = Annotated[
    list[int] | None, typer.Option("--known", min=0, help="People the attacker knows; repeat.")
]
Seed = Annotated[int, typer.Option("--seed", help="Seed of the attacker's luck.")]


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
