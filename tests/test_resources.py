import os
import signal
import stat
import subprocess
import sys
import tempfile

import pytest

from shoal._resources import database_memory, memory_bytes, n_threads, scratch
from shoal.tables.engines._duck_connection import connect

COPIES = """
import os, sys, time
from shoal.tables import open_table
from shoal.tables.engines._duck_staging import _Folder
table = open_table(sys.argv[1])
kept = _Folder()
(kept.path / "rows").write_text("Ada Alvarez")
table.n_rows
print("ready", flush=True)
time.sleep(600)
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def holding(place):
    """Names of files below a folder that hold something, locks aside."""
    return [p for p in place.rglob("*") if p.is_file() and p.name != "lock"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs signals")
def test_copies_of_a_killed_process_go_with_the_next_command(place, tmp_path):
    (tmp_path / "people.csv").write_text("name,age\nAda Alvarez,31\nBen Bertram,34\n")
    command = [sys.executable, "-c", COPIES, str(tmp_path / "people.csv")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        assert holding(place)
        scratch()  # a process that lives keeps what it has
        assert holding(place)
        process.send_signal(signal.SIGKILL)
        process.wait(60)
    assert holding(place)
    subprocess.run(
        [sys.executable, "-c", "from shoal._resources import scratch; scratch()"],
        check=True,
        timeout=120,
    )
    assert not holding(place)


def test_the_folder_is_for_its_owner_alone(place):
    folder = scratch()
    assert folder.parent == place
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert scratch() == folder


def test_folders_of_others_and_links_stay(place, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "lock").write_text("")
    (place / "shoal-run-link").symlink_to(elsewhere)
    (place / "shoal-run-no-lock").mkdir()
    scratch()
    assert (elsewhere / "lock").exists()
    assert (place / "shoal-run-no-lock").is_dir()


def test_the_number_of_threads_is_what_was_asked_for(monkeypatch):
    monkeypatch.setenv("SHOAL_THREADS", "3")
    assert n_threads() == 3
    for nonsense in ("", "0", "-1", "many"):
        monkeypatch.setenv("SHOAL_THREADS", nonsense)
        assert n_threads(otherwise=0) == 0
        assert 1 <= n_threads() <= 8


def test_the_memory_of_databases_is_what_was_asked_for(monkeypatch):
    monkeypatch.setenv("SHOAL_MEMORY", "500MB")
    assert database_memory() == "500MB"
    with connect() as connection:
        ((limit,),) = connection.sql("SELECT current_setting('memory_limit')").fetchall()
    assert limit.startswith("476")  # in MiB
    monkeypatch.setenv("SHOAL_THREADS", "2")
    for nonsense in ("", "much", "-1GB"):
        monkeypatch.setenv("SHOAL_MEMORY", nonsense)
        assert database_memory() == "2000MB"
    monkeypatch.setenv("SHOAL_THREADS", "64")
    assert database_memory() == "8192MB"


def test_memory_is_a_number_of_bytes(monkeypatch):
    for text, expected in (("500MB", 5e8), ("1.5 GB", 1.5e9), ("2GiB", 2e9), ("64 kb", 64_000)):
        monkeypatch.setenv("SHOAL_MEMORY", text)
        assert memory_bytes() == expected
