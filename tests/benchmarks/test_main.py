import json

import pytest

from benchmarks import __main__ as command
from benchmarks._row import Row
from benchmarks._run import Done


@pytest.fixture
def ran(monkeypatch):
    """What the command asked for; the second of two benchmarks fails."""
    asked = []

    def run_all(names, full, limit, progress):
        asked.append((list(names), full, limit))
        progress("at work", False)
        progress("done", True)
        yield Done("one", (Row("fast", 1.0, 4.0, "them"),), 1.0)
        yield Done("two", (), 1.0, failure="broke")

    monkeypatch.setattr(command, "run_all", run_all)
    return asked


def test_quick_is_the_default_and_a_failure_shows_in_the_status(ran, tmp_path, capsys):
    out = tmp_path / "a.json"
    assert command.main(["--out", str(out)]) == 1
    names, full, limit = ran[0]
    assert "mondrian" in names
    assert (full, limit) == (False, 300)
    said = capsys.readouterr()
    assert "| one " in said.out
    assert "done" in said.err
    assert "at work" not in said.err
    assert "did not finish: two" in said.err
    assert json.loads(out.read_text("utf-8"))["full"] is False


def test_a_full_run_of_one_has_no_limit(ran, tmp_path):
    command.main(["--full", "trees", "--out", str(tmp_path / "a.json")])
    assert ran == [(["trees"], True, None)]


def test_an_unknown_name_is_refused(ran, capsys):
    with pytest.raises(SystemExit):
        command.main(["nothing"])
    assert "no benchmark nothing; there are attacks" in capsys.readouterr().err
    assert ran == []


def test_two_results_are_compared(ran, tmp_path, capsys):
    for name in "ab":
        command.main(["--out", str(tmp_path / f"{name}.json")])
    capsys.readouterr()
    assert command.main(["compare", str(tmp_path / "a.json"), str(tmp_path / "b.json")]) == 0
    assert "| 1              |" in capsys.readouterr().out
