"""A state file continues the run it belongs to, and no other."""

import json

import numpy as np
import pytest

from shoal.cli.together._state_file import StateFile, part_content
from shoal.errors import ParameterError, TableError
from shoal.parties import make_keys
from shoal.secure import TablePart
from shoal.secure.miners._progress import Progress

DONE = Progress([[0], [-1, -2]], "ab" * 16, lost=("north",))


@pytest.fixture
def state(tmp_path):
    key, _, _ = make_keys("alice", tmp_path)
    return StateFile(tmp_path / "run.json", key)


def part(codes=((0, 1), (1, 0)), names=("a", "b"), values=("x", "y"), split="rows"):
    return TablePart(list(names), [list(values)] * 2, np.array(codes), split)


def test_rounds_come_back_for_the_same_contents(state):
    contents = {"set of parameters": b"depth 3", "table": part_content(part())}
    assert state.load(contents) is None
    state.store(DONE, contents)
    assert state.load(contents) == DONE
    assert state.load({"table": contents["table"]}) == DONE


@pytest.mark.parametrize(
    "other",
    [
        part(((0, 1), (1, 1))),
        part(((1, 0), (0, 1))),  # the same rows in another order
        part(((0, 1), (1, 0), (1, 0))),
        part(((0, 1),)),
        part(names=("a", "c")),
        part(values=("x", "z")),
        part(split="cells"),
    ],
)
def test_any_other_table_is_refused(state, other):
    state.store(DONE, {"table": part_content(part())})
    with pytest.raises(ParameterError, match=r"another table\. .*start anew"):
        state.load({"table": part_content(other)})


def test_what_binds_the_file_tells_nothing_without_the_key(state, tmp_path):
    contents = {"table": part_content(part())}
    state.store(DONE, contents)
    first = json.loads(state.path.read_text())["bound"]["table"]
    other_key, _, _ = make_keys("bob", tmp_path)
    stranger = StateFile(state.path, other_key)
    with pytest.raises(ParameterError, match="another table"):
        stranger.load(contents)  # who guesses the table, but has not the key, is told the same
    state.store(Progress(DONE.rounds, "cd" * 16), contents)
    assert json.loads(state.path.read_text())["bound"]["table"] != first  # nor are two runs linked


@pytest.mark.parametrize(
    "text",
    ["", "nonsense", "[]", "7", "{}", '{"version": 2}', '{"version": 3}',
     '{"version": 3, "rounds": 7}',
     '{"version": 3, "rounds": [["x"]], "run": "", "bound": {}}',
     '{"version": 3, "rounds": [], "run": "", "bound": 7}', "\x00\x01", "[" * 99_999,
     '{"version": 3, "rounds": [[Infinity]], "run": "", "bound": {}}',
     '{"version": 3, "rounds": [], "run": "\\ud800", "bound": {"table": "\\u00e9\\ud800"}}'],
)  # fmt: skip
def test_another_file_is_an_error_that_says_so(state, text):
    state.path.write_text(text)
    with pytest.raises((TableError, ParameterError), match="start anew"):
        state.load({"table": b""})
