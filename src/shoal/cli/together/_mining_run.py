"""One run of a mining command: connect, fit, show the model, keep what a cut run has reached."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import typer

from shoal._atomic import write_text
from shoal.cli._output import output
from shoal.cli.together._state_file import StateFile, part_content
from shoal.errors import ConnectionCutError, ParameterError
from shoal.parties import connect, fingerprint, listen
from shoal.parties._channel import Channel
from shoal.parties._tls import TLSChannel
from shoal.schema import Schema
from shoal.secure import FirstParty, SecondParty, Settings, TablePart, read_part
from shoal.secure._party import Party
from shoal.secure.miners._progress import Progress


@dataclass(frozen=True)
class MiningRun:
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
    out: Path | None

    def mine(self, what: str, model: Any, view: Callable[[Any], tuple[Any, str]]) -> None:
        """Connect, fit, print the model; keep the state of a cut run."""
        schema = Schema.from_toml(self.schema)
        state, say = StateFile(self.state, self.key), output()
        contents = {"set of parameters": self._parameters(what, model)}
        # What cannot be used is told before anybody is called; where the values are shared, the
        # table is known only after the call.
        done = state.load(contents)
        if not self.share_values:
            done, part = self._resume(state, contents, self._part(schema, None))
            model._check(part)
        rounds = len(done.rounds) if done else 0

        def report(progress: Progress) -> None:
            nonlocal rounds
            rounds = len(progress.rounds)
            state.store(progress, contents)
            say.note(f"round {rounds} done; {traffic_text(progress.traffic)}")

        with self._channel() as channel:
            say.note(f"connected; the other party is {fingerprint(self.peer)}")
            if channel.refused:
                say.note(f"{channel.refused} connections that were not the other party's")
            try:
                party = self._party(channel)
                if self.share_values:
                    done, part = self._resume(state, contents, self._part(schema, party))
                model.fit(part, party, done=done, progress=report)
            except ConnectionCutError as error:
                hint = f" {rounds} rounds are kept: run the same command again at both ends."
                raise ConnectionCutError(f"{error}{hint if self.state else ''}") from None
            traffic = channel.transcript.to_dict()
        data, text = view(model)
        data = {"model": data, "traffic": traffic}
        if self.out is not None:
            write_text(self.out, json.dumps(data, indent=2, ensure_ascii=False) + "\n")
        say.emit(data, lambda: typer.echo(text))
        say.note(f"done; {traffic_text(traffic)}")

    @staticmethod
    def _resume(
        state: StateFile, contents: dict[str, bytes], part: TablePart
    ) -> tuple[Progress | None, TablePart]:
        """Rounds to go on from, now that the table is known too."""
        contents["table or schema"] = part_content(part)
        return state.load(contents), part

    def _parameters(self, what: str, model: Any) -> bytes:
        parameters = [what, self.split, self.share_values, asdict(self.settings)]
        text = json.dumps([*parameters, model.get_params()], sort_keys=True, default=str)
        return text.encode() + fingerprint(self.peer).encode()

    def _channel(self) -> TLSChannel:
        if bool(self.listen) == bool(self.connect):
            raise ParameterError("give one of --listen and --connect.")
        open_ = listen if self.listen else connect
        return open_(
            address_of(self.listen or self.connect),
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


def address_of(text: str) -> tuple[str, int]:
    """Host and port of an address."""
    host, _, port = text.rpartition(":")
    if not host or not (port.isascii() and port.isdigit()) or not 0 < int(port) < 65536:
        raise ParameterError(f"an address is HOST:PORT, got {text!r}.")
    return host.strip("[]"), int(port)


def traffic_text(counts: dict[str, int]) -> str:
    """Turns and megabytes, for people."""
    sent, received = counts["bytes_sent"] / 1e6, counts["bytes_received"] / 1e6
    return f"{counts['rounds']} turns, {sent:.1f} MB sent, {received:.1f} MB received"
