"""What was said once about a raw table need not be said again."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

import shoal
from shoal import Schema
from shoal.cli import app
from tests.extras import need

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


def test_rows_changed_at_random_and_sets_remember_it_too(released):
    told = ["--no-header", "--delimiter", "|", "--missing", "refused"]
    given = ["raw.csv", "-s", "schema.toml", "-o", "noisy.csv", "--force"]
    change = ["--noise", "column1=0.5", "--pram", "column2=0.8"]
    assert run("perturb", *given, *change, *told).exit_code == 0
    compared = run("compare", "raw.csv", "noisy.csv", "--schema", "schema.toml")
    assert compared.exit_code == 0, compared.output
    rows = [f"{'bread;milk' if i % 2 else 'milk'}|{i % 9}" for i in range(30)]
    (released / "baskets.csv").write_text("\n".join(rows) + "\n")
    items = 'separator = ";", hierarchy = {tree = {food = ["bread", "milk"]}}'
    (released / "sets.toml").write_text(
        f'columns.column1 = {{role = "quasi-identifier", {items}}}\n'
        'columns.column2 = {role = "insensitive"}\n'
    )
    given = ["baskets.csv", "-s", "sets.toml", "-o", "sets.csv", "--km", "2,2"]
    assert run("sets", *given, *told[:3]).exit_code == 0
    kept = json.loads((released / "sets.private" / "reading.json").read_text())
    assert kept == {"shoal": "reading", "delimiter": "|", "header": False}


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


@pytest.mark.parametrize(
    "line",
    [
        ("compare", "raw.csv", "out.csv"),
        ("report", "out.csv", "--original", "raw.csv", "--people", "10"),
        ("explain", "out.csv", "--original", "raw.csv", "--row", "3"),
        ("attack", "any", "out.csv", "--original", "raw.csv", "--control", "raw.csv"),
        ("attack", "release", "out.csv", "--original", "raw.csv", "-s", "schema.toml"),
        ("check", "out.csv"),
        ("check", "out.csv", "-k", "4", "--population", "everybody.csv"),
    ],
)
def test_what_is_said_of_the_raw_table_is_not_taken_for_its_release(released, line):
    """The release has a header and no bad rows, whatever the raw table has."""
    told = ["--no-header", "--delimiter", "|", "--missing", "refused", "--skip-bad-rows"]
    (released / "out.private" / "reading.json").unlink()
    everybody = [f"{20 + i % 20}|{'fm'[i % 2]}" for i in range(400)]
    (released / "everybody.csv").write_text("\n".join(everybody) + "\n")
    done = run(*line, *told)
    assert done.exit_code == 0, done.output
    assert "bad" not in done.stderr


def test_a_changed_release_is_not_read_like_the_raw_table(released):
    changed = (released / "out.csv").read_text().replace("|", ";")
    (released / "out.csv").write_text(changed)
    done = run("compare", "raw.csv", "out.csv", "--no-header", "--delimiter", "|")
    assert done.exit_code == 0, done.output


def test_names_that_shoal_gave_are_no_row_even_without_a_manifest(released):
    (released / "out.manifest.json").unlink()
    told = ["--no-header", "--delimiter", "|"]
    done = run("check", "out.csv", "-s", "out.schema.toml", "-k", "4", *told)
    assert json.loads(done.stdout)["holds"]
    assert json.loads(done.stdout)["n_rows"] == 40


def test_sheets_are_those_of_the_raw_workbook(released):
    openpyxl = need("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "People"
    sheet.append(["age", "sex", "illness"])
    for i in range(40):
        sheet.append([20 + i % 20, "fm"[i % 2], ["flu", "cold", "cough"][i % 3]])
    book.create_sheet("Notes").append(["by hand"])
    book.save(released / "raw.xlsx")
    schema = (
        SCHEMA.replace("column1", "age").replace("column2", "sex").replace("column3", "illness")
    )
    (released / "book.toml").write_text(schema)
    told = ["--sheet", "People"]
    made = run("anonymize", "raw.xlsx", "-s", "book.toml", "-k", "4", "-o", "book.xlsx", *told)
    assert made.exit_code == 0, made.output
    for line in (["compare", "raw.xlsx", "book.xlsx"], ["check", "book.xlsx"]):
        done = run(*line, *told)
        assert done.exit_code == 0, done.output


@pytest.fixture
def described(released):
    """The same table beside a schema that says how it is read, and no release of it."""
    for made in released.glob("out.*"):
        (shutil.rmtree if made.is_dir() else Path.unlink)(made)
    said = '[reading]\nheader = false\ndelimiter = "|"\nmissing = ["refused"]\n'
    (released / "schema.toml").write_text(SCHEMA + said)
    return released


@pytest.mark.parametrize(
    "line",
    [
        ("anonymize", "raw.csv", "-k", "4", "-m", "mondrian", "-o", "again.csv"),
        ("check", "raw.csv", "-k", "1"),
        ("metrics", "raw.csv"),
        ("compare", "raw.csv", "-k", "4", "-m", "mondrian", "--test", "raw.csv"),
        ("risk", "raw.csv"),
        ("perturb", "raw.csv", "--noise", "column1=1", "--pram", "column2=0.8", "-o", "noisy.csv"),
    ],
)
def test_commands_read_a_table_as_its_schema_says(described, line):
    done = CliRunner().invoke(app, [*line, "--schema", "schema.toml"])
    assert done.exit_code == 0, done.output
    said = " ".join(done.output.split())
    assert (
        "raw.csv is read with --no-header '--delimiter=|' --missing=refused, as schema.toml" in said
    )


def test_what_the_command_says_comes_before_what_the_schema_says(described):
    (described / "other.csv").write_text((described / "raw.csv").read_text().replace("|", ";"))
    line = ["check", "other.csv", "-s", "schema.toml", "-k", "1", "--delimiter", ";"]
    done = CliRunner().invoke(app, line)
    assert done.exit_code == 0, done.output
    assert "other.csv is read with --no-header --missing=refused" in " ".join(done.output.split())


def test_a_release_is_read_by_its_manifest_and_not_by_the_schema_of_the_raw_table(described):
    made = (
        "anonymize",
        "raw.csv",
        "-s",
        "schema.toml",
        "-k",
        "4",
        "-o",
        "out.csv",
        "-m",
        "mondrian",
    )
    assert run(*made).exit_code == 0
    for name in ("out.schema.toml", "out.manifest.json"):
        assert "refused" not in (described / name).read_text()
        assert "reading" not in (described / name).read_text()
    done = CliRunner().invoke(app, ["check", "out.csv", "-s", "schema.toml", "-k", "4"])
    assert done.exit_code == 0, done.output
    assert "is read with" not in done.output


def test_python_reads_a_table_as_its_schema_says(described):
    schema = Schema.from_toml(described / "schema.toml")
    made = shoal.release("raw.csv", schema, k=4, method="mondrian")
    assert made.metrics.n_rows == 40


def test_no_header_said_anew_holds_against_what_was_kept(released):
    kept = {"shoal": "reading", "header": True, "delimiter": "|"}
    (released / "out.private" / "reading.json").write_text(json.dumps(kept))
    done = run("compare", "raw.csv", "out.csv", "--no-header")
    assert done.exit_code == 0, done.output
