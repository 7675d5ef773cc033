import errno

import pytest

from shoal._atomic import atomic_path, atomic_paths, refuse_existing, write_text
from shoal.errors import TableError


def test_the_file_appears_whole(tmp_path):
    write_text(tmp_path / "a.txt", "one\n")
    write_text(tmp_path / "a.txt", "two\n")
    assert (tmp_path / "a.txt").read_text() == "two\n"
    assert len(list(tmp_path.iterdir())) == 1


def write_half(path, failure):
    with atomic_path(path) as part:
        part.write_text("half")
        assert part.suffix == path.suffix
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
    with atomic_path(tmp_path / "site.parquet", keep_suffix=False) as part:
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
    with pytest.raises(TableError, match=r"'a\.csv' is there already.*--force"):
        refuse_existing([tmp_path / "b.csv", path], force=False)
