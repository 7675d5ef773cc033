"""Other engines in one table: figures of a child process, or a row that says why there are none."""

import importlib.util
import sys

import pytest

from benchmarks import _engines

OURS = (2e-5, 1e-5)


@pytest.fixture
def without(monkeypatch, tmp_path):
    found = importlib.util.find_spec

    def find(name):
        return None if name in ("mpyc", "spu") else found(name)

    monkeypatch.setattr(importlib.util, "find_spec", find)
    monkeypatch.setattr(_engines, "SPU_PYTHON", tmp_path / "python")
    return tmp_path / "python"


def test_engines_that_are_not_there_are_rows_that_say_so(without):
    rows = list(_engines.rows(OURS, 10))
    assert [row.ours for row in rows] == [None, None]
    assert "mpyc is not installed" in rows[0].note
    assert "make spu" in rows[1].note


def test_figures_come_from_the_interpreter_that_has_spu(without):
    said = '{"SPU, two parties": [4e-5, 3e-5]}'
    without.write_text(f"#!{sys.executable}\nprint('brpc says something')\nprint('{said}')\n")
    without.chmod(0o755)
    _, row = _engines.rows(OURS, 10)
    assert row.peer_name == "SPU, two parties"
    assert row.ratio == pytest.approx(0.5)
    assert "10 and 30 µs" in row.note


def test_a_child_that_fails_is_a_row_that_says_so(without):
    without.write_text(f"#!{sys.executable}\nraise SystemExit(3)\n")
    without.chmod(0o755)
    _, row = _engines.rows(OURS, 10)
    assert row.ours is None
    assert "did not run" in row.note
