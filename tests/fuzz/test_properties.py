import re
import subprocess

import pytest

from tests.fuzz import properties as fuzz

# The file lies outside `tests/`, so that no conftest asks for chance: where the variable CI is set,
# Hypothesis takes no seed unless the test says so itself.
FAILS = """
from hypothesis import Phase, given, settings, strategies as st

@settings(
    database=None, derandomize=False, report_multiple_bugs=False, phases=(Phase.generate,)
)
@given(st.integers(0, 10**9))
def test_nothing_is_large(n):
    assert n < 1000
"""


@pytest.fixture
def failing(tmp_path):
    path = tmp_path / "test_large.py"
    path.write_text(FAILS)
    return str(path)


def drawn(output):
    return re.findall(r"n=(\d+)", output)[-1]


def test_a_seed_fixes_the_examples_and_others_draw_others(failing):
    first, again, *others = (fuzz.run_round(seed, [failing], 60) for seed in (5, 5, 6, 7, 8))
    assert len(fuzz.failed_tests(first)) == 1
    assert drawn(first) == drawn(again)
    # Hypothesis likes some constants, so that two seeds may meet in one; four do not.
    assert len({drawn(output) for output in (first, *others)}) > 1


def test_a_failure_comes_with_the_line_that_repeats_it(failing, monkeypatch, capsys):
    ticks = iter([0.0, 0.0, 100.0])
    monkeypatch.setattr(fuzz.time, "monotonic", lambda: next(ticks))
    assert fuzz.main(["--minutes", "1", "--seed", "11", failing]) == 1
    said = capsys.readouterr().out
    (line,) = re.findall(r"^  (SHOAL_FUZZ=1 .*)$", said, re.MULTILINE)
    assert "--hypothesis-seed=11" in line
    again = subprocess.run(
        line.replace(".venv/bin/python", fuzz.sys.executable),
        shell=True, cwd=fuzz.ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert drawn(again.stdout) == drawn(said)


def test_every_property_test_is_fuzzed():
    files = fuzz.property_tests()
    assert "tests/discover/covers/test_hitting.py" in files
    assert len(files) >= 50
