"""Models from files."""

import json
import pickle

import pytest
from sklearn.tree import DecisionTreeClassifier

from shoal.audit import load_model
from shoal.errors import ParameterError, TableError


def test_rules_come_as_they_are_written(tmp_path):
    rules = [{"antecedents": ["bread"], "consequents": ["pills"]}]
    (tmp_path / "rules.json").write_text(json.dumps(rules))
    assert load_model(tmp_path / "rules.json") == rules


@pytest.mark.parametrize("suffix", [".pkl", ".pickle", ".joblib"])
def test_pickles_need_trust(tmp_path, suffix):
    path = tmp_path / f"model{suffix}"
    path.write_bytes(pickle.dumps(DecisionTreeClassifier(max_depth=3)))
    with pytest.raises(ParameterError, match="runs whatever program its author put into it"):
        load_model(path)
    assert load_model(path, trust=True).max_depth == 3


def test_what_cannot_be_read(tmp_path):
    with pytest.raises(TableError, match="no such file"):
        load_model(tmp_path / "none.skops")
    (tmp_path / "model.txt").write_text("tree")
    with pytest.raises(ParameterError, match=r"use \.skops or \.json"):
        load_model(tmp_path / "model.txt")
    (tmp_path / "model.json").write_text("{")
    with pytest.raises(TableError, match="is not JSON"):
        load_model(tmp_path / "model.json")
