import json
from xml.etree import ElementTree

import pytest

from reproduce import (
    Chart,
    Evidence,
    Experiment,
    Finding,
    Line,
    Outcome,
    Setup,
    write_pages,
)  # fmt: skip
from tests.extras import need

FINDINGS = [
    Finding("Table 1", "k = 10", 5198, 5198, 5198, 5198),
    Finding("Table 1", "k = 50", 0.12345, "about 0.1", 0, 0.1, "%"),
    Finding("Figure 2", "rows | cells", 3),
    Finding("Figure 2", "ours alone", 3, 9, 3, 3, guard=True),
    Finding("Figure 2", "said", 3, "few", high=5),
]


def outcome(name="small", evidence=None, skipped=None):
    need("matplotlib")
    experiment = Experiment("Errors grow slowly.", "Somebody, 2008", lambda setup: evidence)
    setup = Setup(True, 3, lambda done, total, what: None)
    return Outcome(name, experiment, setup, evidence, skipped, 1.25)


@pytest.fixture
def folder(tmp_path):
    lines = [Line("ours", [1, 10], [2, 3]), Line("theirs", [1, 10], [2, 2.5], published=True)]
    chart = Chart("Figure 2", "Error over k", "k", "error, %", lines, log_x=True)
    write_pages([outcome(evidence=Evidence(FINDINGS, "They round.", [chart]))], tmp_path / "new")
    return tmp_path / "new"


def test_a_page_sets_published_beside_ours_and_marks_what_does_not_hold(folder):
    page = (folder / "small.md").read_text()
    assert "| k = 10 | 5,198 | 5,198 | exactly 5,198 | agrees |" in page
    assert "| k = 50 | about 0.1 | 0.1235 % | 0 to 0.1 | **differs** |" in page
    assert "| rows \\| cells | - | 3 | - | - |" in page
    assert "| ours alone | 9 | 3 | guard: exactly 3 | kept |" in page
    assert "1 of 2 published numbers agree, and 1 of 1 claims in words" in page
    assert "They round." in page
    assert "`shoal reproduce small --quick --seed 3`" in page


def test_the_json_file_has_every_number_unrounded(folder):
    said = json.loads((folder / "small.json").read_text())
    assert [finding["ours"] for finding in said["findings"]] == [5198, 0.12345, 3, 3, 3]
    assert said["state"] == "differs"
    assert said["versions"]["numpy"]


def test_a_figure_is_drawn_where_its_findings_stand(folder):
    page = (folder / "small.md").read_text()
    assert page.index("## Figure 2") < page.index("![Error over k](small-1.svg)")
    ElementTree.parse(folder / "small-1.svg")


def test_the_same_outcome_gives_the_same_figure(folder, tmp_path):
    before = (folder / "small-1.svg").read_bytes()
    lines = [Line("ours", [1, 10], [2, 3]), Line("theirs", [1, 10], [2, 2.5], published=True)]
    chart = Chart("Figure 2", "Error over k", "k", "error, %", lines, log_x=True)
    write_pages([outcome(evidence=Evidence(FINDINGS, "They round.", [chart]))], tmp_path / "b")
    assert (tmp_path / "b" / "small-1.svg").read_bytes() == before


def test_claims_that_are_not_confirmed_stand_before_the_numbers(tmp_path):
    found = Evidence(FINDINGS[:1], "They round.", unmet=["Errors never grow."])
    write_pages([outcome(evidence=found)], tmp_path)
    page = (tmp_path / "small.md").read_text()
    assert page.index("- Errors never grow.") < page.index("They round.") < page.index("| k = 10")
    assert "reproduced in part" in page


def test_the_index_keeps_what_earlier_runs_wrote(folder):
    write_pages([outcome("other", skipped="No data.")], folder)
    index = (folder / "index.md").read_text()
    assert "(small.md) | differs (quick) | 1 of 2 | 1 of 1 | 1 of 1 |" in index
    assert "(other.md) | skipped (quick) | 0 of 0 | 0 of 0 | 0 of 0 |" in index
    assert "No data." in (folder / "other.md").read_text()


def test_why_a_number_differs_stands_on_the_page(tmp_path):
    known = Finding("Table 1", "k = 10", 98, 106, 106, 106, differs="Its trees cannot be read.")
    done = outcome(evidence=Evidence([known], "They round.", bounds="Printed counts are exact."))
    write_pages([done], tmp_path)
    page = (tmp_path / "small.md").read_text()
    assert done.state == "in part"
    assert "- Its trees cannot be read." in page
    assert "0 of 1 published numbers agree" in page
    assert "Printed counts are exact." in page
