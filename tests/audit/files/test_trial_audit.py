"""Files of strangers are audited elsewhere: what happens there is told, and ends nothing here."""

import io
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from shoal._jit import on_compile
from shoal.audit import audit
from shoal.audit._trial_load import load_known
from shoal.audit.files import _trial_audit
from shoal.errors import ParameterError, TableError
from shoal.schema import Schema
from tests.audit.trials import quick_audits as quick_audits
from tests.extras import need

skops = need("skops.io")
pd = need("pandas")
TABLE = pd.DataFrame({"age": range(12), "car": [0, 1] * 6, "y": list("uuuvvvwwwuuu")})
SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "car": {"role": "sensitive"},
        "y": {"role": "sensitive", "target": True},
    }
)


@pytest.fixture
def file(tmp_path):
    tree = DecisionTreeClassifier(min_samples_leaf=3, random_state=0)
    skops.dump(tree.fit(TABLE[["age", "car"]], TABLE["y"]), tmp_path / "tree.skops")
    return tmp_path / "tree.skops"


def say(monkeypatch, text):
    """Let a program speak where the audit would."""
    monkeypatch.setattr(_trial_audit, "CALL", (sys.executable, "-P", "-S", "-c", text))


def test_a_new_process_finds_what_an_audit_of_the_model_finds(file, monkeypatch):
    with monkeypatch.context() as nowhere:
        nowhere.setattr("skops.io.load", None)  # nothing is loaded here
        there = audit(file, TABLE, SCHEMA, k=4)
    here = audit(load_known(file), TABLE, SCHEMA, k=4)
    assert there.answer == "unsafe"
    assert there.to_dict() == here.to_dict()
    assert there.to_text() == here.to_text()
    assert there.bins.names == tuple(here.bins.names)
    assert np.array_equal(there.span_of_row, here.span_of_row)


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("import os; os.abort()", "crashed"),
        ("pass", "crashed"),
        ("import os; os.kill(os.getpid(), 9)", "too long or too much memory"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGXCPU)", "more than 120 seconds"),
        ("print('{')", "no audit"),
        ("print('[' * 100000)", "no audit"),
        ("print('{\"sizes\": [8, -1]}')", "no audit"),
        ("print('{\"sizes\": [8, 8, 8, 8]}'); print('x' * 32)", "no audit"),
    ],
)
def test_what_the_process_does_is_an_error_in_words(file, monkeypatch, program, told):
    say(monkeypatch, program)
    with pytest.raises(TableError, match=f"tree.skops: .*{told}"):
        audit(file, TABLE, SCHEMA, k=3)


def test_an_audit_that_never_ends_is_given_up(file, monkeypatch):
    monkeypatch.setattr(_trial_audit, "LONGEST", 0.05)
    say(monkeypatch, "while True: pass")
    with pytest.raises(TableError, match="too long"):
        audit(file, TABLE, SCHEMA, k=3)


def test_errors_come_back_as_what_they_are(file, quick_audits, tmp_path):
    (tmp_path / "two.json").write_text('{"a": 1, "a": 2}')
    (tmp_path / "tree.pkl").write_bytes(b"")
    with pytest.raises(TableError, match="given twice"):
        audit(tmp_path / "two.json", TABLE, SCHEMA)
    assert len(quick_audits) == 1
    with pytest.raises(ParameterError, match="pickle"):
        audit(tmp_path / "tree.pkl", TABLE, SCHEMA)
    with pytest.raises(TableError, match="no such file"):
        audit(str(tmp_path / "none.json"), TABLE, SCHEMA)
    assert len(quick_audits) == 1


def test_that_another_process_compiles_is_said_once():
    said = io.BytesIO(b'compiling\nwaiting\ncompiling\n{"sizes": []}\n')
    heard = []
    with on_compile(lambda: heard.append("compiles"), lambda: heard.append("waits")):
        _trial_audit._read(None, SimpleNamespace(), said)
    assert heard == ["compiles", "waits"]


@pytest.mark.filterwarnings("error")
def test_a_process_that_does_not_listen_to_the_end_is_told(file, monkeypatch):
    say(monkeypatch, "pass")
    many = pd.concat([TABLE] * 20_000, ignore_index=True)
    with pytest.raises(TableError, match="crashed"):
        audit(file, many, SCHEMA, k=3)
