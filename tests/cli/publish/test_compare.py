import json
import re

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


def test_what_methods_lose_is_what_a_release_of_them_shows(folder):
    shown = shoal(*COMMON, "--method", "mondrian").stdout
    made = shoal(
        "anonymize", "table.csv", "-s", "schema.toml", "-k", 3, "-o", "r.csv", "-m", "mondrian"
    ).stdout
    lost = re.search(r"detail lost \(GCP\) .* (\S+ %)", made)[1]
    found = re.search(r"highest chance to find a person .* (\S+ %)", made)[1]
    assert re.search(rf"mondrian +{lost} .* {found} ", shown)


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


def released(*arguments):
    made = shoal(
        "anonymize", "table.csv", "--schema", "schema.toml", "-k", 3, "--out", "r.csv", *arguments
    )
    assert made.exit_code == 0, made.output


def test_a_release_is_shown_beside_the_raw_table(folder):
    need("matplotlib")
    released()
    result = shoal(
        "compare", "table.csv", "r.csv", "-s", "schema.toml", "--out", "c.html", "--plot", "c.svg"
    )
    assert result.exit_code == 0, result.output
    for words in ("two-way tables moved", "pMSE ratio", "good is", "Column by column"):
        assert words in result.stdout
    assert "What the release keeps" in (folder / "c.html").read_text()
    assert (folder / "c.svg").read_text().startswith("<?xml")


@pytest.mark.parametrize("form", ["labels", "intervals", "midpoints", "draws"])
def test_every_form_of_a_release_can_be_compared(folder, form):
    released("--as", form)
    result = shoal("compare", "table.csv", "r.csv", "-s", "schema.toml", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    header = (folder / "table.csv").read_text().splitlines()[0].split(",")
    assert [column["name"] for column in found["tables"]["columns"]] == header
    assert all(column["moved"] < 0.7 for column in found["tables"]["columns"])


def test_rows_of_others_are_tested_on(folder):
    released()
    common = ("compare", "table.csv", "r.csv", "-s", "schema.toml")
    result = shoal(*common, "--test", "table.csv", "--json")
    assert result.exit_code == 0, result.output
    model = json.loads(result.stdout)["model"]
    assert model is None or model["is_held_out"]
    refused = shoal(*common, "--test", "table.csv", "--out", "table.csv", "--force")
    assert refused.exit_code == 2


def test_the_table_itself_keeps_everything_without_a_schema(folder):
    result = shoal("compare", "table.csv", "table.csv", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["tables"]["moved"] == found["counts"]["mean_error"] == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("table.csv",), "say what to compare table.csv with"),
        (("table.csv", "table.csv", "-k", 3), "-k is for methods"),
        (("table.csv", "-s", "schema.toml", "-k", 3, "--out", "c.html"), "--out is for a RELEASE"),
        (("table.csv", "table.csv", "--out", "table.csv", "--force"), "would be lost"),
        (("table.csv", "table.csv", "--weights", "none"), "column of numbers in both"),
    ],
)
def test_options_of_the_other_comparison_are_refused(folder, arguments, says):
    result = shoal("compare", *arguments)
    assert result.exit_code == 2
    assert says in " ".join(result.stderr.split())


def test_a_release_is_compared_with_the_schema_beside_it(folder):
    made = shoal("anonymize", "table.csv", "-s", "schema.toml", "-k", 3, "-o", "r.csv", "-q")
    assert made.exit_code == 0, made.output
    line = ("compare", "table.csv", "r.csv", "--json")
    alone, told = shoal(*line), shoal(*line, "-s", "r.private/schema.toml")
    assert alone.exit_code == 0, alone.output
    assert alone.stdout == told.stdout
    for name in ("r.schema.toml", "r.private/schema.toml"):
        (folder / name).unlink()
    assert shoal(*line).exit_code == 0  # a release of any program


def test_the_raw_table_may_be_named_as_the_original(folder):
    """As `report`, `explain` and the attacks have it."""
    released()
    first = shoal("compare", "table.csv", "r.csv", "--json")
    second = shoal("compare", "r.csv", "--original", "table.csv", "--json")
    assert second.exit_code == 0, second.output
    assert json.loads(second.stdout) == json.loads(first.stdout)
    twice = shoal("compare", "table.csv", "r.csv", "--original", "table.csv")
    assert twice.exit_code == 2
    assert "named twice" in twice.output


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (["r.csv"], "r.csv is a release. Name the table that it was made of: `shoal compare r.csv"),
        (["table.csv"], "`shoal compare table.csv RELEASE` shows what a release keeps"),
        (["r.csv", "table.csv"], "comes second. Say `shoal compare table.csv r.csv`"),
    ],
)
def test_what_to_name_is_said(folder, line, told):
    released()
    done = shoal("compare", *line)
    assert done.exit_code == 2
    assert told in " ".join(done.output.split())
