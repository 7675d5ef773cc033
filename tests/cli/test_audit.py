"""`shoal audit` from files: exit codes, JSON, and pickles."""

import json
import pickle

import pytest
from sklearn.tree import DecisionTreeClassifier
from typer.testing import CliRunner

from shoal.cli import app
from shoal.schema import Schema
from tests.extras import need

pd = need("pandas")
skops = need("skops.io")


@pytest.fixture
def files(tmp_path):
    table = pd.DataFrame({"a": range(12), "b": [0, 1] * 6, "y": list("uuuvvvwwwuuu")})
    schema = Schema(
        {
            "a": {"role": "quasi-identifier", "kind": "numeric"},
            "b": {"role": "quasi-identifier", "kind": "numeric"},
            "y": {"role": "sensitive", "target": True},
        }
    )
    schema.to_toml(tmp_path / "schema.toml")
    table.to_csv(tmp_path / "table.csv", index=False)
    model = DecisionTreeClassifier(min_samples_leaf=3, random_state=0)
    model.fit(table[["a", "b"]], table["y"])
    skops.dump(model, tmp_path / "model.skops")
    (tmp_path / "model.pkl").write_bytes(pickle.dumps(model))
    return tmp_path


def run(folder, *arguments, model="model.skops"):
    call = ["audit", str(folder / model), str(folder / "table.csv")]
    return CliRunner().invoke(app, [*call, "--schema", str(folder / "schema.toml"), *arguments])


def test_safe_and_unsafe(files):
    safe = run(files, "-k", "3")
    assert safe.exit_code == 0, safe.output
    assert "Safe" in safe.output
    broken = run(files, "-k", "4", "--json")
    assert broken.exit_code == 1
    told = json.loads(broken.stdout)
    assert told["safe_k"] == 3
    assert told["breaches"]
    assert run(files, "-k", "4").exit_code == 1


def test_pickles_need_trust(files):
    refused = run(files, "-k", "3", model="model.pkl")
    assert refused.exit_code == 2
    assert "pickle" in refused.stderr
    assert run(files, "-k", "3", "--trust", model="model.pkl").exit_code == 0


def test_bad_files(files):
    assert run(files, model="none.skops").exit_code == 2
    (files / "model.txt").write_text("x")
    assert run(files, model="model.txt").exit_code == 2
    (files / "model.json").write_text("{")
    assert run(files, model="model.json").exit_code == 2
