import json

from typer.testing import CliRunner

from shoal import cli, datasets, errors


def test_the_demo_works_offline_and_its_release_checks(tmp_path, monkeypatch):
    few = datasets.census(1500)
    monkeypatch.setattr(datasets, "census", lambda n: few)
    out = tmp_path / "demo"
    result = CliRunner().invoke(cli.app, ["demo", "--generated", "--out", str(out), "--json"])
    assert result.exit_code == 0, result.output
    shown = json.loads(result.stdout)
    assert shown["check"]["holds"]
    assert shown["method"] == "LocalRecoding"
    assert shown["suppressed_rows"] == 0
    assert shown["check"]["smallest_group"] >= 10
    assert {p.name for p in out.iterdir()} == {
        "table.csv", "schema.toml", "release.csv", "release.manifest.json",
        "release.private", "release.report.html", "release.schema.toml",
    }  # fmt: skip
    check = ["check", str(out / "release.csv"), "-s", str(out / "release.schema.toml"), "-k", "10"]
    assert CliRunner().invoke(cli.app, check).exit_code == 0
    again = CliRunner().invoke(cli.app, ["demo", "--generated", "--out", str(out)])
    assert again.exit_code == 2
    assert "there already" in again.stderr


def test_without_adult_the_demo_says_so_and_goes_on(tmp_path, monkeypatch):
    def absent(part):
        raise errors.DataNotFoundError("the data file is not here.")

    monkeypatch.setattr(datasets, "adult", absent)
    few = datasets.census(800)
    monkeypatch.setattr(datasets, "census", lambda n: few)
    result = CliRunner().invoke(cli.app, ["demo", "--out", str(tmp_path / "d")])
    assert result.exit_code == 0, result.output
    assert "Going on with a generated census" in result.stderr
    assert "shoal check" in result.stdout
    assert (tmp_path / "d" / "release.report.html").resolve().as_uri() in result.stdout
