import json

import pytest
from typer.testing import CliRunner

from shoal import cli
from tests.cli import worked_example


@pytest.fixture
def folder(tmp_path, monkeypatch):
    worked_example.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    made = shoal("anonymize", "table.csv", "-s", "schema.toml", "-k", 3, "--out", "r.csv", "-q")
    assert made.exit_code == 0, made.output
    return tmp_path


def shoal(*arguments):
    return CliRunner().invoke(cli.app, [str(argument) for argument in arguments])


def test_the_report_lies_beside_the_release(folder):
    result = shoal("report", "r.csv")
    assert result.exit_code == 0, result.output
    assert "r.report.html" in result.stdout
    page = (folder / "r.report.html").read_text("utf-8")
    manifest = json.loads((folder / "r.manifest.json").read_text("utf-8"))
    assert page.startswith("<!DOCTYPE html>")
    assert manifest["reached"][0]["description"] in page
    # the manifest's path gives the same page, under the name that was asked for
    result = shoal("report", "r.manifest.json", "--out", "other.html", "--json")
    assert json.loads(result.stdout) == {"report": "other.html"}
    assert (folder / "other.html").read_text("utf-8") == page


def test_nothing_is_overwritten_unless_asked(folder):
    (folder / "r.report.html").write_text("mine")
    result = shoal("report", "r.csv")
    assert result.exit_code == 2
    assert "--force" in result.stderr
    assert (folder / "r.report.html").read_text() == "mine"
    assert shoal("report", "r.csv", "--force", "-q").output == ""
    assert (folder / "r.report.html").read_text() != "mine"


def test_bad_input_is_a_sentence_and_leaves_no_file(folder):
    before = set(folder.iterdir())
    for arguments, says in [
        (["table.csv"], "table.manifest.json"),
        (["absent.csv"], "absent.csv"),
        (["r.csv", "--out", "nowhere/r.html"], "nowhere"),
        (["r.csv", "--out", "r.txt"], ".html"),
    ]:
        result = shoal("report", *arguments)
        assert result.exit_code == 2, result.output
        assert says in result.stderr
        assert "Traceback" not in result.stderr
    assert set(folder.iterdir()) == before
