import json

from typer.testing import CliRunner

from shoal import cli
from tests.discover.tables import EXAMPLE, table as table


def run(*arguments):
    return CliRunner().invoke(cli.app, ["mask", *map(str, arguments)])


def test_the_worked_example_through_the_command_line(table, tmp_path):
    out = tmp_path / "out.csv"
    done = run(table, "--beta", 0.8, "--out", out)
    assert done.exit_code == 0, done.output
    assert "Published, 2 of 3 columns" in done.stdout
    names, *rows = out.read_text().splitlines()
    assert names == "sex,state"
    assert sorted(rows) == sorted(map(",".join, zip(EXAMPLE["sex"], EXAMPLE["state"], strict=True)))
    again = run(table, "--beta", 0.8, "--out", out)
    assert again.exit_code == 2
    assert run(table, "--beta", 0.8, "--out", out, "--force", "-q").exit_code == 0


def test_json_says_what_is_published_and_what_was_written(table, tmp_path):
    done = run(table, "--beta", 0.8, "--kind", "separation", "--weight", "age=3", "--json")
    found = json.loads(done.stdout)
    assert found["published"] == ["age"]
    assert found["out"] is None
    out = tmp_path / "out.parquet"
    found = json.loads(run(table, "--beta", 0.8, "--out", out, "--json").stdout)
    assert found["ratio_written"] == 0.8


def test_an_impossible_limit_ends_with_its_own_exit_code(table, tmp_path):
    done = run(table, "--beta", 0.1, "--out", tmp_path / "out.csv")
    assert done.exit_code == 3
    assert "Every single attribute exceeds it" in done.output
    assert not (tmp_path / "out.csv").exists()
    assert run(table, "--beta", 1.5).exit_code == 2
