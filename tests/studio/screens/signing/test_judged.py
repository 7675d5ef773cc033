"""Nobody signs a release that was not counted again since it was written."""

import os
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from shoal.cli import app
from shoal.errors import ParameterError
from tests.studio.desks import Bureau

NAMES = {"roles": "Ada", "promise": "Ben", "approval": "Cleo"}
LINE = "anonymize ../people.csv --schema schema.toml --method top-down -k 5 --out by-hand.csv"


def run_in(folder, line):
    before = Path.cwd()
    os.chdir(folder)
    try:
        done = CliRunner().invoke(app, line.split())
        assert done.exit_code == 0, done.output
    finally:
        os.chdir(before)


@pytest.fixture
def bureau(tmp_path):
    made = Bureau(tmp_path).with_roles()
    made.act("columns", "set", columns=["illness"], role="sensitive")
    made.act("columns", "set", columns=["age", "city"], role="quasi-identifier")
    made.act("columns", "accept")
    made.act("promise", "set", recipient="contract")
    made.act("explore", "choose", candidate="top-down:5")
    made.act("attack", "run", attack="linking")
    made.settle()
    return made


def the_release(bureau):
    (release,) = bureau.show("sign")["releases"]
    return release


def test_a_release_of_the_command_line_is_counted_before_it_is_signed(bureau, tmp_path):
    folder = bureau.desk.project.folder
    run_in(folder, LINE)
    run_in(folder, "report by-hand.csv")  # a page beside it proves nothing
    assert the_release(bureau)["judged"] is None
    with pytest.raises(ParameterError, match="nobody counted it again"):
        bureau.act("sign", "sign", release="by-hand.csv", **NAMES)
    bureau.act("sign", "judge", release="by-hand.csv")
    bureau.settle()
    assert the_release(bureau)["judged"]["promise"] == "holds"
    again = Bureau(tmp_path, bureau.desk.project.table)  # it is remembered
    again.show("sign")  # hierarchies are looked at, as they were before
    again.act("sign", "sign", release="by-hand.csv", **NAMES)
    assert the_release(again)["signature"]["names"] == NAMES
    table = folder / "by-hand.csv"
    table.write_text(table.read_text() + "1,2,3\n")
    os.utime(table, ns=(2**62, 2**62))  # later than the signature on any clock
    shown = the_release(again)
    assert (shown["signature"], shown["changed"], shown["judged"]) == (None, True, None)
    with pytest.raises(ParameterError, match="nobody counted it again"):
        again.act("sign", "sign", release="by-hand.csv", **NAMES)
    again.act("sign", "judge", release="by-hand.csv")
    again.settle()
    with pytest.raises(ParameterError, match="do not publish"):
        again.act("sign", "sign", release="by-hand.csv", **NAMES)


def test_a_table_that_took_the_place_of_a_signed_release_is_not_shown_as_signed(tmp_path):
    made = Bureau(tmp_path).with_roles()
    for columns, role in ((["illness"], "sensitive"), (["age", "city"], "quasi-identifier")):
        made.act("columns", "set", columns=columns, role=role)
    made.act("promise", "set", recipient="contract")
    made.act("columns", "accept")
    made.act("explore", "choose", candidate="top-down:5")
    made.act("attack", "run", attack="linking")
    made.act("sign", "write", name="five.csv")
    made.show("sign")
    made.act("sign", "sign", release="five.csv", **NAMES)
    made.act("sign", "dossier", release="five.csv")
    made.settle()
    shown = the_release(made)
    assert shown["signature"]
    assert shown["judged"]
    assert shown["papers"]["found"]
    table = made.desk.project.folder / "releases" / "five.csv"
    written, signed = table.stat(), table.read_bytes()
    other = tmp_path / "other.csv"
    other.write_bytes(signed[::-1])  # of the same length
    os.utime(other, ns=(10**18, 10**18))
    for date in (10**18, written.st_mtime_ns):  # an older one, and that of the release itself
        os.utime(other, ns=(date, date))
        shutil.copy2(other, table)
        page = made.show("sign")
        (shown,) = page["releases"]
        assert (shown["signature"], shown["changed"], shown["judged"]) == (None, True, None)
        assert (shown["papers"]["found"], page["written"]) == (None, None)
    table.write_bytes(signed)
    assert the_release(made)["signature"]


def test_what_another_studio_found_is_not_taken_for_counted(bureau, tmp_path, monkeypatch):
    """A project that is sent along brings its scratch folder: a verdict in it may be invented."""
    run_in(bureau.desk.project.folder, LINE)
    bureau.act("sign", "judge", release="by-hand.csv")
    bureau.settle()
    assert the_release(bureau)["judged"]["promise"] == "holds"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "another user"))
    other = Bureau(tmp_path, bureau.desk.project.table)
    assert the_release(other)["judged"] is None
    other.act("attack", "run", attack="linking")
    other.settle()
    with pytest.raises(ParameterError, match="nobody counted it again"):
        other.act("sign", "sign", release="by-hand.csv", **NAMES)
