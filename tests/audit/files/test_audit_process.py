"""What the process that audits says, whatever a file does to it."""

import io
import json
import pickle

import pytest

from shoal.audit._training_table import read_training_table
from shoal.audit.adapters._adapter import AdapterOptions
from shoal.audit.files import _audit_process
from shoal.audit.files._audit_process import answer
from shoal.errors import HierarchyError, TableError
from shoal.privacy import KAnonymity
from shoal.schema import Schema

TABLE = read_training_table(
    {"age": [30, 40], "ill": ["no", "yes"]},
    Schema({"age": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}}),
)


def ask(path):
    out = io.BytesIO()
    request = pickle.dumps((path, TABLE, AdapterOptions(k=3), KAnonymity(3)))
    answer(request, out, limited=False)
    line, _, rest = out.getvalue().partition(b"\n")
    return json.loads(line), rest


def test_spans_follow_the_words(tmp_path, monkeypatch):
    monkeypatch.setattr(_audit_process, "load_untried", lambda path: lambda rows: rows["ill"])
    header, rest = ask(tmp_path)
    assert header["kind"] == "function"
    assert header["causes"]["0"]
    assert sum(header["sizes"]) == len(rest) > 0


@pytest.mark.parametrize(
    ("error", "kind", "told"),
    [
        (HierarchyError("no tree"), "SchemaError", "no tree"),
        (TableError("damaged"), "TableError", "damaged"),
        (MemoryError(), "TableError", "more memory"),
        (ZeroDivisionError("Ann has 5"), "TableError", "stopped with ZeroDivisionError"),
        (ZeroDivisionError("Ann has 5"), "TableError", "with SHOAL_DEBUG=1"),  # may be our defect
    ],
)
def test_errors_are_sent_in_words(tmp_path, monkeypatch, error, kind, told):
    def fail(path):
        raise error

    monkeypatch.setattr(_audit_process, "load_untried", fail)
    header, rest = ask(tmp_path)
    assert (header["error"], rest) == (kind, b"")
    assert told in header["text"]
    assert "Ann" not in str(header)
    assert any("in fail" in line for line in header["where"])
