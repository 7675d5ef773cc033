import os
import signal
import stat
import subprocess
import sys
import tempfile

import pytest

from shoal._scratch import scratch

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
        [sys.executable, "-c", "from shoal._scratch import scratch; scratch()"],
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
