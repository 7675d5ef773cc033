"""New rows under the key of a release: the same person has the same token."""

import csv
import json

import pytest
from typer.testing import CliRunner

from shoal.cli import app
from tests.extras import need

need("cryptography")

SCHEMA = """
columns.patient = {role = "pseudonym"}
columns.age = {role = "quasi-identifier", kind = "numeric"}
columns.seen = {role = "insensitive", kind = "date", shift = "30 days"}
columns.ill = {role = "sensitive"}
"""


def shoal(*line):
    return CliRunner().invoke(app, [str(word) for word in line])


def write(path, rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["patient", "age", "seen", "ill"], *rows])


@pytest.fixture
def house(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHOAL_PASSPHRASE", "a long enough sentence")
    (tmp_path / "s.toml").write_text(SCHEMA)
    rows = [[f"P{i:02}", 20 + i % 10, f"2024-03-{1 + i % 28:02}", "ab"[i % 2]] for i in range(40)]
    write(tmp_path / "people.csv", rows)
    write(tmp_path / "new.csv", rows[:5])
    for name in ("a", "b"):
        assert shoal("site", "key", "pseudonyms", "--out", f"{name}.key", "-q").exit_code == 0
    made = shoal("anonymize", "people.csv", "-s", "s.toml", "-k", 4, "--key", "a.key",
                 "--keep-order", "-o", "r.csv", "-q")  # fmt: skip
    assert made.exit_code == 0, made.output
    return tmp_path


def column(path, name):
    with path.open(newline="") as file:
        return [row[name] for row in csv.DictReader(file)]


def test_people_keep_their_tokens_and_their_shift(house):
    done = shoal("apply", "r.csv", "new.csv", "--key", "a.key", "--keep-order", "-o", "n.csv")
    assert done.exit_code == 0, done.output
    for name in ("patient", "seen"):
        assert column(house / "n.csv", name) == column(house / "r.csv", name)[:5]
    assert "P01" not in (house / "n.csv").read_text()
    assert "Beside the release they are a second one" in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("more", "said"),
    [([], "asks for a secret key"), (["--key", "b.key"], "not the key that the release was made")],
)
def test_without_its_key_nothing_is_written(house, more, said):
    done = shoal("apply", "r.csv", "new.csv", "-o", "n.csv", *more)
    assert done.exit_code == 2
    assert said in " ".join(done.output.split())
    assert not (house / "n.csv").exists()


def test_release_and_new_rows_the_wrong_way_round(house):
    done = shoal("apply", "new.csv", "r.csv", "--key", "a.key", "-o", "n.csv")
    assert done.exit_code == 2
    assert "shoal apply r.csv new.csv" in " ".join(done.output.split())


def test_new_rows_that_lose_every_detail_are_counted_and_told(house):
    write(house / "far.csv", [["P1", 25, "2024-03-01", "a"], ["P2", 99, "2024-03-01", "b"]])
    line = ("apply", "r.csv", "far.csv", "--key", "a.key", "-o", "f.csv", "--force",
            "--keep-order")  # fmt: skip
    done = shoal(*line)
    assert done.exit_code == 0, done.output
    assert column(house / "f.csv", "age")[1] == "*"
    said = " ".join(done.stderr.split())
    assert "1 of 2 rows lost every detail" in said
    assert "--method mondrian or top-down" in said
    assert json.loads(shoal(*line, "--json").stdout)["rows_without_detail"] == 1
    usual = shoal("apply", "r.csv", "new.csv", "--key", "a.key", "-o", "n.csv")
    assert "lost every detail" not in usual.stderr


def test_new_rows_come_in_a_secret_order_unless_it_is_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [[f"P{i:02}", 20 + i % 10, "", f"ill{i}"] for i in range(60)]
    write(tmp_path / "people.csv", rows)
    (tmp_path / "s.toml").write_text(
        SCHEMA.replace("pseudonym", "identifier").replace(', shift = "30 days"', "")
    )
    made = shoal("anonymize", "people.csv", "-s", "s.toml", "-k", 4, "-o", "r.csv", "-q")
    assert made.exit_code == 0, made.output
    for name, options in (("a", ()), ("b", ()), ("c", ("--keep-order",))):
        assert shoal("apply", "r.csv", "people.csv", "-o", f"{name}.csv", *options).exit_code == 0
    first, second, kept = (column(tmp_path / f"{name}.csv", "ill") for name in "abc")
    assert kept == [row[-1] for row in rows]
    assert sorted(first) == sorted(second) == sorted(kept)
    assert first != second != kept != first
