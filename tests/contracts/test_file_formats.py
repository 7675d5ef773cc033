"""Every command that reads a table reads every file format, and finds the same in it."""

import json
import os
import re
from collections import Counter
from importlib import import_module

import pytest
from typer.testing import CliRunner

from shoal.cli import app
from shoal.cli._commands import COMMANDS
from shoal.cli._failures import CANNOT_TELL
from shoal.tables.engines.formats._formats import FORMATS
from tests.audit.trials import quick_audits as quick_audits
from tests.cli.cases import found_cases
from tests.extras import need

pl = need("polars")
need("pyarrow")
need("cryptography")

pytestmark = pytest.mark.usefixtures("quick_audits")

WITHOUT_TABLES = {"datasets", "demo", "reproduce", "studio", "version"}
"""Commands that are given no table."""

ROWS = 96
TABLE = pl.DataFrame(
    {
        "age": [20 + 5 * (i % 8) for i in range(ROWS)],
        "sex": ["fm"[i // 8 % 2] for i in range(ROWS)],
        "dose": [0.5 * (i % 5) for i in range(ROWS)],
        "score": [i % 7 for i in range(ROWS)],
        "ward": ["abc"[i % 3] for i in range(ROWS)],
        "illness": ["flu" if i % 8 + i // 8 % 2 > 4 else "cold" for i in range(ROWS)],
    }
)
SCHEMA = """
columns.age = {role = "quasi-identifier", kind = "numeric", hierarchy = {intervals = [10, 20]}}
columns.sex = {role = "quasi-identifier", hierarchy = "flat"}
columns.dose = {role = "insensitive", kind = "numeric"}
columns.score = {role = "insensitive", kind = "numeric"}
columns.ward = {role = "insensitive"}
columns.illness = {role = "sensitive", target = true}
"""
CATEGORIES = """
columns.sex = {role = "quasi-identifier", kind = "ordinal", order = ["f", "m"]}
columns.ward = {role = "insensitive", kind = "ordinal", order = ["a", "b", "c"]}
columns.illness = {role = "sensitive", kind = "ordinal", order = ["cold", "flu"], target = true}
"""
SETS = """
columns.age = {role = "insensitive", kind = "numeric"}
columns.sex = {role = "insensitive"}
columns.dose = {role = "insensitive", kind = "numeric"}
columns.score = {role = "insensitive", kind = "numeric"}
columns.ward = {role = "quasi-identifier", separator = ";"}
columns.illness = {role = "sensitive"}
"""
AGREEMENT = """
columns.age = {low = 15, high = 90}
columns.illness = {categories = ["flu", "cold"], prefix = "I"}
features.age = {low = 15, high = 90}
features.dose = {low = 0, high = 60}
features.score = {low = 0, high = 10}
"""
READERS = {
    "anonymize": "anonymize {table} -s schema.toml -k 4 --method mondrian -o {new}.csv",
    "apply": "apply release.private/recoding.json {table} -o {new}.csv",
    "attack release": "attack release release.csv -s schema.toml --original {table}",
    "attack release (released)": "attack release {released} -s schema.toml --original table.csv",
    "attack refine": "attack refine release.csv -s schema.toml --original {table}",
    "attack refine (released)": "attack refine {released} -s schema.toml --register table.csv",
    "attack table": "attack table {table} --key site.key",
    "attack kernel": "attack kernel {table} --kernel site.kernel",
    "audit": "audit model.json {table} -s schema.toml -k 4",
    "check": "check {released} -s schema.toml -k 4",
    "compare": "compare {table} -s schema.toml -k 4 --method mondrian",
    "compare (released)": "compare table.csv {released} -s schema.toml",
    "frontier": "frontier {table} -s schema.toml -k 4 --method mondrian -o {new}.svg",
    "mask": "mask {table} --beta 0.5 -o {new}.csv",
    "metrics": "metrics {table} -s schema.toml",
    "quasi": "quasi {table}",
    "report": "report release.csv --original {table} -o {new}.html",
    "schema": "schema suggest {table}",
    "site encode": "site encode {table} --key site.key --site {suffix} --to encoded --drop-others",
    "site share": "site share {table} --kernel site.kernel --site {suffix} --to shares --label sex",
    "tree": "tree {table} -s schema.toml -k 4 --test-share 0",
    "twoparty id3": "twoparty id3 {table} -s categories.toml --key ann.key --certificate ann.crt "
    "--peer ben.crt --connect 127.0.0.1:1 --timeout 0.2",
    "together join": "together join together.toml {table} --as bob --key bob.key "
    "--certificate bob.crt --timeout 0.2",
}
READERS |= found_cases("FORMAT_CASES")
SUFFIXES = [known.suffixes[0].removeprefix(".") for known in FORMATS]
WRITERS = {
    "csv": pl.DataFrame.write_csv,
    "parquet": pl.DataFrame.write_parquet,
    "arrow": pl.DataFrame.write_ipc,
}
"""How a file of each format is written; a format that is not here brings it in its test file."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Tables in every format, and what the commands need beside them."""
    path = tmp_path_factory.mktemp("formats")
    _write(TABLE, path / "table")
    texts = {"schema": SCHEMA, "agreement": AGREEMENT, "categories": CATEGORIES, "sets": SETS}
    for name, text in texts.items():
        (path / f"{name}.toml").write_text(text)
    for name in ("encoded", "shares"):
        (path / name).mkdir()
    for command in (
        "anonymize table.csv -s schema.toml -k 4 --method mondrian -o release.csv",
        "tree table.csv -s schema.toml -k 4 --test-share 0 -o model.json",
        "site key new agreement.toml -o site.key",
        "site kernel new agreement.toml -o site.kernel",
        *(f"twoparty keys {name} --out ." for name in ("ann", "ben")),
        *(f"together keys {name} --out ." for name in ("bob", "eve", "one", "two")),
        "together agree -s categories.toml --target sex --first 127.0.0.1:1 --second 127.0.0.1:1 "
        "--first-certificate one.crt --second-certificate two.crt --owner bob.crt "
        "--owner eve.crt --most-rows 999 -o together.toml",
    ):
        done = _shoal(path, command)
        assert done.exit_code == 0, done.output
    _write(pl.read_csv(path / "release.csv"), path / "release")
    return path


EVERYWHERE = ("anonymize", "check", "schema", "report")
"""Commands that are run on every format; others on those that have a reader of their own, and on
two more in turn: all that become columns of values are staged by the same code."""


def suffixes_of(command):
    own, staged = SUFFIXES[:3], SUFFIXES[3:]
    if command in EVERYWHERE:
        return SUFFIXES
    at = 2 * list(READERS).index(command)
    return [*own, *(staged[(at + i) % len(staged)] for i in range(2))]


@pytest.mark.parametrize("command", READERS)
def test_a_command_finds_the_same_in_every_format(folder, command):
    results = {s: _outcome(folder, READERS[command], s) for s in suffixes_of(command)}
    code, said = results["csv"]
    assert code in (0, 1, 4), said  # 1: a breach; 4: nobody at the other end
    assert {suffix for suffix, result in results.items() if result[0] != code} == (
        NOT_LOOKED_INTO if command == "check" else set()
    )
    assert {result[0] for result in results.values()} <= {code, CANNOT_TELL}
    assert all(result[1] == said for result in results.values())


NOT_LOOKED_INTO = {"sav", "dta", "xpt", "duckdb"}
"""Formats whose files may hold more than cells, which `check` does not see: it cannot tell."""


def test_every_command_and_every_format_is_tried():
    tried = {command.split()[0] for command in READERS}
    assert tried == set(COMMANDS) - WITHOUT_TABLES
    assert len(SUFFIXES) == len({*SUFFIXES, *WRITERS}) >= 3
    per_format = Counter(suffix for command in READERS for suffix in suffixes_of(command))
    assert min(per_format[suffix] for suffix in SUFFIXES) >= len(EVERYWHERE) + 3


def _write(table, path):
    for suffix, known in zip(SUFFIXES, FORMATS, strict=True):
        _writer(suffix, known)(table, path.with_suffix(f".{suffix}"))


def _writer(suffix, known):
    if suffix in WRITERS:
        return WRITERS[suffix]
    file = known.read.__module__.rpartition("._")[2]
    return import_module(f"tests.tables.engines.formats.test_{file}").write_example


def _shoal(folder, command):
    environment = {**os.environ, "SHOAL_PASSPHRASE": "open sesame"}
    before = os.getcwd()
    os.chdir(folder)
    try:
        return CliRunner(env=environment).invoke(app, ["--json", *command.split()])
    finally:
        os.chdir(before)


def _outcome(folder, command, suffix):
    """Exit code and what was said, without what must differ between files and runs."""
    new = f"new-{command.split()[0]}-{suffix}"
    filled = command.format(
        table=f"table.{suffix}", released=f"release.{suffix}", new=new, suffix=suffix
    )
    done = _shoal(folder, filled)
    if done.exit_code in (0, CANNOT_TELL):
        said = json.dumps(_settled(json.loads(done.stdout)))
    else:
        said = done.stdout + done.stderr
    own = rf"\b{new}\b|\b(?:table|release)\.{suffix}\b|(?<=\"){suffix}\b"
    return done.exit_code, re.sub(own, "NAME", said)


VARYING = "seconds|versions|digest|sha256|fingerprint|created|source|matches_manifest|earlier"
VARYING += "|^holds$|side_doors"  # of what else a file has; exit codes are compared


def _settled(data):
    if isinstance(data, dict):
        return {key: _settled(value) for key, value in data.items() if not re.search(VARYING, key)}
    return [_settled(value) for value in data] if isinstance(data, list) else data
