"""`shoal audit` from files: exit codes, JSON, and pickles."""

import json
import pickle

import pytest
from sklearn.tree import DecisionTreeClassifier
from typer.testing import CliRunner

from shoal.cli import app
from shoal.schema import Schema
from tests.audit.trials import quick_audits as quick_audits
from tests.extras import need

pd = need("pandas")
skops = need("skops.io")


@pytest.fixture
def files(tmp_path, quick_audits):
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


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_the_figure_changes_neither_text_nor_json(files, suffix):
    need("matplotlib")
    drawn = files / f"audit.{suffix}"
    plain = run(files, "-k", "4", "--json")
    with_figure = run(files, "-k", "4", "--json", "--figure", str(drawn))
    assert with_figure.exit_code == 1  # a breach is a breach
    assert json.loads(with_figure.stdout) == json.loads(plain.stdout)
    start = {"svg": b"<?xml", "png": b"\x89PNG"}[suffix]
    assert drawn.read_bytes().startswith(start)
    again = run(files, "-k", "3", "--figure", str(drawn))
    assert again.exit_code == 2  # nothing is overwritten
    assert "--force" in again.stderr
    forced = run(files, "-k", "3", "--figure", str(drawn), "--force")
    assert forced.exit_code == 0
    assert f"Drawn to audit.{suffix}" in forced.output


def test_a_figure_needs_a_known_suffix(files):
    need("matplotlib")
    assert run(files, "--figure", str(files / "audit.doc")).exit_code == 2
    assert not (files / "audit.doc").exists()


def test_files_of_boosted_trees(files):
    """One tree of one test as XGBoost dumps it: a below 6, or not."""
    root = {"nodeid": 0, "split": "a", "split_condition": 6, "yes": 1, "no": 2, "missing": 1}
    root["children"] = [{"nodeid": 1, "leaf": 0.5}, {"nodeid": 2, "leaf": -0.5}]
    (files / "model.json").write_text(json.dumps([root]))
    # without statistics nobody sees whether all rows counted alike
    assert run(files, "-k", "6", model="model.json").exit_code == 5
    for node, cover in zip((root, *root["children"]), (12, 6, 6), strict=True):
        node["cover"] = cover
    (files / "model.json").write_text(json.dumps([root]))
    safe = run(files, "-k", "6", "--json", model="model.json")
    assert safe.exit_code == 0
    assert json.loads(safe.stdout)["spans"]["population"] == [6, 6]
    assert run(files, "-k", "7", model="model.json").exit_code == 1


def test_other_columns_and_other_tables_are_refused_with_the_reason(files):
    table = pd.read_csv(files / "table.csv")
    table.iloc[1:].to_csv(files / "table.csv", index=False)
    refused = run(files, "-k", "3")
    assert refused.exit_code == 2
    assert "leaves have other counts" in refused.stderr
    assert "--other-table" in refused.stderr
    assert run(files, "-k", "3", "--other-table").exit_code in (0, 1)
    table.drop(columns="b").to_csv(files / "table.csv", index=False)
    assert run(files, "-k", "3").exit_code == 2
