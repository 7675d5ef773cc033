"""Together: keys, fingerprints to compare aloud, and a live transcript of what is revealed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.errors import ParameterError
from shoal.parties import fingerprint, make_keys
from shoal.parties._certificates import LARGEST_CERTIFICATE
from shoal.studio._desk import Desk
from shoal.studio.screens._screen import Action, Field, Room, Screen

KEYS = "keys"


def _folder(desk: Desk) -> Path:
    folder = desk.project.folder / KEYS
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def _own(desk: Desk) -> dict[str, Any] | None:
    for key in sorted((desk.project.folder / KEYS).glob("*.key")):
        certificate = key.with_suffix(".crt")
        if certificate.is_file():
            return {"name": key.stem, "key": str(key), "certificate": str(certificate),
                    "fingerprint": spoken(fingerprint(certificate))}  # fmt: skip
    return None


def spoken(digest: str) -> str:
    """A fingerprint in groups of four, to be read aloud.

    Examples
    --------
    >>> spoken("ab:cd:ef:01:23")
    'abcd ef01 23'
    """
    plain = digest.replace(":", "").replace(" ", "").lower()
    return " ".join(plain[start : start + 4] for start in range(0, len(plain), 4))


def _show(room: Room, query: Mapping[str, str]) -> dict[str, Any]:
    desk = room.desk
    outcome, job = desk.results.get("together"), desk.running("together")
    return {
        "own": _own(desk),
        "peer": desk.results.get("peer"),
        "compared": bool(desk.results.get("compared")),
        "target": desk.schema.target,
        "columns": list(desk.schema.released),
        "job": job.to_dict() if job else None,
        "transcript": (outcome or {}).get("parts", []),
        "failed": (outcome or {}).get("error", ""),
        "found": (outcome or {}).get("value"),
        "asked": desk.results.get("together as", {}),
    }


def _make(room: Room, given: dict[str, Any]) -> None:
    """Make a private key and a certificate for this party."""
    desk = room.desk
    if _own(desk) is not None:
        raise ParameterError("this project has a key already.")
    make_keys(given["name"], _folder(desk))
    desk.project.note(f"made a key for party {given['name']}")
    desk.tell({"changed": "together"})


def _peer(room: Room, given: dict[str, Any]) -> None:
    """Take the other party's certificate, to compare its fingerprint aloud."""
    desk = room.desk
    path = room.folders.file(given["path"], most=LARGEST_CERTIFICATE, base=desk.project.folder)
    desk.results["peer"] = {"path": str(path), "fingerprint": spoken(fingerprint(path))}
    desk.results["compared"] = False
    desk.tell({"changed": "together"})


def _compared(room: Room, given: dict[str, Any]) -> None:
    """Say that the fingerprints were compared over another line, and are the same."""
    desk = room.desk
    if not desk.results.get("peer"):
        raise ParameterError("choose the other party's certificate first.")
    desk.results["compared"] = True
    desk.project.note("compared the fingerprints of both parties", given["why"])
    desk.tell({"changed": "together"})


def _require_same(desk: Desk, peer: dict[str, Any]) -> None:
    """Raise where the file of the other party's certificate is another since it was compared."""
    path = Path(peer["path"])
    now = spoken(fingerprint(path)) if path.is_file() else ""
    if now != peer["fingerprint"]:
        desk.results |= {"compared": False, "peer": peer | {"fingerprint": now} if now else None}
        desk.tell({"changed": "together"})
        raise ParameterError("the certificate is another one now. Compare its fingerprint again.")


def _start(room: Room, given: dict[str, Any]) -> None:
    """Grow a tree with the other party."""
    desk, own = room.desk, _own(room.desk)
    peer = desk.results.get("peer")
    if own is None or peer is None or not desk.results.get("compared"):
        raise ParameterError("make a key, take the other's certificate, and compare both first.")
    _require_same(desk, peer)
    if given["way"] not in ("listen", "connect"):
        raise ParameterError("either wait for the other party, or call it.")
    if desk.running("together"):
        raise ParameterError("it is running already.")
    if given["target"] not in desk.schema:
        raise ParameterError("choose the column to predict.")
    args = desk.schema_args() | {
        "way": given["way"], "address": given["address"], "max_depth": given["max_depth"],
        "target": given["target"], "key": own["key"], "certificate": own["certificate"],
        "peer": peer["path"],
    }  # fmt: skip
    desk.results["together as"] = {k: given[k] for k in ("way", "address", "target", "max_depth")}
    desk.results.pop("together", None)
    desk.project.note(f"mined together for {given['target']}; reveals the tree to both")
    desk.start("together", args, "together")


TOGETHER = Screen(
    "together",
    "Mine a joint table with one other party; both learn the tree and nothing else.",
    _show,
    {
        "keys": Action("Make a key for this party.", _make,
                       {"name": Field("text", "Letters, digits and underscores.")}),
        "peer": Action("Take the other party's certificate.", _peer,
                       {"path": Field("text", "In a folder you allowed.")}),
        "compared": Action("Say that the fingerprints are the same.", _compared,
                           {"why": Field("text", "With whom, and how.", "")}),
        "start": Action(
            "Grow a tree with the other party.",
            _start,
            {
                "way": Field("text", "listen or connect."),
                "address": Field("text", "HOST:PORT"),
                "target": Field("text", "Column to predict."),
                "max_depth": Field("integer", "Levels of the tree.", 3),
            },
        ),
    },
    live=("together",),
)  # fmt: skip
