"""Tokens in place of names: a key that a passphrase opens, and that is kept nowhere else."""

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from shoal.cli import app
from shoal.errors import ParameterError
from tests.extras import need
from tests.studio.desks import Bureau

need("cryptography")
PHRASE = "correct Horse 7 "
LINE = (
    "anonymize ../people.csv --schema schema.toml --method top-down -k 5 --order-seed 3 "
    "--key keys/pseudonyms.key --out o.csv"
)


@pytest.fixture(scope="module")
def bureau(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tokens")
    made = Bureau(folder).with_roles()
    made.act("columns", "set", columns=["name"], role="pseudonym")
    made.act("columns", "set", columns=["illness"], role="sensitive")
    made.act("columns", "set", columns=["age", "city"], role="quasi-identifier")
    made.desk.project.set(method="top-down", k=5)
    return made


def written(folder):
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_a_key_is_made_and_the_release_is_the_command_lines(bureau, monkeypatch):
    folder = bureau.desk.project.folder
    shown = bureau.show("sign")
    assert (shown["keyed"], shown["key"]) == (True, "")
    with pytest.raises(ParameterError, match="choose the key"):
        bureau.act("sign", "write", name="x.csv")
    for phrase, again in ((PHRASE, "other"), ("", "")):
        with pytest.raises(ParameterError, match="passphrase"):
            bureau.act("sign", "key", passphrase=phrase, again=again)
    bureau.act("sign", "key", passphrase=PHRASE, again=PHRASE)
    bureau.settle()
    key = folder / "keys" / "pseudonyms.key"
    assert key.stat().st_mode & 0o077 == 0
    assert bureau.show("sign")["key"] == str(key)
    bureau.act("sign", "write", name="wrong.csv", key=str(key), passphrase="guess")
    bureau.settle()
    assert "wrong passphrase" in bureau.show("sign")["outcome"]["error"]
    given = {"key": "keys/pseudonyms.key", "passphrase": PHRASE, "order_seed": "3"}
    bureau.act("sign", "write", name="tokens.csv", **given)
    bureau.settle()
    found = bureau.show("sign")["written"]
    assert (found["promise"], found["against"]) == (
        "holds",
        "",
    )  # people of the raw table were counted
    ours = (folder / "releases" / "tokens.csv").read_bytes()
    assert b"Person" not in ours
    assert PHRASE.strip().encode() not in written(bureau.folder)
    monkeypatch.setenv("SHOAL_PASSPHRASE", PHRASE)
    before = Path.cwd()
    os.chdir(folder)
    try:
        done = CliRunner().invoke(app, LINE.split())
        assert done.exit_code == 0, done.output
    finally:
        os.chdir(before)
    assert ours == (folder / "o.csv").read_bytes()


def test_drafts_have_tokens_of_another_key(bureau):
    assert bureau.show("compare")["fact"]["state"] == "ready"
    bureau.act("attack", "run", attack="linking")
    bureau.settle()
    assert json.dumps(bureau.desk.history).find("Person") < 0
    (result, *_) = bureau.show("attack")["results"]
    assert not result["stale"]
