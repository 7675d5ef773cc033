"""Connections of our own are closed before the interpreter is taken apart."""

import subprocess
import sys

from shoal.tables.engines import _duck_connection
from shoal.tables.engines._duck_connection import connect

LEAVE = """
import sys
from shoal.tables.engines._duck_connection import connect

kept = connect()
rows = kept.sql("SELECT range AS x FROM range(1000)")
sys.modules["kept"] = rows  # outlives this module, as caches of libraries do
print(rows.fetchall()[0])
"""


def test_what_is_open_is_closed_on_leaving(monkeypatch, tmp_path):
    monkeypatch.setattr(_duck_connection, "_open", type(_duck_connection._open)())
    monkeypatch.setattr(_duck_connection, "_spills", {tmp_path / "spill"})
    (tmp_path / "spill").mkdir()
    connection = connect()
    assert connection in _duck_connection._open
    _duck_connection._leave()
    assert not (tmp_path / "spill").exists()
    try:
        connection.execute("SELECT 1")
    except Exception as error:
        assert "closed" in str(error).lower()  # noqa: PT017
    else:
        raise AssertionError("the connection is open")


def test_a_process_that_keeps_rows_ends_in_peace():
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", LEAVE], capture_output=True, timeout=120)
        assert (done.returncode, done.stderr) == (0, b"")


NOTEBOOK = """
import sys, types
shell = types.SimpleNamespace(config={"IPKernelApp": {}})
sys.modules["IPython"] = types.SimpleNamespace(get_ipython=lambda: shell)
sys.modules["ipywidgets"] = None  # not installed

from shoal.tables.engines._duck_connection import connect
print(connect().sql("SELECT 1").fetchall())
"""


def test_a_notebook_without_widgets_has_connections():
    # DuckDB refuses there to have its progress bar turned off
    done = subprocess.run([sys.executable, "-c", NOTEBOOK], capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [b"[(1,)]"]
