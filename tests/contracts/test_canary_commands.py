"""No value of a person leaves through what a command says, whether it succeeds or refuses.

In the tables every name and every sensitive value holds a marker.  Each command runs on a good
table and on ones that it must refuse; the marker is in nothing that it prints or logs, and names
are in no file that it writes.
"""

import logging
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from shoal.cli import app
from tests.audit.trials import quick_audits as quick_audits
from tests.cli.cases import found_cases
from tests.cli.test_group import command_paths
from tests.extras import ROOT, need

pytestmark = pytest.mark.usefixtures("quick_audits")

CANARY = "Xq7canary"
SCHEMA = """
[columns.name]
role = "identifier"
[columns.age]
role = "quasi-identifier"
kind = "numeric"
hierarchy = {intervals = [5, 10, 20]}
[columns.city]
role = "quasi-identifier"
hierarchy = {tree = {North = ["Kiel", "Bremen"], South = ["Ulm", "Passau"]}}
[columns.illness]
role = "sensitive"
[columns.income]
role = "sensitive"
kind = "numeric"
[columns.pays]
role = "insensitive"
target = true
[columns.visits]
role = "insensitive"
kind = "numeric"
"""
AGREEMENT = """
[columns.age]
low = 15
high = 90
[columns.city]
categories = ["Kiel", "Bremen", "Ulm", "Passau"]
[features.age]
low = 15
high = 90
[features.income]
low = 0
high = 9000
[features.visits]
low = 0
high = 20
"""
PARTS = """
[columns.name]
role = "identifier"
[columns.city]
role = "insensitive"
kind = "ordinal"
order = ["Kiel", "Ulm"]
[columns.pays]
role = "insensitive"
kind = "ordinal"
order = ["no", "yes"]
target = true
"""
HEADER = "name,age,city,illness,income,pays,visits"
CITIES = ("Kiel", "Bremen", "Ulm", "Passau")
ALICE = ["--key", "alice.key", "--certificate", "alice.crt", "--peer", "bob.crt"]
BOB = ["--key", "bob.key", "--certificate", "bob.crt", "--peer", "alice.crt"]
TALK = ["--schema", "parts.toml", "--timeout", "60"]

PEOPLE = ["people.csv", "--schema", "people.toml"]
ODD = ["odd.csv", "--schema", "people.toml"]  # a text where a number should be
TORN = ["torn.csv", "--schema", "people.toml"]  # a quote that is never closed
CASES: dict[str, list[tuple[int, list[str]]]] = {
    "anonymize": [
        (0, [*PEOPLE, "-k", "5", "--out", "new.csv", "--diversity", "distinct:2@illness"]),
        (3, [*PEOPLE, "-k", "500", "--out", "new.csv"]),
        (0, [*PEOPLE, "--requirement", "age,city:5+distinct:2", "--out", "new.csv", "--force"]),
        (0, [*PEOPLE, "--diversity", "lkc:1:5:0.9", "--out", "new.csv", "--force"]),
        (3, [*PEOPLE, "--requirement", "age:500", "--out", "newer.csv"]),
        (2, [*PEOPLE, "--requirement", "town:5", "--out", "newer.csv"]),
        (2, [*ODD, "-k", "5", "--out", "new.csv"]),
        (2, [*TORN, "-k", "5", "--out", "new.csv"]),
    ],
    "apply": [
        (0, ["r.private/recoding.json", "people.csv", "--out", "new.csv"]),
        (2, ["r.private/recoding.json", "stranger.csv", "--out", "new.csv", "--unseen", "error"]),
    ],
    "attack release": [
        (0, ["r.csv", "--schema", "people.toml", "--original", "people.csv", "--known-row", "3"]),
        (2, ["r.csv", "--schema", "people.toml", "--original", "torn.csv"]),
    ],
    "attack refine": [
        (0, ["r.csv", "--schema", "people.toml", "--original", "people.csv"]),
        (2, ["r.csv", "--schema", "people.toml", "--original", "torn.csv"]),
    ],
    "attack table": [
        (0, ["all.csv", "--key", "site.key"]), (2, ["people.toml", "--key", "site.key"]),
    ],
    "attack kernel": [
        (0, ["all.csv", "--kernel", "site.kernel"]),
        (2, ["odd.csv", "--kernel", "site.kernel"]),
    ],
    "audit": [
        (0, ["tree.json", *PEOPLE, "-k", "5"]),
        (2, ["tree.json", *ODD, "-k", "2"]),
        (2, ["torn.csv", *PEOPLE]),
    ],
    "check": [
        (1, [*PEOPLE, "-k", "5"]),
        (1, [*PEOPLE, "--requirement", "age:5", "--diversity", "lkc:1:9"]),
        (2, [*ODD, "-k", "5"]),
        (2, [*TORN, "-k", "5"]),
    ],
    "compare": [
        (0, [*PEOPLE, "-k", "5", "--method", "top-down"]),
        (2, [*ODD, "-k", "5"]),
        (0, ["people.csv", "r.csv", "--schema", "people.toml", "--out", "c.html"]),
        (2, ["people.csv", "torn.csv"]),
    ],
    "demo": [(0, ["--generated", "--out", "demo"])],
    "frontier": [
        (0, [*PEOPLE, "--out", "f.svg", "-k", "2,500", "--jobs", "1", "--method", "top-down"]),
        (2, [*ODD, "--out", "f.svg"]),
    ],
    "mask": [
        (0, ["people.csv", "--beta", "0.4", "--out", "new.csv"]),
        (3, ["people.csv", "--beta", "0.001", "--out", "new.csv"]),
        (2, ["torn.csv", "--beta", "0.4"]),
    ],
    "metrics": [(0, PEOPLE), (2, ODD)],
    "quasi": [(0, ["people.csv", "--max-size", "2"]), (2, ["people.csv", "--bins", "name=5"])],
    "report": [(0, ["r.csv", "--original", "people.csv"]), (2, ["people.csv"])],
    "reproduce": [(0, ["--list"]), (2, [CANARY[:3]])],
    "schema suggest": [(0, ["people.csv"]), (2, ["torn.csv"]), (2, ["people.toml"])],
    "schema show": [(0, ["people.toml"]), (2, ["people.csv"])],
    "site encode": [
        (0, ["site.csv", "--key", "site.key", "--site", "gent", "--to", "."]),
        (2, ["stranger.csv", "--key", "site.key", "--site", "gent", "--to", "."]),
    ],
    "site combine": [
        (0, ["ulm.encoded.parquet", "--out", "new.parquet"]),
        (2, ["people.csv", "--out", "new.parquet"]),
    ],
    "site decode": [
        (0, ["ulm.encoded.parquet", "--key", "site.key", "--out", "new.csv"]),
        (2, ["torn.csv", "--key", "people.csv", "--out", "new.csv"]),
    ],
    "site share": [
        (0, ["people.csv", "--kernel", "site.kernel", "--site", "gent", "--to", ".",
             "--label", "pays"]),
        (2, ["odd.csv", "--kernel", "site.kernel", "--site", "gent", "--to", "."]),
    ],
    "site key new": [
        (0, ["agreement.toml", "--out", "new.key"]), (2, ["people.csv", "--out", "new.key"]),
    ],
    "site key pseudonyms": [
        (0, ["--out", "names.key"]), (2, ["--out", "site.key"]),
    ],
    "site key show": [(0, ["site.key"]), (2, ["people.csv"])],
    "site key extend": [
        (0, ["site.key", "--column", "city", "--category", "Bonn"]),
        (2, ["people.csv", "--column", "city", "--category", "Bonn"]),
    ],
    "site kernel new": [
        (0, ["agreement.toml", "--out", "new.kernel"]), (2, ["people.csv", "--out", "new.kernel"]),
    ],
    "site kernel show": [(0, ["site.kernel"]), (2, ["people.csv"])],
    "tree": [(0, [*PEOPLE, "-k", "5", "--out", "new.json"]), (2, [*ODD, "-k", "5"])],
    "twoparty keys": [(0, ["carol"])],
    "twoparty id3": [(2, ["stranger.csv", *TALK, *ALICE, "--connect", "127.0.0.1:9"])],
    "twoparty bayes-net": [(2, ["stranger.csv", *TALK, *ALICE, "--connect", "127.0.0.1:9"])],
    "version": [(0, [])],
}  # fmt: skip
"""Arguments of each command, and the exit code."""
CASES |= found_cases("CANARY_CASES")
TALKING = {
    "twoparty id3": ("part.csv", "part.csv"),
    "twoparty bayes-net": ("left.csv", "right.csv"),
}


def person(i, city, illness=None, income=None):
    illness = f"{CANARY}-ill-{i % 3}" if illness is None else illness
    income = 1000 + i * 7 % 500 if income is None else income
    pays = "yes" if i % 2 else "no"
    return f"{CANARY}-name-{i},{20 + i % 30},{city},{illness},{income},{pays},{i % 7}"


def write(path, rows, header=HEADER):
    path.write_text("\n".join([header, *rows]) + "\n", "utf-8")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A folder with tables, and with what commands make of them for others to read."""
    for package in ("polars", "pyarrow", "cryptography"):
        need(package)
    folder = tmp_path_factory.mktemp("prepared")
    rows = [person(i, CITIES[i % 4]) for i in range(120)]
    write(folder / "people.csv", rows)
    write(folder / "odd.csv", [*rows[:60], person(60, "Ulm", income=f"{CANARY}-income")])
    write(folder / "torn.csv", [*rows[:60], f'"{CANARY},unclosed', "1,2"])
    write(folder / "stranger.csv", [*rows[:60], person(61, "Ulm", income="")], HEADER + ",more")
    site = [",".join(row.split(",")[1:3]) for row in rows]
    write(folder / "site.csv", site, "age,city")
    part = [f"{CANARY}-name-{i},{'Kiel' if i % 3 else 'Ulm'},{'yes' if i % 2 else 'no'}"
            for i in range(24)]  # fmt: skip
    write(folder / "part.csv", part, "name,city,pays")
    cells = [row.split(",") for row in part]
    write(folder / "left.csv", [f"{name},{city}" for name, city, _ in cells], "name,city")
    write(folder / "right.csv", [f"{name},{pays}" for name, _, pays in cells], "name,pays")
    for name, text in (("people", SCHEMA), ("agreement", AGREEMENT), ("parts", PARTS)):
        (folder / f"{name}.toml").write_text(text)
    for line in (
        "anonymize people.csv --schema people.toml -k 5 --out r.csv",
        "tree people.csv --schema people.toml -k 5 --out tree.json --test-share 0",
        "site key new agreement.toml --out site.key",
        "site kernel new agreement.toml --out site.kernel",
        "site encode site.csv --key site.key --site ulm --to .",
        "site share people.csv --kernel site.kernel --site ulm --to . --label pays --no-attacks",
        "site train ulm.share.parquet --out svc.json",
        "twoparty keys alice",
        "twoparty keys bob",
    ):
        done = invoke(folder, line.split())
        assert done.exit_code == 0, (line, done.output)
    shutil.copy(folder / "people.csv", folder / "all.csv")
    return folder


def environment():
    return {**os.environ, "SHOAL_PASSPHRASE": "open sesame", "PYTHONPATH": str(ROOT / "src")}


def invoke(folder, arguments):
    before = Path.cwd()
    os.chdir(folder)
    try:
        return CliRunner(env=environment()).invoke(app, arguments, prog_name="shoal")
    finally:
        os.chdir(before)


def names_in_files(folder, known):
    files = (path for path in folder.rglob("*") if path.is_file() and path not in known)
    return [path.name for path in files if f"{CANARY}-name".encode() in path.read_bytes()]


FORMS = [(command, form) for command in CASES for form in ("for people", "json")]
FORMS.remove(("demo", "json"))  # reads no table of anybody, and takes a while


@pytest.mark.parametrize(("command", "form"), FORMS)
def test_a_command_says_nothing_of_a_person(command, form, prepared, tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.WARNING, "numba")  # it describes code, at great length
    for number, (code, arguments) in enumerate(CASES[command]):
        folder = tmp_path / str(number)
        shutil.copytree(prepared, folder)
        before = set(folder.rglob("*"))
        more = ["--json"] if form == "json" else []
        done = invoke(folder, [*command.split(), *arguments, *more])
        assert done.exit_code == code, (arguments, done.output)
        said = done.output + done.stderr + caplog.text
        if (command, form, code) == ("audit", "json", 0):  # how sure one can be of each value
            said = re.sub(r'"confidence": \{.*?\}\s*\}', "", said, flags=re.DOTALL)
        assert CANARY not in said, arguments
        assert not names_in_files(folder, before)


@pytest.mark.parametrize("command", TALKING)
def test_two_parties_say_nothing_of_a_person(command, prepared, tmp_path):
    folder = tmp_path / "both"
    shutil.copytree(prepared, folder)
    before = set(folder.rglob("*"))
    with socket.create_server(("127.0.0.1", 0)) as server:
        line = f"127.0.0.1:{server.getsockname()[1]}"
    parts = zip(TALKING[command], (ALICE, BOB), ("--listen", "--connect"), strict=True)
    sides = [
        subprocess.Popen(
            [sys.executable, "-m", "shoal", *command.split(), part, *TALK, *own, way, line],
            cwd=folder, env=environment(), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
        for part, own, way in parts
    ]  # fmt: skip
    said = [side.communicate(timeout=120)[0] for side in sides]
    assert [side.returncode for side in sides] == [0, 0], said
    assert CANARY not in "".join(said)
    assert not names_in_files(folder, before)


def test_every_command_is_covered():
    """The guard: a command without a case would be watched by nobody."""
    assert set(CASES) == {" ".join(path) for path in command_paths()}
    assert sum(map(len, CASES.values())) >= 50
