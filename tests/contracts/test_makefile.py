"""What the Makefile names is there: a name that matches nothing would be run by nobody."""

import re

import pytest

from tests.extras import ROOT

TEXT = (ROOT / "Makefile").read_text("utf-8")


def words(name):
    return re.findall(rf"^{name} := (.+)$", TEXT, re.MULTILINE)[0].split()


@pytest.mark.parametrize("name", words("CORE_COMMANDS"))
def test_commands_of_the_second_environment_have_tests(name):
    assert [*(ROOT / "tests" / "cli").glob(f"test_{name}.py")] or [
        *(ROOT / "tests" / "cli").glob(f"*/test_{name}.py")
    ]


@pytest.mark.parametrize("name", words("CORE_PACKAGES"))
def test_packages_of_the_second_environment_have_tests(name):
    assert [*(ROOT / "tests" / name).rglob("test_*.py")]


def test_files_that_it_names_are_there():
    named = set(re.findall(r"\btests/[\w/]+\.py", TEXT)) | {".ci/install"}
    assert len(named) > 4
    assert [name for name in named if not (ROOT / name).is_file()] == []
