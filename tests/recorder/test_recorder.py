from functools import partial

import pytest

from tests.extras import need
from tests.recorder._compare import differences

SAID = """exit code 0
{"groups": 5, "total_seconds": 0.25, "seconds": {"solve": 0.5}, "versions": {"numpy": "2.4.6"}}
"""


@pytest.fixture
def folders(tmp_path):
    for name in ("before", "after"):
        (tmp_path / name / "case").mkdir(parents=True)
        (tmp_path / name / "case" / "01-check.txt").write_text(SAID)
        (tmp_path / name / "case" / "r.parquet").write_bytes(b"\xff\x00seconds")
    return tmp_path / "before", tmp_path / "after"


def test_what_must_vary_is_accepted(folders):
    other = SAID.replace("0.25", "1.5e-05").replace("0.5", "7").replace("2.4.6", "3.0.0.dev1")
    (folders[1] / "case" / "01-check.txt").write_text(other)
    assert differences(*folders) == []


def test_a_changed_byte_is_found(folders):
    (folders[1] / "case" / "01-check.txt").write_text(SAID.replace("5", "6", 1))
    (folders[1] / "case" / "r.parquet").write_bytes(b"\xff\x01seconds")
    said, table = differences(*folders)
    assert said.startswith("case/01-check.txt: differs\n  -")
    assert table.startswith("case/r.parquet: differs")


def test_a_missing_file_is_found_on_either_side(folders):
    (folders[0] / "case" / "01-check.txt").unlink()
    (folders[1] / "case" / "r.parquet").unlink()
    said, table = differences(*folders)
    assert said.startswith("case/01-check.txt: not in")
    assert table.startswith("case/r.parquet: missing from")


def test_the_same_release_twice_is_the_same_byte_for_byte(tmp_path):
    """Rows come in a secret order by default: a recording fixes it."""
    need("pyarrow")  # writes the inputs
    from tests.recorder._command_releases import release
    from tests.recorder._record import record

    cases = {"release": partial(release, "-k", 5, "-m", "top-down")}
    one, two = tmp_path / "one", tmp_path / "two"
    assert record(cases, one) == record(cases, two) == 0
    assert (one / "release" / "r.csv").read_text().count("\n") == 901
    assert differences(one, two) == []
