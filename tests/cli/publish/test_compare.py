import json

import pytest
from typer.testing import CliRunner

from shoal import cli
from tests.cli import worked_example
from tests.extras import need


@pytest.fixture
def folder(tmp_path, monkeypatch):
    worked_example.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shoal(*arguments):
    return CliRunner().invoke(cli.app, [str(argument) for argument in arguments])


COMMON = ("compare", "table.csv", "--schema", "schema.toml", "-k", 3)


def test_one_table_of_all_methods(folder):
    result = shoal(*COMMON)
    assert result.exit_code == 0, result.output
    for name in ("raw", "local", "full-domain", "bottom-up", "top-down"):
        assert name in result.stdout
    assert {path.name for path in folder.iterdir()} == {"table.csv", "schema.toml"}


def test_json_and_plot(folder):
    need("matplotlib")
    result = shoal(*COMMON, "--method", "local", "--plot", "c.svg", "--json")
    assert result.exit_code == 0, result.output
    raw, local = json.loads(result.stdout)["methods"]
    assert raw["loss"] == 0
    assert local["highest_risk"] <= 1 / 3
    assert (folder / "c.svg").read_text().startswith("<?xml")


def test_a_wrong_method_is_named(folder):
    result = shoal(*COMMON, "--method", "magic", "--json")
    assert json.loads(result.stdout)["methods"][1]["note"].startswith("unknown method 'magic'")


def test_auto_says_which_method_and_why(folder):
    result = shoal(
        "anonymize", "table.csv", "--schema", "schema.toml", "-k", 3, "--out", "r.csv",
        "--method", "auto", "--purpose", "general",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "method local: " in result.stderr
    manifest = json.loads((folder / "r.manifest.json").read_text())
    assert manifest["method"] == "LocalRecoding"
    assert shoal("apply", "--help").exit_code == 0


def test_purpose_without_auto_is_refused(folder):
    result = shoal(
        "anonymize", "table.csv", "--schema", "schema.toml", "-k", 3, "--out", "r.csv",
        "--method", "local", "--purpose", "general",
    )  # fmt: skip
    assert result.exit_code == 2
    assert "--purpose is for --method auto" in result.stderr
