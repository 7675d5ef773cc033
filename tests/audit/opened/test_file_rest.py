"""Bytes of a model's file that no loader reads."""

import io
import json
import pickle
import zipfile

import joblib
import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from shoal.audit import load_model
from shoal.audit.opened._file_rest import check_skops_file
from shoal.errors import TableError
from tests.extras import need

rng = np.random.default_rng(0)
ROWS = rng.normal(size=(80, 3)).round(2)
TEXT = "\n".join(",".join(map(str, row)) for row in ROWS).encode()


def models():
    tree = DecisionTreeClassifier(max_depth=2, random_state=np.random.RandomState(3))
    yield tree.fit(ROWS, ROWS[:, 0] > 0)
    last = DecisionTreeClassifier(max_depth=1)
    yield make_pipeline(OneHotEncoder(), StandardScaler(with_mean=False), last).fit(
        ROWS.round(), ROWS[:, 0] > 0
    )


def saved(path, model=None):
    need("skops").io.dump(model or next(models()), path)
    return path


def rewritten(path, change):
    with zipfile.ZipFile(path) as file:
        entries = {name: file.read(name) for name in file.namelist()}
    change(entries)
    with zipfile.ZipFile(path, "w") as file:
        for name, raw in entries.items():
            file.writestr(name, raw)
    return path


def _add_key(entries):
    said = json.loads(entries["schema.json"])
    said["note"] = ROWS.tolist()
    entries["schema.json"] = json.dumps(said).encode()


def _double_key(entries):
    entries["schema.json"] = (
        b'{"protocol": "' + TEXT.hex().encode() + b'",' + (entries["schema.json"][1:])
    )


def _lengthen_array(entries):
    name = next(name for name in entries if name.endswith(".npy"))
    entries[name] += TEXT


CHANGES = {
    "an entry": lambda entries: entries.update({"rows.csv": TEXT}),
    "a name of an object": _add_key,
    "a name twice": _double_key,
    "bytes behind an array": _lengthen_array,
}


@pytest.mark.parametrize("how", CHANGES)
def test_skops_files_with_more_than_the_model_are_refused(tmp_path, how):
    need("skops.io")
    for model in models():
        path = saved(tmp_path / "model.skops", model)
        load_model(path, trust=True)
        with pytest.raises(TableError, match="more than the model"):
            load_model(rewritten(path, CHANGES[how]), trust=True)


def test_comments_and_bytes_before_a_zip_file_are_refused(tmp_path):
    need("skops.io")
    path = saved(tmp_path / "model.skops")
    raw = path.read_bytes()
    path.write_bytes(TEXT + raw)
    with pytest.raises(TableError, match="larger than its entries"):
        load_model(path, trust=True)
    path.write_bytes(raw)
    with zipfile.ZipFile(path, "a") as file:
        file.comment = TEXT
    with pytest.raises(TableError, match="comments"):
        load_model(path, trust=True)


@pytest.mark.parametrize("pack", [0, 3, ("gzip", 3), ("bz2", 3), ("xz", 3), "pickle"])
def test_pickles_end_where_the_model_ends(tmp_path, pack):
    for model in models():
        path = tmp_path / "model.pkl"
        if pack == "pickle":
            path.write_bytes(pickle.dumps(model))
        else:
            joblib.dump(model, path, compress=pack)
        load_model(path, trust=True)
        path.write_bytes(path.read_bytes() + TEXT)
        with pytest.raises(TableError, match="more than the model"):
            load_model(path, trust=True)


def test_a_pickle_that_drops_what_it_reads_is_refused(tmp_path):
    path = tmp_path / "model.pkl"
    file = io.BytesIO()
    pickle.dump(next(models()), file, 4)
    dropped = b"B" + len(TEXT * 4).to_bytes(4, "little") + TEXT * 4 + b"0"
    path.write_bytes(file.getvalue()[:2] + dropped + file.getvalue()[2:])
    with pytest.raises(TableError, match="bytes, and the model"):
        load_model(path, trust=True)


def test_a_name_given_twice_in_json_is_refused(tmp_path):
    path = tmp_path / "model.json"
    path.write_text('[{"nodeid": 0, "leaf": 1, "leaf": 2}]', "utf-8")
    with pytest.raises(TableError, match="given twice"):
        load_model(path, trust=True)


def test_damaged_pickles_are_refused_in_words(tmp_path):
    """Whatever the parts of a pickle raise: somebody who trusts a file has no use for a defect."""
    path = tmp_path / "model.joblib"
    joblib.dump(next(models()), path)
    whole, draw = path.read_bytes(), np.random.default_rng(0)
    refused = 0
    for _ in range(60):
        changed = bytearray(whole)
        at = int(draw.integers(len(changed)))
        if draw.random() < 0.5:
            changed[at] = int(draw.integers(256))
        else:
            del changed[at : at + int(draw.integers(1, 200))]
        path.write_bytes(changed)
        try:
            load_model(path, trust=True)
        except TableError as error:
            refused += "is damaged" in str(error) or "may hold more" in str(error)
    assert refused > 30
    path.write_bytes(b"csomewhere.unknown\nModel\n.")
    with pytest.raises(TableError, match="needs 'somewhere', which is not installed"):
        load_model(path, trust=True)


def test_arrays_of_skops_files_that_end_early_are_refused_in_words(tmp_path):
    need("skops.io")
    path = saved(tmp_path / "model.skops")

    def shorten(entries):
        name = next(name for name in entries if name.endswith(".npy"))
        entries[name] = entries[name][:-1]
        return entries

    def break_head(entries):
        name = next(name for name in entries if name.endswith(".npy"))
        entries[name] = entries[name][:117]
        return entries

    for change in (shorten, break_head):
        rewritten(path, change)
        with pytest.raises(TableError):
            check_skops_file(path)
        saved(path)
