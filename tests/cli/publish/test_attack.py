import json

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
    ]
}
FORMAT_CASES = {
    "attack any": "attack any release.csv -s schema.toml --original {table} --attacks 50",
    "attack any (released)": "attack any {released} -s schema.toml --original table.csv "
    "--control table.csv --attacks 50",
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
    assert "by guessing" in attack().stdout


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
