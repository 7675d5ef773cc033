"""`shoal twoparty`: mine a joint table with one other party, each in its own process."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli._options import Force, K, OutFolder, SchemaFile, Target, refuse_existing
from shoal.cli._output import output
from shoal.cli._reading import reads_tables
from shoal.errors import ParameterError

app = typer.Typer(no_args_is_help=True, help="Mine a joint table with one other party.")

Existing = {"exists": True, "dir_okay": False}
PartFile = Annotated[
    Path, typer.Argument(metavar="TABLE", help="This party's part of the table, CSV.")
]
KeyFile = Annotated[Path, typer.Option("--key", **Existing, help="Own private key.")]
OwnFile = Annotated[Path, typer.Option("--certificate", **Existing, help="Own certificate.")]
PeerFile = Annotated[Path, typer.Option("--peer", **Existing, help="The other's certificate.")]
Listen = Annotated[str, typer.Option("--listen", help="HOST:PORT to wait at.")]
Connect = Annotated[str, typer.Option("--connect", help="HOST:PORT to call.")]
Split = Annotated[
    str, typer.Option("--split", help="rows; columns or cells: same rows at both ends.")
]
StateFile = Annotated[
    Path | None,
    typer.Option("--state", help="File to resume from; holds public outcomes only."),
]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="Write the model here: .json.")]
Timeout = Annotated[float, typer.Option("--timeout", min=0.1, help="Longest wait, seconds.")]
Kind = Annotated[str, typer.Option("--logarithm", help="chebyshev, taylor, fast or strict.")]
Products = Annotated[str, typer.Option("--products", help="transfer or paillier.")]
KeyBits = Annotated[int, typer.Option("--key-bits", help="Paillier: 3072, or 2048 (112 bits).")]
CheckTransfers = Annotated[
    bool,
    typer.Option("--check-transfers", help="Find out a second party that deviates in transfers."),
]
ShareValues = Annotated[
    bool, typer.Option("--share-values", help="Tell which values occur, if the schema does not.")
]


@app.command()
def keys(
    name: Annotated[str, typer.Argument(metavar="NAME", help="This party's name.")],
    out: OutFolder = Path("."),
    days: Annotated[int, typer.Option("--days", min=1, help="Days the certificate lasts.")] = 365,
) -> None:
    """Make a private key and a self-signed certificate, and show the fingerprint."""
    from shoal.parties import make_keys

    key, certificate, digest = make_keys(name, out, days=days)
    data = {"key": str(key), "certificate": str(certificate), "fingerprint": digest}

    def show() -> None:
        typer.echo(f"{key}   stays here\n{certificate}   goes to the other party")
        typer.echo(f"fingerprint, to compare by telephone:\n{digest}")

    output().emit(data, show)


@app.command()
@reads_tables
def id3(
    table: PartFile,
    schema: SchemaFile,
    key: KeyFile,
    certificate: OwnFile,
    peer: PeerFile,
    listen: Listen = "",
    connect: Connect = "",
    split: Split = "rows",
    target: Target = None,
    max_depth: Annotated[int, typer.Option("--max-depth", min=0)] = 3,
    min_rows: Annotated[int, typer.Option("--min-rows", min=1)] = 1,
    k: K = None,
    reveal_counts: Annotated[
        bool, typer.Option("--reveal-counts", help="Open the leaves' class counts.")
    ] = False,
    logarithm: Kind = "chebyshev",
    terms: Annotated[int, typer.Option("--terms", min=1, max=8)] = 3,
    products: Products = "transfer",
    key_bits: KeyBits = 3072,
    check_transfers: CheckTransfers = False,
    share_values: ShareValues = False,
    state: StateFile = None,
    out: Out = None,
    timeout: Timeout = 600.0,
    force: Force = False,
) -> None:
    """Grow an ID3 tree of the joint table; both parties learn the tree and nothing else."""
    from shoal.cli.together._mining_run import MiningRun
    from shoal.cli.together._views import view
    from shoal.schema import Schema
    from shoal.secure import SecureID3, Settings

    refuse_existing([] if out is None else [out], force=force)
    predicted = target or Schema.from_toml(schema).target
    if not predicted:
        raise ParameterError("no target: name one with --target or in the schema.")
    model = SecureID3(
        predicted,
        max_depth=max_depth,
        min_rows=min_rows,
        logarithm=logarithm,  # type: ignore[arg-type]
        terms=terms,
        reveal_counts=reveal_counts,
        k=k,
    )
    run = MiningRun(
        listen, connect, key, certificate, peer, timeout, table, schema, split, share_values,
        Settings(
            products=products,  # type: ignore[arg-type]
            key_bits=key_bits,
            check_transfers=check_transfers,
        ),
        state, out,
    )  # fmt: skip
    run.mine("id3", model, view)


@app.command("bayes-net")
@reads_tables
def bayes_net(
    table: PartFile,
    schema: SchemaFile,
    key: KeyFile,
    certificate: OwnFile,
    peer: PeerFile,
    listen: Listen = "",
    connect: Connect = "",
    split: Split = "cells",
    order: Annotated[str, typer.Option("--order", help="Columns, parents first, comma.")] = "",
    max_parents: Annotated[int, typer.Option("--max-parents", min=0)] = 2,
    logarithm: Kind = "chebyshev",
    terms: Annotated[int, typer.Option("--terms", min=1, max=8)] = 4,
    products: Products = "transfer",
    key_bits: KeyBits = 3072,
    check_transfers: CheckTransfers = False,
    share_values: ShareValues = False,
    state: StateFile = None,
    out: Out = None,
    timeout: Timeout = 600.0,
    force: Force = False,
) -> None:
    """Find the K2 Bayes net of the joint table; both learn the arcs and nothing else."""
    from shoal.cli.together._mining_run import MiningRun
    from shoal.cli.together._views import view
    from shoal.secure import SecureBayesNet, Settings

    refuse_existing([] if out is None else [out], force=force)
    model = SecureBayesNet(
        order.split(",") if order else None,
        max_parents=max_parents,
        logarithm=logarithm,  # type: ignore[arg-type]
        terms=terms,
    )
    run = MiningRun(
        listen, connect, key, certificate, peer, timeout, table, schema, split, share_values,
        Settings(
            products=products,  # type: ignore[arg-type]
            key_bits=key_bits,
            check_transfers=check_transfers,
        ),
        state, out,
    )  # fmt: skip
    run.mine("bayes-net", model, view)
