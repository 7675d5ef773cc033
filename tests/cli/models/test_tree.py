import json

import numpy as np
import pytest
from typer.testing import CliRunner

from shoal import cli
from shoal.models import KAnonymousTreeClassifier

SCHEMA = """
[columns.age]
role = "quasi-identifier"
kind = "numeric"
[columns.job]
role = "quasi-identifier"
hierarchy = {tree = {hands = ["smith", "baker"], desk = ["clerk", "judge"]}}
[columns.name]
role = "identifier"
[columns.debt]
role = "sensitive"
[columns.income]
role = "sensitive"
"""


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    lines = ["age,job,name,debt,income"]
    for row in range(600):
        age = rng.integers(18, 80)
        job = rng.choice(["smith", "baker", "clerk", "judge"], p=[0.4, 0.3, 0.2, 0.1])
        debt = rng.choice(["yes", "no"])
        income = "high" if (age > 40) ^ (job == "judge") ^ (rng.random() < 0.1) else "low"
        lines.append(f"{age if rng.random() > 0.1 else ''},{job},person {row},{debt},{income}")
    (tmp_path / "people.csv").write_text("\n".join(lines))
    (tmp_path / "schema.toml").write_text(SCHEMA)
    return tmp_path


def run(files, *arguments):
    base = ["tree", files / "people.csv", "--schema", files / "schema.toml"]
    return CliRunner().invoke(cli.app, [*map(str, base), *map(str, arguments)])


def test_trains_tests_and_says_what_is_revealed(files):
    out = files / "tree.json"
    done = run(files, "--target", "income", "-k", 15, "--out", out)
    assert done.exit_code == 0, done.output
    for said in ("age <=", "Accuracy on 180 rows held out", "95 % interval", "Exposed:"):
        assert said in done.stdout
    assert "every group has at least 15 rows" in done.stdout
    assert "person" not in done.output
    tree = KAnonymousTreeClassifier.from_json(out)
    assert tree.spans_.largest_k >= 15
    assert tree.class_name_ == "income"
    again = run(files, "--target", "income", "--out", out)
    assert again.exit_code == 2
    assert run(files, "--target", "income", "--out", out, "--force", "-q").stdout == ""


def test_json_on_stdout(files):
    done = run(files, "--target", "income", "--criterion", "gain_ratio", "--json")
    found = json.loads(done.stdout)
    assert found["largest_k"] >= 10
    assert 0 <= found["tested"]["low"] <= found["tested"]["accuracy"] <= found["tested"]["high"]
    assert found["tested"]["accuracy"] > 0.75
    assert sum(leaf["rows"] for leaf in found["leaves"]) == 420
    assert set(found["exposure"]) == {"rows", "exposed", "share", "confidence"}


@pytest.mark.parametrize("suffix", [".pmml", ".dot", ".txt"])
def test_other_formats_and_no_test(files, suffix):
    out = files / f"tree{suffix}"
    done = run(files, "--target", "income", "--test-share", 0, "--out", out)
    assert done.exit_code == 0, done.output
    assert "held out" not in done.stdout
    assert out.stat().st_size > 50


def test_accuracy_on_fewer_rows_than_a_group_has_is_not_told(files):
    lines = (files / "people.csv").read_text().splitlines()
    (files / "people.csv").write_text("\n".join(lines[:31]))
    for more in ([], ["--out", files / "tree.json"]):
        done = run(files, "--target", "income", "-k", 10, *more)
        assert done.exit_code == 0, done.output
        assert "Accuracy" not in done.stdout
        assert "9 rows are held out, fewer than 10" in done.stderr
    found = json.loads(run(files, "--target", "income", "-k", 10, "--json").stdout)
    assert found["tested"] is None
    told = json.loads(run(files, "--target", "income", "-k", 9, "--json").stdout)
    assert told["tested"]["rows"] == 9


def test_limits_on_confidence_and_diversity(files):
    done = run(files, "--target", "income", "-k", 5, "--confidence", 0.9, "--json")
    assert json.loads(done.stdout)["exposure"]["confidence"] <= 0.9
    assert run(files, "--target", "income", "--diversity", 1.2, "--prune").exit_code == 0


def test_bad_input_has_its_own_exit_codes(files):
    assert run(files).exit_code == 2  # no target
    assert run(files, "--target", "none").exit_code == 2
    assert run(files, "--target", "income", "--out", files / "tree.xyz").exit_code == 2
    assert run(files, "--target", "income", "-k", 5000).exit_code == 3
    assert run(files, "--target", "income", "--criterion", "luck").exit_code == 2
    (files / "people.csv").write_text("age,job,name,debt,income\n")
    assert run(files, "--target", "income").exit_code == 2


def test_how_hard_to_prune(files):
    leaves = {}
    for factor in (0.001, 0.5):
        done = run(files, "--target", "income", "-k", 2, "--criterion", "gain_ratio", "--prune",
                   "--splits", "multiway", "--test-share", 0, "--confidence-factor", factor,
                   "--json")  # fmt: skip
        assert done.exit_code == 0, done.output
        leaves[factor] = len(json.loads(done.stdout)["leaves"])
    assert leaves[0.001] < leaves[0.5]
    refused = run(files, "--target", "income", "--confidence-factor", 0.7)
    assert refused.exit_code == 2
    assert "confidence_factor must be above 0" in refused.output


def test_few_leaves_and_looking_ahead(files):
    found = {}
    for options in ((), ("--look-ahead",), ("--max-leaves", 4), ("--splits", "multiway")):
        done = run(files, "--target", "income", "-k", 12, *options, "--json")
        assert done.exit_code == 0, done.output
        found[options] = json.loads(done.stdout)
        assert found[options]["largest_k"] >= 12
    assert len(found["--max-leaves", 4]["leaves"]) == 4
    assert len({json.dumps(one["leaves"]) for one in found.values()}) == 4
    refused = run(files, "--target", "income", "--splits", "some")
    assert refused.exit_code == 2
    assert "splits must be one of binary, multiway" in refused.output
