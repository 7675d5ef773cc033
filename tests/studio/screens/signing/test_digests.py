"""Digests of releases: read again whenever a file may be another one, and not otherwise."""

import hashlib
import os
import time

import shoal.anonymize._release_files as files
from shoal.studio.screens.signing._digests import digest_now


def test_a_file_is_read_again_only_after_it_changed(tmp_path, monkeypatch):
    table = tmp_path / "r.csv"
    table.write_text("age\n30\n")
    read = []
    real = files.digest
    monkeypatch.setattr(files, "digest", lambda path: read.append(path) or real(path))
    first = digest_now(table)
    assert first == hashlib.sha256(b"age\n30\n").hexdigest()
    assert digest_now(table) == first
    assert len(read) == 2  # just written: the next change may have the same time
    later = time.time_ns() + 10**10
    monkeypatch.setattr(time, "time_ns", lambda: later)
    assert [digest_now(table) for _ in range(3)] == [first] * 3
    assert len(read) == 3
    dates = table.stat()
    table.write_text("age\n31\n")
    os.utime(table, ns=(dates.st_atime_ns, dates.st_mtime_ns))
    assert digest_now(table) == hashlib.sha256(b"age\n31\n").hexdigest()


def test_folders_have_digests_and_what_is_gone_has_none(tmp_path):
    folder = tmp_path / "r.parquet"
    folder.mkdir()
    (folder / "part-0").write_text("a")
    first = digest_now(folder)
    (folder / "part-0").write_text("b")
    assert first
    assert digest_now(folder) not in (None, first)
    assert digest_now(tmp_path / "gone.csv") is None
