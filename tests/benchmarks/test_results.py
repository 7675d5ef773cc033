import json

import pytest

from benchmarks import _results
from benchmarks._results import default_path, read, results, write
from benchmarks._row import Row
from benchmarks._run import Done


def test_results_say_what_was_measured_where(tmp_path):
    path = tmp_path / "new" / "a.json"
    write(path, results([Done("a", (Row("fast", 1.0, 4.0, "them"),), 2.0, 100.0)], full=True))
    found = read(path)
    assert found["full"] is True
    assert found["machine"]["cores"] >= 1
    assert found["machine"]["python"]
    assert found["versions"]["numpy"]
    assert found["date"].endswith("+00:00")
    [benchmark] = found["benchmarks"]
    assert (benchmark["name"], benchmark["megabytes"], benchmark["failure"]) == ("a", 100.0, "")
    assert benchmark["rows"][0]["ratio"] == 0.25


def test_the_file_is_named_after_the_commit(monkeypatch):
    monkeypatch.setattr(_results, "commit", lambda: "abc")
    assert default_path(False, []).name == "abc.json"
    assert default_path(True, ["trees"]).name == "abc-full-trees.json"
    assert default_path(False, []).parent.name == "results"


def test_a_folder_without_git_has_an_unknown_commit(monkeypatch, tmp_path):
    monkeypatch.setattr(_results, "HERE", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert _results.commit() == "unknown"


@pytest.mark.parametrize("text", ["{", json.dumps([1]), json.dumps({"shoal": "release"})])
def test_other_files_are_refused(tmp_path, text):
    path = tmp_path / "a.json"
    path.write_text(text, "utf-8")
    with pytest.raises(SystemExit, match=r"a\.json"):
        read(path)
