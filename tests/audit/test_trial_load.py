"""Damaged and crafted skops files: a clear error, never a crash."""

import io
import json
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import shoal
from shoal.audit import load_model
from shoal.errors import ShoalError, TableError
from tests.audit.trials import quick_trials as quick_trials, trial_server as trial_server
from tests.extras import need

skops = need("skops.io")
ROWS = np.arange(40.0).reshape(20, 2)
CLASSES = np.arange(20) % 3


def write(path, model):
    skops.dump(model.fit(ROWS, CLASSES), path)
    return path


def change(source, path, array=None, schema=None):
    """Copy a file; `array` may change every array in it, `schema` its description."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if array is not None and name.endswith(".npy"):
                values = np.load(io.BytesIO(data), allow_pickle=False).copy()
                array(values)
                out = io.BytesIO()
                np.save(out, values)
                data = out.getvalue()
            if schema is not None and name == "schema.json":
                data = schema(data.decode()).encode()
            new.writestr(name, data)
    return path


def set_field(name, value):
    def edit(values):
        if values.dtype.names and name in values.dtype.names:
            values[name][0] = value

    return edit


def refuse_child(tmp_path, child):
    good = write(tmp_path / "good.skops", DecisionTreeClassifier(random_state=0))
    bad = change(good, tmp_path / "bad.skops", set_field("left_child", child))
    assert load_model(good).get_depth() > 1
    with pytest.raises(TableError, match="a tree that is none"):
        load_model(bad)


def test_a_new_process_refuses_wild_children_and_runs_no_file_of_the_folder(tmp_path, monkeypatch):
    for name in ("skops", "sklearn", "numpy", "shoal"):
        text = "import pathlib; pathlib.Path('ran').touch(); raise SystemExit(0)"
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    refuse_child(tmp_path, 2**40)
    assert not (tmp_path / "ran").exists()


def test_no_process_of_shoal_looks_for_modules_in_the_folder_where_it_is_called():
    files = Path(shoal.__file__).parent.rglob("*.py")
    calls = [re.findall(r"sys\.executable,\s*(\S+)", file.read_text("utf-8")) for file in files]
    found = [first for own in calls for first in own]
    assert len(found) >= 2
    assert {*found} == {'"-P",'}


@pytest.mark.parametrize("child", [2**40, -7, 0])
def test_a_tree_with_wild_children_is_refused(tmp_path, child, quick_trials):
    refuse_child(tmp_path, child)
    assert len(quick_trials) == 2


@pytest.mark.usefixtures("quick_trials")
def test_a_tree_that_counts_other_nodes_or_features_is_refused(tmp_path):
    good = write(tmp_path / "good.skops", RandomForestClassifier(1, random_state=0))

    def more_nodes(text):
        return text.replace('"content": "', '"content": "9') if '"node_count"' in text else text

    with pytest.raises(ShoalError):
        load_model(change(good, tmp_path / "bad.skops", schema=more_nodes))
    with pytest.raises(TableError, match="not there"):
        load_model(change(good, tmp_path / "worse.skops", set_field("feature", 10**6)))


@pytest.mark.usefixtures("quick_trials")
def test_gradient_boosting_with_wild_nodes_is_refused(tmp_path):
    model = HistGradientBoostingClassifier(max_iter=1, min_samples_leaf=2)
    good = write(tmp_path / "good.skops", model)
    assert load_model(good).n_iter_ == 1
    for field, value in (("left", 10**6), ("feature_idx", 10**6), ("right", 0)):
        with pytest.raises(TableError, match="a tree that is none"):
            load_model(change(good, tmp_path / "bad.skops", set_field(field, value)))


@pytest.mark.usefixtures("quick_trials")
def test_what_is_no_skops_file(tmp_path):
    path = tmp_path / "model.skops"
    nested = "[" * 100_000 + "]" * 100_000
    for data in (b"", b"PK", b"no zip at all"):
        path.write_bytes(data)
        with pytest.raises(TableError, match="no skops file"):
            load_model(path)
    for text in ("", "[]", "{}", nested, json.dumps({"__class__": "dict"})):
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("schema.json", text)
        with pytest.raises(ShoalError):
            load_model(path)
