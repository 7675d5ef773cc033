"""`shoal twoparty`: mine a joint table with one other party, each in its own process."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal._atomic import write_text
from shoal.cli._output import output
from shoal.errors import ConnectionCutError, ParameterError, TableError
from shoal.parties import Channel, connect, fingerprint, listen, make_keys
from shoal.schema import Schema
from shoal.secure import (
    FirstParty,
    Party,
    SecondParty,
    SecureBayesNet,
    SecureID3,
    Settings,
    TablePart,
    read_part,
)
from shoal.secure.miners._progress import Progress

app = typer.Typer(no_args_is_help=True, help="Mine a joint table with one other party.")

Existing = {"exists": True, "dir_okay": False}
TableFile = Annotated[Path, typer.Option("--table", **Existing, help="This party's part, CSV.")]
SchemaFile = Annotated[
    Path, typer.Option("--schema", "-s", **Existing, help="Common schema, TOML.")
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
Result = Annotated[
    Path | None, typer.Option("--out", "-o", "--output", help="Write the model as JSON.")
]
Timeout = Annotated[float, typer.Option("--timeout", min=0.1, help="Longest wait, seconds.")]
Kind = Annotated[str, typer.Option("--logarithm", help="chebyshev, taylor or fast.")]
Products = Annotated[str, typer.Option("--products", help="transfer or paillier.")]
KeyBits = Annotated[int, typer.Option("--key-bits", help="Paillier: 3072, or 2048 (112 bits).")]
ShareValues = Annotated[
    bool, typer.Option("--share-values", help="Tell which values occur, if the schema does not.")
]


@app.command()
def keys(
    name: Annotated[str, typer.Argument(help="This party's name.")],
    folder: Annotated[Path, typer.Option("--folder", file_okay=False, exists=True)] = Path("."),
    days: Annotated[int, typer.Option("--days", min=1, help="Days the certificate lasts.")] = 365,
) -> None:
    """Make a private key and a self-signed certificate, and show the fingerprint."""
    key, certificate, digest = make_keys(name, folder, days=days)
    out = output()
    data = {"key": str(key), "certificate": str(certificate), "fingerprint": digest}

    def show() -> None:
        typer.echo(f"{key}   stays here\n{certificate}   goes to the other party")
        typer.echo(f"fingerprint, to compare by telephone:\n{digest}")

    out.emit(data, show)


@dataclass(frozen=True)
class _Run:
    """Everything a mining command needs besides its own parameters."""

    listen: str
    connect: str
    key: Path
    certificate: Path
    peer: Path
    timeout: float
    table: Path
    schema: Path
    split: str
    share_values: bool
    settings: Settings
    state: Path | None
    result: Path | None

    def mine(self, what: str, model: Any, view: Callable[[Any], tuple[Any, str]]) -> None:
        """Connect, fit, print the model; keep the state of a cut run."""
        schema = Schema.from_toml(self.schema)
        done = _stored(self.state, _identity(what, model, self.split))
        out = output()
        rounds = len(done)

        def report(progress: Progress) -> None:
            nonlocal rounds
            rounds = len(progress.rounds)
            _store(self.state, _identity(what, model, self.split), progress.rounds)
            out.note(f"round {rounds} done; {_traffic(progress.traffic)}")

        if not self.share_values:
            self._part(schema, None)  # a file that cannot be used is told before anybody is called
        with self._channel() as channel:
            out.note(f"connected; the other party is {fingerprint(self.peer)}")
            try:
                party = self._party(channel)
                part = self._part(schema, party)
                model.fit(part, party, done=done, progress=report)
            except ConnectionCutError as error:
                hint = f" {rounds} rounds are kept: run the same command again at both ends."
                raise ConnectionCutError(f"{error}{hint if self.state else ''}") from None
            traffic = channel.transcript.to_dict()
        data, text = view(model)
        data = {"model": data, "traffic": traffic}
        if self.result is not None:
            write_text(self.result, json.dumps(data, indent=2, ensure_ascii=False) + "\n")
        out.emit(data, lambda: typer.echo(text))
        out.note(f"done; {_traffic(traffic)}")

    def _channel(self) -> Channel:
        if bool(self.listen) == bool(self.connect):
            raise ParameterError("give one of --listen and --connect.")
        open_ = listen if self.listen else connect
        return open_(
            _address(self.listen or self.connect),
            key=self.key,
            certificate=self.certificate,
            peer=self.peer,
            timeout=self.timeout,
        )

    def _party(self, channel: Channel) -> Party:
        return (FirstParty if self.listen else SecondParty)(channel, self.settings)

    def _part(self, schema: Schema, party: Party | None) -> TablePart:
        if self.split not in ("rows", "columns", "cells"):
            raise ParameterError(f"split is rows, columns or cells, got {self.split!r}.")
        return read_part(
            self.table,
            schema,
            split="rows" if self.split == "rows" else "cells",
            party=party if self.share_values else None,
        )


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit() or not 0 < int(port) < 65536:
        raise ParameterError(f"an address is HOST:PORT, got {text!r}.")
    return host.strip("[]"), int(port)


def _traffic(counts: dict[str, int]) -> str:
    sent, received = counts["bytes_sent"] / 1e6, counts["bytes_received"] / 1e6
    return f"{counts['rounds']} turns, {sent:.1f} MB sent, {received:.1f} MB received"


def _identity(what: str, model: Any, split: str) -> str:
    """Hash of what a state file belongs to."""
    text = json.dumps([what, split, model.get_params()], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _stored(path: Path | None, identity: str) -> list[list[int]]:
    if path is None or not path.exists():
        return []
    try:
        data = json.loads(path.read_text())
        rounds = [[int(value) for value in outcome] for outcome in data["rounds"]]
        same = data["run"] == identity
    except (ValueError, KeyError, TypeError):
        raise TableError(f"{path.name!r} is not a state file. Remove it to start anew.") from None
    if not same:
        raise ParameterError(
            f"{path.name!r} belongs to a run with other parameters. Remove it to start anew."
        )
    return rounds


def _store(path: Path | None, identity: str, rounds: list[list[int]]) -> None:
    if path is not None:
        write_text(path, json.dumps({"run": identity, "rounds": rounds}) + "\n")


@app.command()
def id3(
    table: TableFile,
    schema: SchemaFile,
    key: KeyFile,
    certificate: OwnFile,
    peer: PeerFile,
    listen: Listen = "",
    connect: Connect = "",
    split: Split = "rows",
    target: Annotated[str, typer.Option("--target", help="Default: the schema's.")] = "",
    max_depth: Annotated[int, typer.Option("--max-depth", min=0)] = 3,
    min_rows: Annotated[int, typer.Option("--min-rows", min=1)] = 1,
    reveal_counts: Annotated[
        bool, typer.Option("--reveal-counts", help="Open the leaves' class counts.")
    ] = False,
    logarithm: Kind = "chebyshev",
    terms: Annotated[int, typer.Option("--terms", min=1, max=8)] = 3,
    products: Products = "transfer",
    key_bits: KeyBits = 3072,
    share_values: ShareValues = False,
    state: StateFile = None,
    result: Result = None,
    timeout: Timeout = 600.0,
) -> None:
    """Grow an ID3 tree of the joint table; both parties learn the tree and nothing else."""
    found = target or Schema.from_toml(schema).target
    if not found:
        raise ParameterError("no target: name one with --target or in the schema.")
    model = SecureID3(
        found,
        max_depth=max_depth,
        min_rows=min_rows,
        logarithm=logarithm,  # type: ignore[arg-type]
        terms=terms,
        reveal_counts=reveal_counts,
    )
    run = _Run(
        listen, connect, key, certificate, peer, timeout, table, schema, split, share_values,
        Settings(products=products, key_bits=key_bits),  # type: ignore[arg-type]
        state, result,
    )  # fmt: skip
    run.mine("id3", model, _tree_view)


def _tree_view(model: SecureID3) -> tuple[Any, str]:
    data: dict[str, Any] = {"tree": model.tree_.to_dict()}
    if model.counts_ is not None:
        data["leaf_counts"] = model.counts_.tolist()
    return data, model.tree_.to_text()


@app.command("bayes-net")
def bayes_net(
    table: TableFile,
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
    share_values: ShareValues = False,
    state: StateFile = None,
    result: Result = None,
    timeout: Timeout = 600.0,
) -> None:
    """Find the K2 Bayes net of the joint table; both learn the arcs and nothing else."""
    model = SecureBayesNet(
        order.split(",") if order else None,
        max_parents=max_parents,
        logarithm=logarithm,  # type: ignore[arg-type]
        terms=terms,
    )
    run = _Run(
        listen, connect, key, certificate, peer, timeout, table, schema, split, share_values,
        Settings(products=products, key_bits=key_bits),  # type: ignore[arg-type]
        state, result,
    )  # fmt: skip
    run.mine("bayes-net", model, lambda m: (m.structure_.to_dict(), m.structure_.to_text()))
