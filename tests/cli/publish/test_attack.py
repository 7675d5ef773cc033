import json
import re
import sys

import pytest
from typer.testing import CliRunner

from shoal import cli
from tests.cli import worked_example
from tests.extras import need

CANARY_CASES = {
    "attack any": [
        (0, ["r.csv", "--original", "people.csv", "--control", "people.csv", "--attacks", "50"]),
        (2, ["r.csv", "--original", "torn.csv"]),
        (2, ["r.csv", "--original", "people.csv", "--secret", "nobody"]),
    ],
    "attack shadow": [
        (0, ["r.csv", "--original", "people.csv", "--shadows", "6", "--attacks", "20"]),
        (2, ["r.csv", "--original", "torn.csv"]),
        (2, ["--program", "false {table} {release}", "--original", "people.csv"]),
        (2, ["people.csv", "--original", "people.csv"]),
    ],
}
FORMAT_CASES = {
    "attack any": "attack any release.csv -s schema.toml --original {table} --attacks 50",
    "attack any (released)": "attack any {released} -s schema.toml --original table.csv "
    "--control table.csv --attacks 50",
    "attack shadow": "attack shadow release.csv -s schema.toml --original {table} --shadows 6 "
    "--attacks 20",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    need("pandas")
    worked_example.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    done = shoal("anonymize", "table.csv", "-s", "schema.toml", "-k", 3, "-o", "r.csv")
    assert done.exit_code == 0, done.output
    return tmp_path


def shoal(*arguments):
    return CliRunner().invoke(cli.app, [str(argument) for argument in arguments])


def attack(*more):
    return shoal("attack", "release", "r.csv", "-s", "schema.toml", "--people", "table.csv", *more)


def test_a_release_is_linked_to_its_people(folder):
    done = attack("--json")
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert said["smallest group"] >= 3
    assert said["no group"] == 0
    (found,) = said["attacks"]
    assert 0 <= found["interval"][0] <= found["risk"] <= found["interval"][1] <= 1
    shown = " ".join(attack().stdout.split())
    assert "by guessing" in shown
    assert "people who fit several groups" in shown
    assert re.search(r"[\d.]+ % +[\d.]+ to [\d.]+ % +[\d.]+ %", shown)


def test_the_raw_table_tells_at_least_as_much_as_the_release(folder):
    def risk(*more):
        return json.loads(attack("--json", *more).stdout)["attacks"][0]["risk"]

    assert risk("--second", "table.csv") >= risk()


def test_a_column_that_is_not_sensitive_is_refused(folder):
    done = attack("--column", "nonsense")
    assert done.exit_code == 2
    assert "needs a private column" in done.stderr


def test_any_table_is_attacked_beside_control_rows(folder):
    given = ("attack", "any", "table.csv", "--original", "table.csv", "--attacks", 20)
    alone = shoal(*given)
    assert alone.exit_code == 0, alone.output
    assert "by luck" in alone.stdout
    found = json.loads(shoal(*given, "--control", "table.csv", "--json").stdout)
    measured = {one["attack"].split(",")[0]: one for one in found["attacks"]}
    assert set(measured) == {"singling out", "linkability", "inference", "closest record"}
    # control rows that are the people themselves leave nothing that is beyond them
    assert measured["singling out"]["details"]["beyond_control"] == 0
    assert measured["closest record"]["risk"] == 0.5


def test_members_are_told_by_releases_made_again(folder):
    given = ("attack", "shadow", "r.csv", "--original", "table.csv", "--shadows", 6, "--json")
    done = shoal(*given)
    assert done.exit_code == 0, done.output
    (found,) = json.loads(done.stdout)["attacks"]
    assert found["baseline"] == 0.5
    assert found["details"]["releases"] == 6
    assert shoal(*given).stdout == done.stdout
    assert {path.name for path in folder.iterdir() if path.is_file()} == {
        "table.csv", "schema.toml", "r.csv", "r.manifest.json", "r.schema.toml",
    }  # fmt: skip


def test_any_program_is_attacked(folder):
    code = "import shutil, sys; shutil.copy(*sys.argv[1:])"
    program = f'{sys.executable} -c "{code}" {{table}} {{release}}'
    given = ("attack", "shadow", "--original", "table.csv", "--shadows", 6, "--json", "--program")
    done = shoal(*given, program)
    assert done.exit_code == 0, done.output
    (found,) = json.loads(done.stdout)["attacks"]
    assert found["risk"] > 0.5
    for wrong, says in (
        ("cp {table}", "{release}"),
        ("no-such-program {table} {release}", "cannot be started"),
        (f'{sys.executable} -c "raise SystemExit(3)" {{table}} {{release}}', "exit code 3"),
    ):
        refused = shoal(*given, wrong)
        assert refused.exit_code == 2
        assert says in refused.stderr
    both = shoal(*given, program, "r.csv")
    assert both.exit_code == 2
    assert "one of them" in both.stderr
