import json

from benchmarks._publish import publish
from benchmarks._results import results
from benchmarks._row import Row
from benchmarks._run import Done


def test_the_last_result_of_each_benchmark_is_published(tmp_path):
    old = results([Done("a", (Row("fast", 9.0, 3.0, "them"),), 2.0)], full=False)
    old["benchmarks"] += results([Done("b", (Row("small", 1.0),), 2.0)], full=False)["benchmarks"]
    new = results([Done("a", (Row("fast", 1.0, 4.0, "them"),), 2.0)], full=True)
    publish([old, new], tmp_path / "evidence")
    rows = json.loads((tmp_path / "evidence" / "speed.json").read_text())["rows"]
    assert [(row["bench"], row["ratio"], row["full"]) for row in rows] == [
        ("a", 0.25, True),
        ("b", None, False),
    ]
    page = (tmp_path / "evidence" / "speed.md").read_text()
    assert "`python -m benchmarks --full a`" in page
    assert "`python -m benchmarks b`" in page
    assert "0.25" in page
    assert " 3 " not in page.split("## a")[1].split("## b")[0]


def test_what_is_not_measured_anew_stays_on_the_page(tmp_path):
    old = results([Done(name, (Row("fast", 9.0, 3.0, "them"),), 2.0) for name in "ab"], full=True)
    publish([old], tmp_path)
    before = (tmp_path / "speed.md").read_text().split("## b")[1]
    publish([results([Done("a", (Row("fast", 1.0, 4.0, "them"),), 2.0)], full=False)], tmp_path)
    page = (tmp_path / "speed.md").read_text()
    assert page.split("## b")[1] == before
    assert "`python -m benchmarks a`" in page
    assert "0.25" in page


def test_a_benchmark_that_did_not_finish_says_so(tmp_path):
    publish([results([Done("a", (), 2.0, failure="killed")], full=True)], tmp_path)
    assert "Did not finish: killed" in (tmp_path / "speed.md").read_text()


def test_the_page_says_what_a_benchmark_measures(tmp_path):
    publish([results([Done("trees", (Row("fast", 1.0),), 2.0)], full=False)], tmp_path)
    said = "Trees beside scikit-learn's on the one-hot table. `python -m benchmarks trees`"
    assert said in (tmp_path / "speed.md").read_text()
