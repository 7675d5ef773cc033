import errno

import pytest

from shoal._atomic import atomic_path, write_text
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
