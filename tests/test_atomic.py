import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from shoal._atomic import atomic_path, atomic_paths, refuse_existing, settle, write_text
from shoal.errors import TableError


def test_the_file_appears_whole(tmp_path):
    write_text(tmp_path / "a.txt", "one\n")
    write_text(tmp_path / "a.txt", "two\n")
    assert (tmp_path / "a.txt").read_text() == "two\n"
    assert len(list(tmp_path.iterdir())) == 1


def test_no_folder_is_made_that_is_called_like_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"table": Path("~/a.txt"), "manifest": Path("~/a.json")}
    with pytest.raises(TableError, match="home folder"), atomic_paths(names, "the release"):
        pass
    assert list(tmp_path.iterdir()) == []


def write_half(path, failure):
    with atomic_path(path) as part:
        part.write_text("half")
        assert part.name == path.name
        raise failure


@pytest.mark.parametrize(
    "failure", [KeyboardInterrupt(), ValueError("x"), OSError(errno.ENOSPC, "No space left")]
)
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, failure):
    path = tmp_path / "a.txt"
    path.write_text("old")
    expected = TableError if isinstance(failure, OSError) else type(failure)
    with pytest.raises(expected):
        write_half(path, failure)
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_full_disk_is_said_so(tmp_path):
    with pytest.raises(TableError, match=r"cannot write a\.csv: No space left"):
        write_half(tmp_path / "a.csv", OSError(errno.ENOSPC, "No space left on device"))


def test_a_private_file_is_its_owners_only_while_it_is_written_and_after(tmp_path):
    path = tmp_path / "key.json"
    with atomic_path(path, private=True) as part:
        assert part.stat().st_mode & 0o777 == 0o600
        part.write_text("secret")
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_draft_can_hide_from_a_listing_by_suffix(tmp_path):
    with atomic_path(tmp_path / "site.parquet") as part:
        part.write_text("half")
        assert not list(tmp_path.glob("*.parquet"))
    assert [path.name for path in tmp_path.glob("*.parquet")] == ["site.parquet"]


def write_together(folder, failure=None):
    paths = {"one": folder / "deep" / "one.txt", "two": folder / "deep" / "two.txt"}
    with atomic_paths(paths, "both") as twins:
        for name, path in twins.items():
            path.write_text(name)
        if failure:
            raise failure


def test_several_files_appear_together(tmp_path):
    write_together(tmp_path)
    assert {path.name for path in (tmp_path / "deep").iterdir()} == {"one.txt", "two.txt"}


def test_a_failure_keeps_none_of_several_files(tmp_path):
    with pytest.raises(TableError, match="cannot write both: No space left"):
        write_together(tmp_path, OSError(errno.ENOSPC, "No space left"))
    assert not list((tmp_path / "deep").iterdir())


def test_what_is_there_is_refused_unless_forced(tmp_path):
    path = tmp_path / "a.csv"
    refuse_existing([path], force=False)
    path.write_text("old")
    refuse_existing([path], force=True)
    with pytest.raises(
        TableError, match=r"'a\.csv' is there already.*--force .in Python force=True"
    ):
        refuse_existing([tmp_path / "b.csv", path], force=False)


DIE = """
import os, sys
from pathlib import Path
import shoal._atomic as atomic
folder, step = Path(sys.argv[1]), int(sys.argv[2])
calls = iter(range(10**6))

def watched(name, function):
    def call(*args, **named):
        if next(calls) == step:
            os._exit(9)
        return function(*args, **named)
    return call

for name in ("replace", "open", "mkdir", "fsync"):
    setattr(os, name, watched(name, getattr(os, name)))
paths = {n: folder / f"{n}.txt" for n in ("one", "two")}
paths["three"] = folder / "own" / "three.txt"
with atomic.atomic_paths(paths, "set", private=["three"], outdated=[folder / "old.txt"]) as drafts:
    for draft in drafts.values():
        draft.write_text("new")
print("done")
"""


def die_at(folder, step):
    command = [sys.executable, "-c", DIE, str(folder), str(step)]
    return subprocess.run(command, capture_output=True, text=True).returncode


def test_wherever_a_writer_dies_the_next_one_finds_the_old_set_or_the_new_one(tmp_path):
    outcomes = set()
    for step in range(60):
        folder = tmp_path / str(step)
        (folder / "own").mkdir(parents=True)
        for name in ("one.txt", "two.txt", "own/three.txt", "old.txt"):
            (folder / name).write_text("old")
        code = die_at(folder, step)
        settle(folder)
        there = {p.relative_to(folder).as_posix(): p.read_text() for p in folder.rglob("*.txt")}
        assert not [p for p in folder.rglob("*") if p.name.startswith(".shoal")]
        new = {"one.txt": "new", "two.txt": "new", "own/three.txt": "new"}
        old = dict.fromkeys([*new, "old.txt"], "old")
        assert there in (old, new)
        outcomes.add(there == new)
        if code == 0:
            break
    assert code == 0
    assert outcomes == {True, False}


def test_a_scratch_folder_in_use_is_left_alone(tmp_path):
    with atomic_path(tmp_path / "a.txt") as part:
        part.write_text("mine")
        settle(tmp_path)
        write_text(tmp_path / "b.txt", "other")
        assert part.read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "b.txt"]


def test_a_request_to_end_cleans_up(tmp_path):
    waiting = (
        "import sys, time\nfrom shoal._atomic import atomic_path\n"
        "with atomic_path(sys.argv[1]) as part:\n"
        "    part.write_text('half'); print('ready', flush=True); time.sleep(600)\n"
    )
    command = [sys.executable, "-c", waiting, str(tmp_path / "a.txt")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        process.terminate()
        assert process.wait(60) == 128 + 15
    assert not list(tmp_path.iterdir())


def test_a_move_that_fails_keeps_the_old_set(tmp_path, monkeypatch):
    paths = {"one": tmp_path / "one.txt", "two": tmp_path / "two.txt"}
    paths["one"].write_text("old")

    def refuse(source, target):
        if str(target).endswith(".txt"):
            raise PermissionError(errno.EPERM, "Operation not permitted")
        move(source, target)

    move = os.replace
    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(TableError, match="nothing was kept"):
        write_new(paths)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"one.txt": "old"}


def write_new(paths):
    with atomic_paths(paths, "both") as drafts:
        for draft in drafts.values():
            draft.write_text("new")


STRANGE = {
    "a file elsewhere is replaced": {"moves": [["0/a", "../mine.txt", False]], "removes": []},
    "a file elsewhere is removed": {"moves": [], "removes": ["../mine.txt"]},
    "through a link": {"moves": [["0/a", "link/mine.txt", False]], "removes": []},
    "a file elsewhere is taken": {"moves": [["../../mine.txt", "b", False]], "removes": []},
    "an absolute name": {"moves": [], "removes": ["/nowhere/mine.txt"]},
    "the folder itself": {"moves": [["0/a", ".", False]], "removes": []},
    "no list of moves": {"moves": 3, "removes": []},
    "no record": [],
    "a name that is none": {"moves": [[0, None, False]], "removes": []},
}


@pytest.mark.parametrize("case", STRANGE)
def test_a_record_that_came_with_files_of_others_moves_nothing(tmp_path, case):
    (tmp_path / "mine.txt").write_text("mine")
    folder = tmp_path / "unpacked"
    (folder / ".shoal-00c0ffee" / "0").mkdir(parents=True)
    (folder / "link").symlink_to(tmp_path)
    (folder / ".shoal-00c0ffee" / "0" / "a").write_text("theirs")
    (folder / ".shoal-00c0ffee" / "commit.json").write_text(json.dumps(STRANGE[case]))
    with pytest.raises(TableError, match="did not write here"):
        settle(folder)
    assert (tmp_path / "mine.txt").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.txt", "unpacked"]


def test_the_folder_that_cannot_be_written_has_a_name_where_it_is_this_one(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Path, "mkdir", refuse)
    with (
        pytest.raises(TableError, match=f"cannot write into folder '{tmp_path.name}'"),
        atomic_path("out.csv"),
    ):
        pass
