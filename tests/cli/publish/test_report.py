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
    found = json.loads(result.stdout)
    assert (found["report"], found["promise"], found["problems"]) == ("other.html", "holds", [])
    assert found["attacks"][0]["column"] == "class"
    assert (folder / "other.html").read_text("utf-8") == page


def test_people_of_the_raw_table_are_attacked(folder):
    result = shoal("report", "r.csv", "--original", "table.csv", "--people", 20, "--seed", 3)
    assert result.exit_code == 0, result.output
    assert "of 20 guessed rightly" in result.stdout
    page = (folder / "r.report.html").read_text("utf-8")
    assert "20 people drawn at random from the 29 of the raw table (seed 3)" in page
    assert shoal("report", "r.csv", "--people", 0, "--force").exit_code == 2


def test_a_changed_release_fails_the_check_and_still_has_its_report(folder):
    rows = (folder / "r.csv").read_text("utf-8").splitlines(keepends=True)
    (folder / "r.csv").write_text("".join(rows[:-1]), "utf-8")
    result = shoal("report", "r.csv", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["promise"] == "broken"
    assert "Do not publish" in (folder / "r.report.html").read_text("utf-8")


def test_nothing_is_overwritten_unless_asked(folder):
    (folder / "r.report.html").write_text("mine")
    result = shoal("report", "r.csv")
    assert result.exit_code == 2
    assert "--force" in result.stderr
    assert "force=True" not in result.stderr
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
