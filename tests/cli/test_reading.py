"""What was said once about a raw table need not be said again."""

import json

import pytest
from typer.testing import CliRunner

from shoal.cli import app

SCHEMA = """
columns.column1 = {role = "quasi-identifier", kind = "numeric"}
columns.column2 = {role = "quasi-identifier"}
columns.column3 = {role = "sensitive"}
"""


@pytest.fixture
def released(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ills = ["flu", "cold", "cough"]
    rows = [f"{20 + i % 20}|{'fm'[i % 2]}|{ills[i % 3] if i % 7 else 'refused'}" for i in range(40)]
    (tmp_path / "raw.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "schema.toml").write_text(SCHEMA)
    told = ["--no-header", "--delimiter", "|", "--missing", "refused"]
    made = run("anonymize", "raw.csv", "-s", "schema.toml", "-k", "4", "-o", "out.csv", *told)
    assert made.exit_code == 0, made.output
    return tmp_path


def run(*line):
    return CliRunner().invoke(app, [*line, "--json"])


@pytest.mark.parametrize(
    "line",
    [
        ("report", "out.csv", "--original", "raw.csv", "--people", "10"),
        ("report", "out.manifest.json", "--original", "raw.csv", "--people", "10"),
        ("compare", "raw.csv", "out.csv"),
        ("explain", "out.csv", "--original", "raw.csv", "--row", "3"),
        ("check", "out.csv"),
    ],
)
def test_later_commands_read_the_raw_table_as_it_was_released(released, line):
    done = run(*line)
    assert done.exit_code == 0, done.output


def test_without_the_house_it_is_asked_again(released):
    (released / "out.private" / "reading.json").unlink()
    done = run("compare", "raw.csv", "out.csv")
    assert done.exit_code == 2
    assert "--no-header" in done.output


def test_what_is_said_anew_holds(released):
    done = run("compare", "raw.csv", "out.csv", "--header")
    assert done.exit_code == 2


def test_the_manifest_says_nothing_of_the_raw_table(released):
    manifest = (released / "out.manifest.json").read_text()
    assert json.loads(manifest)["written"] == {
        "encoding": "utf-8", "delimiter": "|", "decimal": ".",
    }  # fmt: skip
    assert "refused" not in manifest
    assert "reading" not in manifest
