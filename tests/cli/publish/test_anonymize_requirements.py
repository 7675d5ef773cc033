"""Requirements and LKC-privacy from the command line: asked, kept, checked, reported."""

import csv
import json
from collections import Counter

import pytest
from typer.testing import CliRunner

from shoal import cli
from tests.cli import worked_example

REQUIRED = """
[[requirements]]
columns = ["relationship", "race"]
k = 5

[[requirements]]
columns = ["race", "workclass"]
k = 4
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    worked_example.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shoal(*arguments):
    return CliRunner().invoke(cli.app, [str(argument) for argument in arguments])


def anonymize(*more):
    common = ("table.csv", "--schema", "schema.toml", "--out", "r.csv", "--json")
    result = shoal("anonymize", *common, *more)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def fewest(path, *names):
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return min(Counter(tuple(row[name] for name in names) for row in rows).values())


def require(folder):
    text = (folder / "schema.toml").read_text()
    (folder / "schema.toml").write_text(text + REQUIRED)


@pytest.mark.parametrize("method", ["top-down", "local", "auto"])
def test_options_ask_for_requirements(folder, method):
    manifest = anonymize(
        "--requirement", "relationship,race:5", "--requirement", "race,workclass:4",
        "--method", method,
    )  # fmt: skip
    assert fewest(folder / "r.csv", "relationship", "race") >= 5
    assert fewest(folder / "r.csv", "race", "workclass") >= 4
    assert [part["model"]["columns"] for part in manifest["reached"]] == [
        ["relationship", "race"],
        ["race", "workclass"],
    ]
    by_columns = manifest["risk"]["by_columns"]
    for one, names in zip(
        by_columns, (("relationship", "race"), ("race", "workclass")), strict=True
    ):
        assert one["fewest"] == fewest(folder / "r.csv", *names)
        assert one["highest"] == pytest.approx(1 / one["fewest"])


def test_a_schema_requires_without_any_option(folder):
    require(folder)
    manifest = anonymize("--method", "full-domain")
    assert fewest(folder / "r.csv", "relationship", "race") >= 5
    assert manifest["guarantee"].count("alone: every group has at least") == 2
    assert "[[requirements]]" in (folder / "r.schema.toml").read_text()
    assert shoal("check", "r.csv").exit_code == 0
    # and is asked for besides
    assert "every group has at least 3 rows; by" in anonymize("-k", 3, "--force")["guarantee"]


def test_a_check_finds_what_breaks_a_requirement(folder):
    anonymize("--requirement", "relationship,race:5", "--method", "top-down")
    released = (folder / "r.csv").read_text().splitlines()
    first = released[1].split(",")
    released[1] = ",".join(["a1", *first[1:]])
    (folder / "r.csv").write_text("\n".join(released) + "\n")
    result = shoal("check", "r.csv")
    assert result.exit_code == 1
    assert "Requirement by 'relationship', 'race'" in result.stdout
    asked = ("--schema", "r.schema.toml", "--requirement", "race:3")
    assert "holds" in shoal("check", "r.csv", *asked).stdout


def test_few_of_many_columns(folder):
    manifest = anonymize("--diversity", "lkc:2:4", "--method", "top-down")
    assert manifest["privacy"] == {"model": "LKCPrivacy", "l": 2, "k": 4, "c": 1.0}
    assert manifest["risk"]["by_columns"][0]["sets"] == 3
    for names in (("relationship", "race"), ("relationship", "workclass"), ("race", "workclass")):
        assert fewest(folder / "r.csv", *names) >= 4
    shown = shoal("explain", "r.csv", "--original", "table.csv", "--row", 0).stdout
    assert "By any 2 quasi-identifiers it is one of" in shown


def test_methods_are_compared_under_requirements(folder):
    require(folder)
    result = shoal(
        "compare", "table.csv", "--schema", "schema.toml", "--requirement", "race:6",
        "--method", "top-down", "--json",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["methods"][1]["loss"] > 0


def test_the_report_says_how_to_ask_for_it_again(folder):
    anonymize("--requirement", "race,workclass:4+distinct:1", "--method", "top-down")
    result = shoal("report", "r.csv", "--out", "r.html")
    assert result.exit_code == 0, result.output
    page = (folder / "r.html").read_text()
    assert "--requirement race,workclass:4+distinct:1" in page
    assert "Finding a person by some columns alone" in page


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--requirement", "race"), "write the columns, a colon"),
        (("--requirement", "Town:3"), "'Town' not among"),
        (("--diversity", "lkc:2"), "takes 2 to 3 number(s)"),
        ((), "nothing is asked for"),
    ],
)
def test_what_cannot_be_asked_is_told(folder, arguments, said):
    result = shoal(
        "anonymize", "table.csv", "--schema", "schema.toml", "--out", "r.csv", *arguments
    )
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())
