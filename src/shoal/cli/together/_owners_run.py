"""One run of `shoal together`: connect everybody, fit, show the model and what was revealed."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import typer

from shoal._atomic import write_text
from shoal.cli._output import output
from shoal.cli.together._mining_run import address_of, traffic_text
from shoal.cli.together._state_file import StateFile, part_content
from shoal.cli.together._views import view
from shoal.errors import ConnectionCutError, ParameterError
from shoal.parties._certificates import read_certificate
from shoal.parties._door import admit
from shoal.parties._tls import TLSChannel, call
from shoal.secure import FirstParty, Helper, Owner, SecondParty, Settings, TablePart, read_part
from shoal.secure.miners._progress import Progress
from shoal.secure.owners._agreement import HELPERS, Agreement


class _Kept(NamedTuple):
    """A state file, what it is bound to, and what is in it."""

    state: StateFile
    contents: dict[str, bytes]
    done: Progress | None


@dataclass(frozen=True)
class Seat:
    """Who runs, with what files."""

    agreement: Agreement
    name: str
    key: Path
    certificate: Path
    timeout: float
    state: Path | None
    out: Path | None
    transcript: Path | None

    def __post_init__(self) -> None:
        if self.name not in self.agreement.certificates:
            raise ParameterError(f"the agreement does not name {self.name!r}.")
        if read_certificate(self.certificate) != self.agreement.pins(self.name)[self.name]:
            raise ParameterError(f"{self.certificate} is not the certificate of {self.name!r}.")

    def join(self, table: Path) -> None:
        """Take part as an owner."""
        agreement, say = self.agreement, output()
        if self.name in HELPERS:
            raise ParameterError(f"{self.name!r} is a helper: use 'shoal together help'.")
        split: Any = agreement.split
        part = read_part(table, agreement.schema(), split=split)
        kept = self._kept(part)  # what cannot be continued is told before anybody is called
        with contextlib.ExitStack() as stack:
            lines = [stack.enter_context(self._call(name)) for name in HELPERS]
            say.note("connected to both helpers")
            self._fit(part, Owner(lines[0], lines[1], agreement.terms), kept)

    def help(self, listen: str) -> None:
        """Take part as a helper."""
        if self.name not in HELPERS:
            raise ParameterError(f"{self.name!r} is an owner: use 'shoal together join'.")
        agreement, say = self.agreement, output()
        address = address_of(listen or agreement.addresses[self.name])
        owners = agreement.terms.owners
        settings = Settings(check_transfers=agreement.check_transfers)
        kept = self._kept(agreement.public_part())
        with contextlib.ExitStack() as stack:
            if self.name == HELPERS[0]:
                came = self._admit(address, [HELPERS[1], *owners], stack)
                other = came.pop(HELPERS[1], None)
                if other is None:
                    raise ConnectionCutError("the second helper did not come.")
                party: FirstParty | SecondParty = FirstParty(other, settings)
            else:
                # The first helper's door is open now; it may be shut when all owners are here.
                other = stack.enter_context(self._call(HELPERS[0]))
                came = self._admit(address, list(owners), stack)
                party = SecondParty(other, settings)
            say.note(f"{len(came)} of {len(owners)} owners are here")
            seat = Helper(party, came, agreement.terms)
            self._fit(agreement.public_part(), seat, kept)

    def _fit(self, part: TablePart, seat: Owner | Helper, kept: _Kept) -> None:
        say, (state, contents, done) = output(), kept
        known: list[str] = []

        def report(progress: Progress) -> None:
            state.store(progress, contents)
            for name in seat.lost[len(known) :]:
                known.append(name)
                say.note(f"{name} is lost; the run goes on without it, as was agreed")
            say.note(f"round {len(progress.rounds)} done; {traffic_text(progress.traffic)}")

        model = self.agreement.miner()
        with self._transcribed(seat):
            model.fit(part, seat, done=done, progress=report)
        data, text = view(model)
        result = {
            "model": data,
            "lost": seat.lost,
            "revealed": seat.ledger.entries,
            "traffic": seat.traffic,
        }
        if self.out is not None:
            write_text(self.out, json.dumps(result, indent=2, ensure_ascii=False) + "\n")
        say.emit(result, lambda: typer.echo(text))
        if seat.lost:
            say.note(f"without {', '.join(seat.lost)}, who were lost on the way")
        say.note(f"done; {traffic_text(seat.traffic)}")

    def _kept(self, part: TablePart) -> _Kept:
        """Where rounds are kept, what they are bound to, and those to go on from.

        Those of another agreement or table are an error.
        """
        contents = {
            "agreement": self.agreement.digest.encode(),
            "table": part_content(part),
        }
        state = StateFile(self.state, self.key)
        return _Kept(state, contents, state.load(contents))

    @contextlib.contextmanager
    def _transcribed(self, seat: Owner | Helper) -> Iterator[None]:
        """Write what was revealed to whom, also of a run that failed."""
        try:
            yield
        finally:
            if self.transcript is not None:
                head = f"# {self.name}; agreement {self.agreement.digest}\n"
                write_text(self.transcript, head + seat.ledger.to_text() + "\n")

    def _options(self, times: int = 1) -> dict[str, Any]:
        return {"timeout": times * self.timeout, "limit": 2**28, "record": False}

    def _call(self, name: str) -> TLSChannel:
        address = address_of(self.agreement.addresses[name])
        line = call(address, self.key, self.certificate, self.agreement.pins(name), self._options())
        line.timeout = 2 * self.timeout  # others may use up the whole time before they answer
        return line

    def _admit(
        self, address: tuple[str, int], names: list[str], stack: contextlib.ExitStack
    ) -> dict[str, TLSChannel]:
        pins = self.agreement.pins(*names)
        came, _ = admit(address, self.key, self.certificate, pins, self._options())
        for line in came.values():
            stack.callback(line.close)
        refused = max((line.refused for line in came.values()), default=0)
        if refused:
            output().note(f"{refused} connections of nobody whom the agreement names")
        return came
