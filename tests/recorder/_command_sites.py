"""Sites with a fixed key and a fixed kernel, attacks on them, and two parties that talk."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import tempfile
from functools import partial
from pathlib import Path

from tests.recorder._record import Case
from tests.recorder._run import INPUTS, keep, shoal, start

SECRET = ("--passphrase-file", "@passphrase")
PARTIES: dict[str, list[str]] = {
    "id3": ["id3", "toys-1.csv", "toys-2.csv", "--reveal-counts"],
    "id3 taylor": ["id3", "toys-1.csv", "toys-2.csv", "--logarithm", "taylor"],
    "bayes net": ["bayes-net", "toys-left.csv", "toys-right.csv"],
}


def _keys() -> None:
    shoal("site", "key", "show", "@key", *SECRET)
    shoal("site", "key", "show", "@key", *SECRET, "--json")
    shoal("site", "kernel", "show", "@kernel", *SECRET, "--json")
    shoal("site", "key", "show", "@kernel", *SECRET)
    shoal("site", "kernel", "show", "@key", *SECRET)
    shoal("site", "key", "show", "@people.csv", *SECRET)
    shoal("site", "key", "show", "@key", "--passphrase-file", "@people.toml")
    shoal("site", "key", "new", "@people.toml", "--out", "no", *SECRET)
    shoal("site", "key", "new", "@agreement.toml", "--out", "@key", *SECRET)
    shutil.copy(f"{INPUTS}/key", "longer")
    shoal("site", "key", "extend", "longer", "--column", "disease", "--category", "cough",
          *SECRET, "--json", drop=["longer"])  # fmt: skip


def _encode() -> None:
    for site in ("gent", "leuven"):
        shoal("site", "encode", f"@{site}.csv", "--key", "@key", "--site", site, "--to", ".",
              *SECRET, "--drop-others", "--json")  # fmt: skip
    files = ["gent.encoded.parquet", "leuven.encoded.parquet"]
    shoal("site", "combine", *files, "--out", "all.parquet", "--site", "gent", "--site", "leuven")
    shoal("site", "combine", *files, "--out", "named.parquet", "--with-site", "--json")
    shoal("site", "combine", *files, "--out", "no.parquet", "--site", "gent")
    shoal("site", "decode", "all.parquet", "--key", "@key", "--out", "back.csv", *SECRET)
    shoal("site", "decode", "named.parquet", "--key", "@key", "--out", "back.parquet", *SECRET)
    shoal("site", "decode", "@mined.txt", "--key", "@key", "--out", "read.txt", *SECRET)
    shoal("site", "encode", "@people.csv", "--key", "@key", "--site", "no", "--to", ".", *SECRET)
    shoal("site", "encode", "@gent.csv", "--key", "@key", "--site", "no", "--to", ".", "--peer",
          "0123456789abcdef", *SECRET, "--json")  # fmt: skip


def _share() -> None:
    for site in ("gent", "leuven"):
        share = ("site", "share", f"@{site}.csv", "--kernel", "@kernel", "--site", site)
        Path("labels").mkdir(exist_ok=True)
        Path("times").mkdir(exist_ok=True)
        shoal(*share, "--to", "labels", "--label", "died", *SECRET, "--json")
        shoal(*share, "--to", "times", "--time", "time", "--event", "event", "--no-attacks",
              *SECRET, "--json")  # fmt: skip
    shoal(*share, "--to", "labels", "--time", "time", "--event", "event", *SECRET)
    shoal(*share, "--to", "labels", *SECRET)


def _attacks() -> None:
    table = ("attack", "table", "@gent.csv", "--key", "@key", *SECRET)
    shoal(*table)
    shoal(*table, "--public", "@leuven.csv", "--known", 3, "--known", 12, "--seed", 5, "--json")
    kernel = ("attack", "kernel", "@gent.csv", "--kernel", "@kernel", *SECRET)
    shoal(*kernel)
    shoal(*kernel, "--known", 0, "--known", 2, "--seed", 5, "--json")


def _two(command: str, first: str, second: str, *options: str) -> None:
    """Two processes that mine together.  Keys are drawn, so what names them is left out."""
    port = _free_port()
    with tempfile.TemporaryDirectory() as folder:
        for name in ("a", "b"):
            start("twoparty", "keys", name, "--folder", folder).communicate(timeout=120)

        def party(own: str, peer: str, table: str, talk: str) -> subprocess.Popen[str]:
            return start(
                "twoparty", command, talk, f"127.0.0.1:{port}", "--timeout", "60",
                f"{INPUTS}/{table}", "--schema", f"{INPUTS}/toys.toml",
                "--key", f"{folder}/{own}.key", "--certificate", f"{folder}/{own}.crt",
                "--peer", f"{folder}/{peer}.crt", "--state", f"{own}.state.json",
                "--output", f"{own}.json", *options,
            )  # fmt: skip

        running = [party("a", "b", first, "--listen"), party("b", "a", second, "--connect")]
        for own, process in zip("ab", running, strict=True):
            out, err = process.communicate(timeout=120)
            said = re.sub(r"other party is [0-9A-Fa-f: \n]+", "other party is <other>\n", err)
            keep(["twoparty", command, own, *options], process.returncode, out, said)


def _alone() -> None:
    """What a party is told before it calls anybody."""
    for name in ("a", "b"):
        Path(f"{name}.key").write_text("x")
        Path(f"{name}.crt").write_text("x")
    Path("old.json").write_text(json.dumps({"run": "other", "rounds": []}))
    common = ("twoparty", "id3", "@toys-1.csv", "-s", "@toys.toml", "--key", "a.key",
              "--certificate", "a.crt", "--peer", "b.crt")  # fmt: skip
    shoal(*common)
    shoal(*common, "--connect", "nowhere")
    shoal(*common, "--connect", "127.0.0.1:1", "--state", "old.json", "--json")
    shoal(*common, "--connect", "127.0.0.1:1", "--products", "magic")
    shoal(*common, "--connect", "127.0.0.1:1", "--split", "magic")
    shoal("twoparty", "keys", "a", "--json")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


CASES: dict[str, Case] = {
    "site keys": _keys,
    "site encode": _encode,
    "site share": _share,
    "site attacks": _attacks,
    **{f"twoparty {name}": partial(_two, *words) for name, words in PARTIES.items()},
    "twoparty alone": _alone,
}
"""Names and cases of this module."""
