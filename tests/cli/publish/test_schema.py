import json

import pytest
from typer.testing import CliRunner

from shoal import cli
from shoal.datasets import census
from shoal.schema import Schema


def shoal(*arguments):
    return CliRunner().invoke(cli.app, [str(argument) for argument in arguments])


@pytest.fixture
def table(tmp_path):
    return census(300).to_file(tmp_path / "people.csv")


def test_a_suggested_schema_is_a_schema_with_reasons(table, tmp_path):
    result = shoal("schema", table)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("# Suggested by `shoal schema`.")
    path = tmp_path / "s.toml"
    assert shoal("schema", table, "--out", path).exit_code == 0
    assert path.read_text().rstrip("\n") == result.stdout.rstrip("\n")
    schema = Schema.from_toml(path)
    assert schema["name"].role == "identifier"
    assert schema["illness"].role == "sensitive"
    assert set(schema.quasi_identifiers) >= {"age", "sex", "zip", "education"}


def test_an_existing_schema_is_not_overwritten(table, tmp_path):
    path = tmp_path / "s.toml"
    path.write_text("mine")
    assert shoal("schema", table, "--out", path).exit_code == 2
    assert path.read_text() == "mine"
    assert shoal("schema", table, "--out", path, "--force").exit_code == 0


def test_suggestions_as_json(table):
    shown = json.loads(shoal("schema", table, "--json").stdout)
    assert shown["schema"]["columns"]["age"]["role"] == "quasi-identifier"
    assert shown["reasons"]["name"]


def test_showing_a_schema(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text(
        "[columns.age]\nrole = 'quasi-identifier'\nkind = 'numeric'\nweight = 2\n"
        "hierarchy = {intervals = [5, 10]}\nlimit_level = 1\n"
        "[columns.town]\nrole = 'quasi-identifier'\n"
        "hierarchy = {tree = {West = ['LA']}}\nlimit = ['West']\n"
        "[columns.x]\nrole = 'sensitive'\ntarget = true\n"
    )
    result = shoal("schema", "show", path)
    assert result.exit_code == 0
    for part in ("quasi-identifier (2)", "age: numeric; intervals [5, 10]; weight 2",
                 "not beyond level 1", "not beyond West", "target"):  # fmt: skip
        assert part in result.stdout
    assert json.loads(shoal("schema", "show", path, "--json").stdout)["columns"]["x"]["target"]


def test_help_of_the_group_and_bad_files(tmp_path):
    assert "suggest" in shoal("schema", "--help").stdout
    assert shoal("schema", tmp_path / "no.csv").exit_code == 2
    assert shoal("schema", "show", tmp_path / "no.toml").exit_code == 2
