import json

from typer.testing import CliRunner

from shoal import cli
from tests.cli import worked_example

CANARY_CASES = {
    "explain": [
        (0, ["r.csv", "--original", "people.csv", "--row", "3"]),
        (2, ["people.csv", "--original", "people.csv", "--row", "3"]),
    ]
}

FORMAT_CASES = {"explain": "explain release.csv --original {table} --row 3"}


def test_a_row_is_explained(tmp_path, monkeypatch):
    worked_example.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke
    made = [
        "anonymize",
        "table.csv",
        "-s",
        "schema.toml",
        "-k",
        "3",
        "-m",
        "mondrian",
        "-o",
        "r.csv",
    ]
    assert run(cli.app, made).exit_code == 0
    told = run(cli.app, ["explain", "r.csv", "--original", "table.csv", "--row", "0", "-k", "2"])
    assert told.exit_code == 0, told.output
    assert "lost most" in told.stdout
    assert " % " in told.stdout.partition("Row 0")[0]
    assert "With k = 2" in told.stdout
    told = run(cli.app, ["explain", "r.csv", "--original", "table.csv", "--row", "0", "--json"])
    assert json.loads(told.stdout)["released"] is True
    assert (
        run(cli.app, ["explain", "r.csv", "--original", "table.csv", "--row", "999"]).exit_code == 2
    )
