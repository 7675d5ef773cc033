import json

import pytest
from typer.testing import CliRunner

from reproduce import Evidence, Experiment, Finding, _experiment
from shoal import cli
from shoal.errors import DataNotFoundError


@pytest.fixture
def toy(monkeypatch, tmp_path):
    """Two experiments: one holds in quick mode only, of the other the data is absent."""

    def found(setup):
        return Evidence([Finding("Table 1", "quick", float(setup.quick), low=1)], "None.")

    def absent(setup):
        raise DataNotFoundError("no stars here. Look up.")

    runs = {"toy": found, "far": absent}
    monkeypatch.setattr(_experiment, "EXPERIMENTS", dict.fromkeys(runs, "A toy."))
    monkeypatch.setattr(
        _experiment, "load", lambda name: Experiment(f"{name}.", "Nobody, 2008", runs[name])
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shoal(*arguments):
    return CliRunner().invoke(cli.app, ["reproduce", *arguments])


def test_all_experiments_run_and_the_absent_one_says_how_to_get_its_data(toy):
    done = shoal("--quick")
    assert done.exit_code == 0, done.output
    assert "far skipped: no stars here. Look up." in done.stdout
    assert (toy / "evidence" / "toy.md").exists()
    assert (toy / "evidence" / "index.md").exists()


def test_exit_code_1_when_a_claim_is_not_reproduced(toy):
    done = shoal("toy", "--out", "here")
    assert done.exit_code == 1
    assert "toy differs: Table 1, quick: 0" in done.stdout
    assert (toy / "here" / "toy.json").exists()


def test_the_same_for_machines(toy):
    done = shoal("all", "--quick", "--json", "--seed", "5")
    said = json.loads(done.stdout)["experiments"]
    assert [(e["name"], e["state"], e["seed"]) for e in said] == [
        ("toy", "reproduced", 5),
        ("far", "skipped", 5),
    ]


def test_an_unknown_name_is_refused_before_anything_runs(toy):
    done = shoal("toy", "perpetual-motion")
    assert done.exit_code == 2
    assert not (toy / "evidence").exists()
