"""Models from files."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from shoal.audit import _load, _trial_load, load_model
from shoal.audit._load import load_untried
from shoal.errors import ParameterError, TableError
from shoal.models import KAnonymousTreeClassifier
from tests.extras import need


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


def test_a_file_that_is_exchanged_while_it_is_read_is_read_as_it_was_checked(tmp_path, monkeypatch):
    skops = need("skops.io")
    paths = [tmp_path / "model.skops", tmp_path / "tree.json"]
    ages, ill = np.arange(40)[:, None], np.arange(40) // 20
    skops.dump(DecisionTreeClassifier(max_depth=1).fit(ages, ill), paths[0])
    own = KAnonymousTreeClassifier(privacy=3).fit(ages, ill)
    own.to_json(paths[1])
    listed, parsed = _trial_load.list_unknown_types, _load.parse_json

    def exchange_types(path):
        found = listed(path)
        skops.dump(DecisionTreeClassifier().fit(ages, ages[:, 0] // 10), paths[0])
        return found

    def exchange_text(name, text):
        found = parsed(name, text)
        KAnonymousTreeClassifier(privacy=1).fit(ages, ages[:, 0] // 10).to_json(paths[1])
        return found

    monkeypatch.setattr(_trial_load, "list_unknown_types", exchange_types)
    monkeypatch.setattr(_load, "parse_json", exchange_text)
    assert load_untried(paths[0]).get_depth() == 1
    assert len(load_model(paths[1]).classes_) == 2


def test_a_folder_a_device_and_a_file_without_end_are_refused(tmp_path, monkeypatch):
    (tmp_path / "folder.skops").mkdir()
    with pytest.raises(TableError, match="a folder or a device"):
        load_model(tmp_path / "folder.skops")
    if Path("/dev/zero").exists():
        (tmp_path / "zero.json").symlink_to("/dev/zero")
        with pytest.raises(TableError, match="a folder or a device"):
            load_model(tmp_path / "zero.json")
    monkeypatch.setattr(_load, "LARGEST", 100)
    (tmp_path / "long.json").write_text("[" + " " * 200 + "]")
    with pytest.raises(ParameterError, match="larger than 100 bytes"):
        load_model(tmp_path / "long.json")
