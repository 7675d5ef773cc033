import pytest

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
