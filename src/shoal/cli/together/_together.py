"""`shoal together`: many owners who stay home, and two helpers who learn nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli._options import Force, K, SchemaFile, Target, refuse_existing
from shoal.cli._output import output
from shoal.cli._reading import reads_tables
from shoal.cli.together._twoparty import (
    CheckTransfers,
    Existing,
    KeyFile,
    Kind,
    OwnFile,
    PartFile,
    keys,
)
from shoal.errors import ParameterError

app = typer.Typer(no_args_is_help=True, help="Mine a joint table with many other owners.")
app.command("keys")(keys)

AgreementFile = Annotated[
    Path, typer.Argument(metavar="AGREEMENT", help="What all agreed on, TOML.")
]
As = Annotated[str, typer.Option("--as", help="Name of this end in the agreement.")]
StateFile = Annotated[
    Path | None, typer.Option("--state", help="File to resume from; holds public outcomes only.")
]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="Write the model here: .json.")]
Transcript = Annotated[
    Path | None, typer.Option("--transcript", help="Write here what was revealed to whom.")
]
Timeout = Annotated[float, typer.Option("--timeout", min=0.1, help="Longest wait, seconds.")]


@app.command()
def agree(
    schema: SchemaFile,
    first: Annotated[str, typer.Option("--first", help="HOST:PORT of the first helper.")],
    second: Annotated[str, typer.Option("--second", help="HOST:PORT of the second helper.")],
    first_certificate: Annotated[
        Path, typer.Option("--first-certificate", **Existing, help="Its certificate.")
    ],
    second_certificate: Annotated[
        Path, typer.Option("--second-certificate", **Existing, help="Its certificate.")
    ],
    owner: Annotated[
        list[Path],
        typer.Option("--owner", **Existing, help="An owner's certificate, NAME.crt. Repeat."),
    ],
    most_rows: Annotated[
        int, typer.Option("--most-rows", min=1, help="Bound on the rows of all together.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write: .toml.")],
    task: Annotated[str, typer.Option("--task", help="id3 or bayes-net.")] = "id3",
    target: Target = None,
    max_depth: Annotated[int, typer.Option("--max-depth", min=0, help="id3: depth.")] = 3,
    min_rows: Annotated[int, typer.Option("--min-rows", min=1, help="id3: rows of a node.")] = 1,
    k: K = None,
    reveal_counts: Annotated[
        bool, typer.Option("--reveal-counts", help="id3: open the leaves' class counts.")
    ] = False,
    order: Annotated[str, typer.Option("--order", help="bayes-net: parents first, comma.")] = "",
    max_parents: Annotated[int, typer.Option("--max-parents", min=0, help="bayes-net.")] = 2,
    logarithm: Kind = "chebyshev",
    terms: Annotated[int, typer.Option("--terms", min=1, max=8, help="Of the logarithm.")] = 4,
    split: Annotated[
        str, typer.Option("--split", help="rows; columns or cells: same rows at all owners.")
    ] = "rows",
    loss: Annotated[
        str, typer.Option("--loss", help="An owner is lost: stop, or continue without it.")
    ] = "stop",
    least_owners: Annotated[int, typer.Option("--least-owners", min=2)] = 2,
    check_inputs: Annotated[
        bool, typer.Option(help="Refuse answers that are no counts, inside the protocol.")
    ] = True,
    check_transfers: CheckTransfers = False,
    answer_seconds: Annotated[
        float, typer.Option("--answer-seconds", min=0.1, help="Wait for the owners' answers.")
    ] = 60.0,
    force: Force = False,
) -> None:
    """Write down who takes part and what is computed; send the file to all and compare digests."""
    from shoal._atomic import write_text
    from shoal.cli.together._mining_run import address_of
    from shoal.schema import Schema
    from shoal.secure import Terms
    from shoal.secure.owners._agreement import Agreement, check_agreement, columns_of

    refuse_existing([out], force=force)
    read = Schema.from_toml(schema)
    if task == "id3":
        predicted = target or read.target
        if not predicted:
            raise ParameterError("no target: name one with --target or in the schema.")
        parameters = {
            "target": predicted, "max_depth": max_depth, "min_rows": min_rows, "k": k,
            "logarithm": logarithm, "terms": terms, "reveal_counts": reveal_counts,
        }  # fmt: skip
    else:
        parameters = {
            "order": order.split(",") if order else None,
            "max_parents": max_parents, "logarithm": logarithm, "terms": terms,
        }  # fmt: skip
    for address in (first, second):
        address_of(address)
    if split not in ("rows", "columns", "cells"):
        raise ParameterError(f"split is rows, columns or cells, got {split!r}.")
    certificates = {path.stem: path.read_text() for path in owner}
    agreement = Agreement(
        task,
        parameters,
        Terms(
            [path.stem for path in owner],
            most_rows,
            loss,  # type: ignore[arg-type]
            least_owners,
            check_inputs,
            answer_seconds,
        ),
        columns_of(read),
        "rows" if split == "rows" else "cells",
        {"first": first, "second": second},
        {
            "first": first_certificate.read_text(),
            "second": second_certificate.read_text(),
            **certificates,
        },
        check_transfers,
    )
    check_agreement(agreement)
    write_text(out, agreement.to_toml())
    data = {"file": str(out), "digest": agreement.digest}
    output().emit(data, lambda: typer.echo(f"{out}\ndigest, to compare:\n{agreement.digest}"))


@app.command()
def show(agreement: AgreementFile) -> None:
    """Show what was agreed on, and its digest."""
    from shoal.secure.owners._agreement import read_agreement

    read = read_agreement(agreement)
    terms = read.terms
    facts = {
        "digest": read.digest,
        "task": read.task,
        **{name: value for name, value in read.parameters.items() if value is not None},
        "columns": list(read.columns),
        "split": read.split,
        "owners": list(terms.owners),
        "helpers": dict(read.addresses),
        "most rows": terms.most_rows,
        "if an owner is lost": terms.loss,
        "least owners": terms.least_owners,
        "answers are checked": terms.check_inputs,
        "transfers are checked": read.check_transfers,
    }
    output().emit(
        facts,
        lambda: typer.echo("\n".join(f"{name}: {_plain(value)}" for name, value in facts.items())),
    )


def _plain(value: object) -> str:
    """A fact as people write it."""
    if isinstance(value, dict):
        return ", ".join(f"{name} at {where}" for name, where in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


@app.command()
@reads_tables
def join(
    agreement: AgreementFile,
    table: PartFile,
    name: As,
    key: KeyFile,
    certificate: OwnFile,
    state: StateFile = None,
    out: Out = None,
    transcript: Transcript = None,
    timeout: Timeout = 600.0,
    force: Force = False,
) -> None:
    """Take part as an owner: the rows stay here, and the model comes back."""
    from shoal.cli.together._owners_run import Seat
    from shoal.secure.owners._agreement import read_agreement

    refuse_existing([path for path in (out, transcript) if path is not None], force=force)
    read = read_agreement(agreement)
    Seat(read, name, key, certificate, timeout, state, out, transcript).join(table)


@app.command("help")
def help_(
    agreement: AgreementFile,
    name: As,
    key: KeyFile,
    certificate: OwnFile,
    listen: Annotated[
        str, typer.Option("--listen", help="HOST:PORT to wait at, if not the agreed one.")
    ] = "",
    state: StateFile = None,
    out: Out = None,
    transcript: Transcript = None,
    timeout: Timeout = 600.0,
    force: Force = False,
) -> None:
    """Help: compute on shares, together with the other helper, and learn the model only."""
    from shoal.cli.together._owners_run import Seat
    from shoal.secure.owners._agreement import read_agreement

    refuse_existing([path for path in (out, transcript) if path is not None], force=force)
    read = read_agreement(agreement)
    Seat(read, name, key, certificate, timeout, state, out, transcript).help(listen)
