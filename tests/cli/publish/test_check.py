"""What `check` says of tables that must not be given out, and of exchanged manifests."""

import json

import pytest
from typer.testing import CliRunner

from shoal import cli
from tests.cli import worked_example
from tests.extras import need

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


@pytest.mark.parametrize("command", [("check",), ("risk",), ("metrics",), ("attack", "release")])
def test_a_table_that_is_not_there_is_told_before_its_schema(folder, command):
    more = ("--original", "table.csv") if "attack" in command else ()
    said = " ".join(shoal(*command, "absent.csv", *more).output.split())
    assert "no file or folder 'absent.csv'. Check the path." in said
    assert "schema" not in said
    (folder / "alone.csv").write_text("age\n30\n")
    found = " ".join(shoal(*command, "alone.csv", *more).output.split())
    assert "there is no 'alone.schema.toml' beside alone.csv" in found


def test_a_table_of_names_does_not_hold_and_is_measured(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    roles = {"name": "identifier", "age": "quasi-identifier"}
    (tmp_path / "s.toml").write_text(
        "".join(f'[columns.{name}]\nrole = "{role}"\n' for name, role in roles.items())
    )
    (tmp_path / "t.csv").write_text("name,age\n" + "".join(f"Ann {i},30-39\n" for i in range(5)))
    found = shoal("check", "t.csv", "-s", "s.toml", "-k", 5)
    said = " ".join(found.output.split())
    assert found.exit_code == 1
    assert "It holds" not in said
    assert "has column 'name', and by the schema no release has it. Leave it out" in said
    assert "5 rows in 1 group, the smallest of 5." in said
    assert "Ann" not in said
    shown = json.loads(shoal("check", "t.csv", "-s", "s.toml", "-k", 5, "--json").stdout)
    assert (shown["holds"], shown["never_released"]) == (False, ["name"])
    alone = shoal("check", "t.csv", "-s", "s.toml", "-k", 6)
    assert "It does not hold: 1 group (5 rows) fails." in " ".join(alone.output.split())


def test_a_file_with_more_than_cells_is_undecided(tmp_path, monkeypatch):
    openpyxl = need("openpyxl")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.toml").write_text('[columns.age]\nrole = "quasi-identifier"\n')
    book = openpyxl.Workbook()
    for value in ("age", 7, 7, 7):
        book.active.append([value])
    book.save("plain.xlsx")
    assert shoal("check", "plain.xlsx", "-s", "s.toml", "-k", 3).exit_code == 0
    hidden = book.create_sheet("raw")
    hidden.sheet_state = "veryHidden"
    hidden.append(["Ann"])
    book.save("hidden.xlsx")
    found = shoal("check", "hidden.xlsx", "-s", "s.toml", "-k", 3)
    assert found.exit_code == 5
    assert "cannot be told whether it holds" in " ".join(found.output.split())
    assert "It holds" not in found.output
    broken = shoal("check", "hidden.xlsx", "-s", "s.toml", "-k", 4)
    assert broken.exit_code == 1
    assert "The file has more than cells" in " ".join(broken.output.split())


@pytest.mark.parametrize("shown", ["2.{}00,50", "{},5", "{},25 €"])
def test_sensitive_numbers_with_commas_before_decimals_are_counted(tmp_path, monkeypatch, shown):
    """Releases keep the commas of their tables, and whoever gets one has to be able to check it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.toml").write_text(
        '[columns.age]\nrole = "quasi-identifier"\n'
        '[columns.pay]\nrole = "sensitive"\nkind = "numeric"\n'
    )
    rows = [f"{30 + i % 2};{shown.format(i % 4 + 1)}\n" for i in range(16)] + ["30;NA\n"]
    (tmp_path / "t.csv").write_text("age;pay\n" + "".join(rows), encoding="utf-8")
    asked = ("-k", 4, "--diversity", "distinct:2")
    made = shoal("anonymize", "t.csv", "-s", "s.toml", "-m", "mondrian", *asked, "-o", "o.csv")
    assert made.exit_code == 0, made.output
    for line in (
        ["check", "o.csv"],
        ["check", "t.csv", "-s", "s.toml", *asked],
        ["metrics", "o.csv"],
    ):
        done = shoal(*line)
        assert done.exit_code == 0, done.output
    one = "".join(f"{30 + i % 2};{shown.format(1)}\n" for i in range(8))
    (tmp_path / "one.csv").write_text(f"age;pay\n{one}", encoding="utf-8")
    assert shoal("check", "one.csv", "-s", "s.toml", *asked).exit_code == 1
