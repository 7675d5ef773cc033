"""Connections of our own are closed before the interpreter is taken apart."""

import os
import subprocess
import sys
import threading

import duckdb
import numpy as np
import pytest

from shoal.tables import open_table
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
    monkeypatch.setattr(_duck_connection, "_databases", {})
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


def made_by(monkeypatch):
    """Databases that are made from now on, in a list that grows, while none is there."""
    made, plain = [], duckdb.connect
    monkeypatch.setattr(_duck_connection, "_databases", {})
    monkeypatch.setattr(duckdb, "connect", lambda *a, **k: made.append(a) or plain(*a, **k))
    return made


def test_tables_share_a_database_and_see_nothing_of_one_another(monkeypatch):
    made = made_by(monkeypatch)
    first, second = connect(), connect()
    assert len(made) == 1
    first.execute("CREATE TEMP TABLE t AS SELECT 1 AS x")
    first.execute("CREATE TEMP VIEW v AS FROM t")
    first.register("given", {"x": np.array([1])})
    for name in ("t", "v", "given"):
        with pytest.raises(duckdb.CatalogException):
            second.execute(f"FROM {name}")
    second.execute("CREATE TEMP TABLE t AS SELECT 2 AS x")
    second.close()
    assert first.execute("FROM t").fetchall() == [(1,)]


def test_what_was_asked_for_since_makes_another_database(monkeypatch):
    made = made_by(monkeypatch)
    monkeypatch.delenv("SHOAL_THREADS", raising=False)
    monkeypatch.setenv("SHOAL_MEMORY", "1GB")
    asked = "SELECT current_setting('threads'), current_setting('memory_limit')"
    before = connect().execute(asked).fetchone()
    monkeypatch.setenv("SHOAL_THREADS", "3")
    monkeypatch.setenv("SHOAL_MEMORY", "2GB")
    (threads, memory) = connect().execute(asked).fetchone()
    assert threads == 3
    assert memory != before[1]
    assert len(made) == 2


def test_an_attached_file_is_seen_by_no_other_table(tmp_path):
    path = tmp_path / "house.duckdb"
    with duckdb.connect(str(path)) as house:
        house.execute("CREATE TABLE people AS SELECT 31 AS age")
    alone = connect(":memory:")
    alone.execute(f"ATTACH '{path}' AS house (READ_ONLY)")
    assert connect().execute("FROM duckdb_tables() WHERE database_name = 'house'").fetchall() == []


def test_a_file_that_is_written_anew_is_read_anew(tmp_path):
    path = tmp_path / "people.parquet"
    kept = []
    for age in (31, 32):
        duckdb.sql(f"SELECT {age} AS age").write_parquet(str(path))
        os.utime(path, (10**9, 10**9))  # as old as the file before, and as long
        kept.append(open_table(path))
        assert list(kept[-1].columns()["age"]) == [age]


def test_a_database_that_answers_no_more_is_left(monkeypatch):
    made = made_by(monkeypatch)
    connect()

    class Broken:
        def cursor(self):
            return self

        def execute(self, sql):
            raise duckdb.FatalException("database has been invalidated")

    (key,) = _duck_connection._databases
    _duck_connection._databases[key] = Broken()
    assert connect().execute("SELECT 1").fetchall() == [(1,)]
    assert len(made) == 2


def test_threads_have_connections_of_their_own():
    sums = {}

    def work(number):
        connection = connect()
        connection.execute(f"CREATE TEMP TABLE t AS SELECT {number} AS x FROM range(10000)")
        sums[number] = connection.execute("SELECT sum(x) FROM t").fetchone()[0]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sums == {number: 10_000 * number for number in range(4)}


FORK = """
import os, sys
from shoal.tables.engines._duck_connection import connect

kept = connect()
kept.execute("CREATE TEMP TABLE t AS SELECT range AS x FROM range(100000)")
if sys.argv[1] == "closed":
    kept = kept.close()
child = os.fork()
if child == 0:
    assert connect().execute("SELECT count(*) FROM range(100000)").fetchone() == (100000,)
    sys.exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(kept.execute("SELECT count(*) FROM t").fetchone()[0] if kept else "")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.parametrize(("tables", "said"), [("open", [b"7", b"100000"]), ("closed", [b"7"])])
def test_a_forked_child_has_a_database_of_its_own_and_ends(tables, said):
    command = [sys.executable, "-c", FORK, tables]
    done = subprocess.run(command, capture_output=True, timeout=120)
    assert done.stdout.split() == said
    assert tables == "open" or done.stderr == b""  # DuckDB counts what a child cannot take apart
