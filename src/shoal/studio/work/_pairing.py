"""Mining with one other party, with a live transcript of what leaves and what is revealed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shoal.errors import ParameterError
from shoal.parties import connect, fingerprint, listen
from shoal.secure import FirstParty, SecondParty, SecureID3, Settings, read_part
from shoal.studio.work._bench import Args, Bench, read_schema, source_of
from shoal.studio.work._registered import task
from shoal.typing import Progress

_PATIENCE = 600.0


@task("together")
def mine_together(bench: Bench, args: Args, progress: Progress, part: Any) -> dict[str, Any]:
    """Grow an ID3 tree of the joint table with the other party; both learn the tree alone."""
    schema = read_schema(args)
    target = args.get("target") or schema.target
    if not target:
        raise ParameterError("no column to predict: mark one as the target, or name one.")
    rows = read_part(source_of(args), schema, split="rows")
    waits = args["way"] == "listen"
    progress(0, 0, "waiting for the other party" if waits else "calling the other party")
    line = (listen if waits else connect)(
        _address(args["address"]), key=Path(args["key"]), certificate=Path(args["certificate"]),
        peer=Path(args["peer"]), timeout=_PATIENCE,
    )  # fmt: skip
    with line as channel:
        part({"said": "connected", "fingerprint": fingerprint(args["peer"])})

        def report(done: Any) -> None:
            part({"said": "round", "rounds": len(done.rounds), "traffic": dict(done.traffic),
                  **_revealed(rows.names, done.rounds[-1])})  # fmt: skip
            progress(len(done.rounds), 0, "levels of the tree")

        party = (FirstParty if waits else SecondParty)(channel, Settings())
        model = SecureID3(target, max_depth=args["max_depth"]).fit(rows, party, progress=report)
        traffic = channel.transcript.to_dict()
    return {"tree": model.tree_.to_text(), "traffic": traffic}


def _revealed(names: Sequence[str], outcome: Sequence[int]) -> dict[str, Any]:
    """What a round made public: the columns that nodes ask for, and how many became leaves.

    Examples
    --------
    >>> _revealed(["wind", "rain", "play"], [1, -2, 1])
    {'asks': ['rain'], 'leaves': 1}
    """
    asks = [names[decision] for decision in outcome if decision >= 0]
    return {"asks": list(dict.fromkeys(asks)), "leaves": len(outcome) - len(asks)}


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not (port.isascii() and port.isdigit()) or not 0 < int(port) < 65536:
        raise ParameterError("an address is HOST:PORT, for example 192.0.2.7:7001.")
    return host.strip("[]"), int(port)
