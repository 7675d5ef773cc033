"""Walking through columns: decided in memory, written once at the end, or not at all."""

import fcntl
import os
import pty
import select
import subprocess
import sys
import termios
import time

import pytest

from shoal.cli.publish.walk._schema_walk import HELP, SchemaWalk, read_hierarchy_words
from shoal.discover import suggest_schema
from shoal.errors import ShoalError
from shoal.schema import Schema
from shoal.schema._builders import Intervals
from tests.extras import ROOT

N = 60
TABLE = {
    "patient_id": [i // 3 for i in range(N)],
    "age": [20 + i % 30 for i in range(N)],
    "cost": [round(17.31 * i + 0.17, 2) for i in range(N)],
    "illness": ["flu" if i % 3 else "gout" for i in range(N)],
}


@pytest.fixture(scope="module")
def suggestion():
    return suggest_schema(TABLE)


def walk(suggestion, *answers):
    """Answer the questions in order; what was said, and the schema."""
    left, said = list(answers), []
    found = SchemaWalk(suggestion, lambda question: left.pop(0), said.append).run()
    assert not left, "fewer questions were asked"
    return found, "\n".join(said)


def test_accepting_everything_gives_the_suggestion(suggestion):
    found, said = walk(suggestion, "", "", "", "", "y")
    assert found == suggestion.schema
    assert HELP in said
    for lines in suggestion.reasons.values():
        assert all(line in said for line in lines)


def test_roles_and_hierarchies_are_changed_and_undone(suggestion):
    found, _ = walk(
        suggestion, "i", "", "h intervals 10 20", "", "s", "u", "", "t", "u", "t", "", "y"
    )
    assert found["patient_id"].role == "identifier"
    assert found["age"].hierarchy == Intervals((10, 20))
    assert found["cost"] == suggestion.schema["cost"]  # undone
    assert found["illness"].target != suggestion.schema["illness"].target


def test_undo_goes_back_a_column_and_from_the_end(suggestion):
    found, _ = walk(suggestion, "", "u", "i", "", "", "", "", "u", "q", "", "y")
    assert found["patient_id"].role == "identifier"
    assert found["illness"].role == "quasi-identifier"
    assert found["illness"].hierarchy is not None


def test_a_number_that_finds_people_is_not_made_insensitive_by_one_key(suggestion):
    found, said = walk(suggestion, "", "", "n", "no", "", "", "y")
    assert found["cost"].role == "quasi-identifier"
    assert "never call it insensitive" in said
    found, _ = walk(suggestion, "", "", "n", "yes", "", "", "y")
    assert found["cost"].role == "insensitive"


def test_a_second_subject_takes_the_place_of_the_first(suggestion):
    found, _ = walk(suggestion, "", "p", "", "", "", "y")
    assert found.subject == "age"
    assert found["patient_id"].role == "identifier"


def test_what_cannot_be_is_said_and_nothing_changes(suggestion):
    found, said = walk(
        suggestion, "t", "h flat", "", "h intervals x", "h moon", "h intervals", "z", "", "", "",
        "what", "y",
    )  # fmt: skip
    assert found == suggestion.schema
    assert "no target" in said
    assert "only quasi-identifiers coarsen" in said
    assert "numbers are needed" in said
    assert said.count("say h flat") == 2


@pytest.mark.parametrize("answers", [("quit",), ("i", "", "quit"), ("", "", "", "", "quit")])
def test_leaving_gives_nothing(suggestion, answers):
    assert walk(suggestion, *answers)[0] is None


def test_words_become_hierarchies():
    assert read_hierarchy_words(["breaks", "18", "65.5"]) == {"breaks": [18, 65.5]}
    assert read_hierarchy_words(["ready", "countries"]) == {"ready": "countries"}
    assert read_hierarchy_words(["file", "my", "town.csv"]) == {"file": "my town.csv"}
    assert read_hierarchy_words(["dates", "year"]) == {"dates": ["year"]}
    assert read_hierarchy_words(["prefix", "1", "3"]) == {"prefix": [1, 3]}
    assert read_hierarchy_words(["equal_width", "8"]) == {"equal_width": 8}
    with pytest.raises(ShoalError):
        read_hierarchy_words([])


# -- in a terminal ----------------------------------------------------------------------------


def in_terminal(folder, *lines):
    """Run the command with a pseudo-terminal, answer each question as it comes."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "shoal", "schema", "t.csv", "-o", "s.toml", "--interactive"]
    process = subprocess.Popen(
        command, cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "TERM": "dumb"},
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # so that Ctrl-C is heard
    )  # fmt: skip
    os.close(theirs)
    said, asked, left, end = b"", 0, list(lines), time.monotonic() + 100
    while time.monotonic() < end:
        if not select.select([ours], [], [], 1)[0]:
            if process.poll() is not None:
                break
            continue
        try:
            said += os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        while said.count(b" > ") > asked and left:
            asked += 1
            os.write(ours, left.pop(0))
    os.close(ours)
    process.kill()  # only if it waits for an answer that nobody planned
    return process.wait(timeout=60), said.decode()


@pytest.fixture
def folder(tmp_path):
    rows = zip(*TABLE.values(), strict=True)
    lines = [",".join(TABLE), *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def test_a_schema_is_decided_in_a_terminal(folder):
    code, said = in_terminal(folder, b"i\n", b"\n", b"h flat\n", b"\n", b"\n", b"\n", b"y\n")
    assert code == 0, said
    schema = Schema.from_toml(folder / "s.toml")
    assert schema["patient_id"].role == "identifier"
    assert schema["age"].to_toml()["hierarchy"] == "flat"
    assert "1 of 4" in said


@pytest.mark.parametrize(
    ("last", "wanted"), [(b"\x04", 0), (b"\x03", 130)], ids=["ctrl-d", "ctrl-c"]
)
def test_leaving_a_terminal_writes_nothing(folder, last, wanted):
    code, said = in_terminal(folder, b"i\n", b"\n", last)
    assert code == wanted, said
    assert "Nothing was written." in said
    assert [path.name for path in folder.iterdir()] == ["t.csv"]
