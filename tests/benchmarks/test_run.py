import sys

import pytest

from benchmarks._row import Row
from benchmarks._run import names_in, run_all

BENCHMARKS = {
    "good": """
from benchmarks._row import Row
def main(quick):
    print("not a row")
    yield Row("work", 2.0, 4.0, "them")
    yield Row("how", float(quick), unit="")
""",
    "tuples": "def main(quick): return [('old', 3, 6, 2), ('alone', 1)]",
    "fails": """
from benchmarks._row import Row
def main(quick):
    yield Row("before", 1.0)
    raise ValueError("it broke")
""",
    "dies": "import os\ndef main(quick): os._exit(7)",
    "absent": """
from shoal.errors import DataNotFoundError
def main(quick): raise DataNotFoundError("get it there")
""",
    "sleeps": "import time\ndef main(quick): time.sleep(600)",
}


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "fakes"
    folder.mkdir()
    for name, text in BENCHMARKS.items():
        (folder / f"bench_{name}.py").write_text(text, "utf-8")
    return folder


@pytest.fixture
def ran(folder):
    def ran(*names, full=False, limit=None):
        said = []
        done = list(run_all(names, full, limit, lambda *line: said.append(line), folder))
        return [(each.failure, list(each.rows)) for each in done], said

    return ran


def test_benchmarks_are_found_by_their_names(folder):
    assert names_in(folder) == sorted(BENCHMARKS)
    assert {"mondrian", "trees"} <= set(names_in())


def test_rows_come_back_and_what_is_printed_does_not(ran):
    found, said = ran("good")
    assert found == [("", [Row("work", 2.0, 4.0, "them"), Row("how", 1.0, unit="")])]
    assert said[0] == ("[1/1] good: starting", False)
    assert said[1] == ("[1/1] good: work", False)
    assert said[-1][0].startswith("[1/1] good: 2 rows in ")
    assert [ended for _, ended in said] == [False, False, False, True]


def test_a_full_run_is_told_so(ran):
    assert ran("good", full=True)[0][0][1][1] == Row("how", 0.0, unit="")


def test_tuples_become_rows(ran):
    assert ran("tuples")[0] == [("", [Row("old", 3, 6, unit=""), Row("alone", 1, unit="")])]


def test_a_failure_is_a_row_and_the_next_is_run(ran):
    failed, good = ran("fails", "good")[0]
    assert failed[0] == "ValueError: it broke"
    assert failed[1][0] == Row("before", 1.0)
    assert failed[1][1] == Row("did not finish", None, unit="", note="ValueError: it broke")
    assert good[0] == ""


def test_a_process_that_dies_is_a_row(ran):
    [(failure, rows)] = ran("dies")[0]
    assert failure == "ended with status 7"
    assert [row.what for row in rows] == ["did not finish"]


def test_absent_data_is_a_row_and_no_failure(ran):
    [(failure, [row])] = ran("absent")[0]
    assert failure == ""
    assert row.ours is None
    assert "get it there" in row.note


@pytest.mark.skipif(sys.platform == "win32", reason="process groups are ended by signal")
def test_what_takes_too_long_is_ended(ran):
    [(failure, _)] = ran("sleeps", limit=0.5)[0]
    assert failure == "stopped after 0.5 s"
