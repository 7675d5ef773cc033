"""Where the tests are: beside what they test."""

from pathlib import Path

from tests.extras import ROOT
from tests.order import ASK_SPARK, FIRST, LONGEST, SPARK

ELSEWHERE = {
    "benchmarks",
    "contracts",
    "docs",
    "files",
    "fuzz",
    "judge",
    "papers",
    "recorder",
    "reference",
}
"""Tests of more than one source file, or of none: each folder says in itself what it is for."""


def _home(test: Path) -> Path:
    """The folder of the sources that a test file speaks of."""
    folder = test.parent.relative_to(ROOT / "tests")
    top = ROOT if folder.parts[:1] == ("reproduce",) else ROOT / "src" / "shoal"
    return top / folder


def test_every_test_file_mirrors_a_source_file():
    lost = []
    for test in sorted((ROOT / "tests").rglob("test_*.py")):
        parts = test.relative_to(ROOT / "tests").parts
        if parts[0] in ELSEWHERE or len(parts) == 1:
            continue
        # test_tree_guarantee.py is a second file on _tree.py: an aspect behind the name
        name = test.stem.removeprefix("test_")
        sources = [path.stem.lstrip("_") for path in _home(test).glob("*.py")]
        if not any(name == source or name.startswith(source + "_") for source in sources if source):
            lost.append("/".join(parts))
    assert not lost


def test_no_package_has_more_modules_than_a_reader_can_hold():
    crowded = {}
    for folder in (ROOT / "src" / "shoal").rglob("__init__.py"):
        modules = len(list(folder.parent.glob("*.py"))) - 1
        if modules > 18:
            crowded[folder.parent.name] = modules
    assert not crowded


def test_files_that_are_begun_first_are_there():
    assert [name for name in (*FIRST, *LONGEST, *ASK_SPARK) if not (ROOT / name).is_file()] == []
    assert SPARK in LONGEST


def test_every_room_says_what_belongs_in_it():
    silent = [
        str(folder.parent.relative_to(ROOT))
        for folder in (ROOT / "src" / "shoal").rglob("__init__.py")
        if not folder.read_text().startswith('"""')
    ]
    assert not silent
