"""A table in a database and the manifest of another release."""

import json

import pytest
from typer.testing import CliRunner

from shoal import cli
from tests.cli import worked_example

MADE = "sqlite:///house.sqlite?table=made"


def shoal(*arguments):
    return CliRunner().invoke(cli.app, [str(argument) for argument in arguments])


def release(*more):
    given = ("anonymize", "table.csv", "-s", "schema.toml", "-m", "bottom-up", "-o", MADE)
    result = shoal(*given, "--force", *more)
    assert result.exit_code == 0, result.output


@pytest.fixture
def folder(tmp_path, monkeypatch):
    worked_example.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_old_manifest_beside_a_new_table_is_told(folder):
    """As a writer leaves them that is killed after the table and before its companions."""
    release("-k", 2)
    own = shoal("check", MADE, "--json")
    assert (own.exit_code, json.loads(own.stdout)["matches_manifest"]) == (0, True)
    old = (folder / "made.manifest.json").read_text()
    release("-k", 6)
    assert json.loads(shoal("check", MADE, "--json").stdout)["matches_manifest"] is True
    (folder / "made.manifest.json").write_text(old)
    torn = shoal("check", MADE)
    assert torn.exit_code == 1
    assert "They do not belong together" in " ".join(torn.output.split())


@pytest.mark.parametrize("more", [("--keep-suppressed", "--suppress", 0.2), ("-m", "local")])
def test_a_table_in_a_database_that_is_whole_is_not_suspected(folder, more):
    release("-k", 3, *more)
    assert shoal("check", MADE, "--ignore-stars").exit_code == 0
