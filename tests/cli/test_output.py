import json
from dataclasses import dataclass

import numpy as np

from shoal.cli._output import Output, to_json


@dataclass(frozen=True)
class Result:
    size: np.int64

    def to_dict(self):
        return {"size": self.size}


def test_json_is_strict_and_takes_numpy_and_results():
    data = {
        "nan": float("nan"),
        "array": np.arange(3),
        "flag": np.bool_(True),
        "result": Result(np.int64(3)),
        "inf": np.float64("inf"),
        1: {"deep": (1, 2)},
    }
    assert json.loads(to_json(data)) == {
        "nan": None,
        "array": [0, 1, 2],
        "flag": True,
        "result": {"size": 3},
        "inf": None,
        "1": {"deep": [1, 2]},
    }


def test_tables_are_for_people_only(capsys):
    rows = [["a[0]", 1234567, 0.5, None, True]]
    Output().table("title", ["name", "n", "share", "none", "yes"], rows)
    shown = capsys.readouterr().out
    assert "a[0]" in shown
    assert "1,234,567" in shown
    Output(json=True).table("title", ["name", "n", "share", "none", "yes"], rows)
    Output(quiet=True).note("nothing")
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""


def test_emit_writes_one_of_two(capsys):
    shown = []
    Output(json=True).emit({"a": 1}, lambda: shown.append(1))
    assert json.loads(capsys.readouterr().out) == {"a": 1}
    assert not shown
    Output().emit({"a": 1}, lambda: shown.append(1))
    assert shown == [1]
    Output(quiet=True).emit({"a": 1}, lambda: shown.append(1))
    assert shown == [1]


def test_the_title_of_a_narrow_table_stands_on_one_line(capsys):
    Output().table("A title that is wider than its table", ["a"], [[1]])
    assert "A title that is wider than its table" in capsys.readouterr().out.splitlines()


def test_what_steers_a_terminal_is_written_out(capsys):
    evil = "x\x1b[2JSafe\x9b8m\u202e\r"
    shown = Output()
    shown.print(evil)
    shown.note(evil)
    shown.table(evil, [evil], [[evil], ["Łódź,\tone\nline"]])
    said = "".join(capsys.readouterr())
    assert not set(said) & {*"\x1b\x9b\u202e\r"}
    assert said.count(r"x\x1b") == 5
    assert "Łódź" in said
    Output(json=True).emit({"evil": evil})
    told = capsys.readouterr().out
    assert "\x9b" not in told
    assert json.loads(told) == {"evil": evil}
