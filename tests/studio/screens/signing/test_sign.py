"""From roles to a signed release, without a browser; what is written is the command line's."""

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from shoal.cli import app
from shoal.errors import ParameterError
from shoal.studio._page import page_of
from shoal.studio.screens._registry import SCREENS
from shoal.studio.screens.signing._digests import digest_now
from tests.studio.desks import Bureau

LINE = (
    "anonymize ../people.csv --schema schema.toml --method top-down -k 5 --order-seed 3 --out o.csv"
)


@pytest.fixture(scope="module")
def bureau(tmp_path_factory):
    return with_promise(tmp_path_factory.mktemp("sign"))


def with_promise(folder):
    made = Bureau(folder).with_roles()
    made.act("columns", "set", columns=["illness"], role="sensitive")
    made.act("columns", "set", columns=["age", "city"], role="quasi-identifier")
    made.act("promise", "set", recipient="contract")
    return made


def test_nothing_is_signed_before_all_is_done(bureau):
    bureau.act("sign", "write", name="early.csv")
    bureau.settle()
    assert bureau.show("sign")["written"]["promise"] == "holds"
    with pytest.raises(ParameterError, match="checklist"):
        bureau.act("sign", "sign", release="early.csv", roles="A", promise="B", approval="C")
    assert "do not publish" not in bureau.desk.project.decisions()[-1].what
    for wrong in ("../x.csv", "/tmp/x.csv", "x.exe", "", ".csv", "a b.csv"):
        with pytest.raises(ParameterError):
            bureau.act("sign", "write", name=wrong)
    bureau.act("columns", "accept")
    bureau.act("explore", "choose", candidate="top-down:5")
    bureau.act("attack", "run", attack="linking")
    bureau.settle()
    assert len(bureau.show("attack")["results"]) == 1
    bureau.act("sign", "write", name="good.csv", order_seed="3")
    bureau.settle()
    assert [item["name"] for item in bureau.show("sign")["checklist"] if not item["done"]] == []
    with pytest.raises(ParameterError, match="name under each"):
        bureau.act("sign", "sign", release="good.csv", roles="A", promise="", approval="C")
    bureau.act("sign", "sign", release="good.csv", roles="Ada", promise="Ben", approval="Cleo")
    folder = bureau.desk.project.folder
    signed = json.loads((folder / "releases" / "good.signed.json").read_text())
    assert signed["names"] == {"roles": "Ada", "promise": "Ben", "approval": "Cleo"}
    before = Path.cwd()
    os.chdir(folder)
    try:
        assert CliRunner().invoke(app, LINE.split()).exit_code == 0
    finally:
        os.chdir(before)
    assert (folder / "o.csv").read_bytes() == (folder / "releases" / "good.csv").read_bytes()
    # what the command line wrote is a release of the project
    assert "o.csv" in [release["name"] for release in bureau.desk.project.releases()]


def test_a_second_release_says_that_another_one_is_signed(tmp_path):
    made = with_promise(tmp_path)
    for name, k in (("first", 5), ("second", 10)):
        made.act("promise", "set", k=k)
        made.act("sign", "write", name=f"{name}.csv", order_seed="3")
        made.settle()
    folder = made.desk.project.folder / "releases"
    for ending in ("csv", "manifest.json"):  # a copy is no second release
        (folder / f"copy.{ending}").write_bytes((folder / f"first.{ending}").read_bytes())
    page = page_of(made.room, SCREENS["sign"], made.show("sign"), {}, "")
    assert "no promise covers two" in page
    assert "Give out one of them, not both" not in page
    said = {"digest": digest_now(folder / "first.csv"), "signed": "2024-05-01T10:00:00+00:00"}
    (folder / "first.signed.json").write_text(json.dumps(said | {"names": {"approval": "Ada"}}))
    shown = made.show("sign")
    others = {one["name"]: one["others_signed"] for one in shown["releases"]}
    assert others == {"first.csv": [], "copy.csv": [], "second.csv": ["first.csv"]}
    page = page_of(made.room, SCREENS["sign"], shown, {}, "")
    assert "Signed already, with other rows: first.csv. Give out one of them, not both." in page


def test_a_release_that_fails_cannot_be_signed(bureau):
    bureau.act("sign", "write", name="bad.csv")
    bureau.settle()
    bureau.desk.results["sign"]["value"]["problems"] = ["a group has 2 rows"]
    with pytest.raises(ParameterError, match="do not publish"):
        bureau.act("sign", "sign", release="bad.csv", roles="A", promise="B", approval="C")


def test_attacks_that_the_release_helps_stand_in_the_checklist(tmp_path):
    bureau = with_promise(tmp_path)
    bureau.act("attack", "run", attack="linking")
    bureau.settle()
    found = bureau.desk.history["attack"][0]["value"]
    found |= {"risk": 0.35, "interval": [0.3, 0.4], "baseline": 0.158}
    page = page_of(bureau.room, SCREENS["sign"], bureau.show("sign"), {}, "")
    assert "helps the attacker" in page
    assert "15.8 %" in page
    assert "Nothing speaks against" not in page
    found |= {"interval": [0.1, 0.4]}
    page = page_of(bureau.room, SCREENS["sign"], bureau.show("sign"), {}, "")
    assert "helps the attacker" not in page
