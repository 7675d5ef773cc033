"""Somebody who follows docs/development/extend.md to the letter gets what it promises.

The page is followed in a copy of the project: files are written, changes made, commands run.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
from collections import Counter

import pytest

from tests.docs.pages import ROOT, read_blocks, shows
from tests.extras import need

for package in ("pandas", "polars", "pyarrow", "cryptography"):
    need(package)

PAGE = (ROOT / "docs" / "development" / "extend.md").read_text("utf-8")
RECIPES = dict(
    part.split("\n", 1) for part in re.split(r"^## ", PAGE, flags=re.MULTILINE) if "```" in part
)
TESTS = {
    "A privacy model": {
        "tests/contracts/test_privacy_models.py": "AdditiveGain or registered",
        "tests/contracts/test_models_in_releases.py": "AdditiveGain and mondrian or covered",
    },
    "A method": {
        "tests/contracts/test_models_in_releases.py": "datafly or covered",
        "tests/anonymize/test_registry.py": "every",
    },
    "A file format": {
        "tests/contracts/test_file_formats.py": "metrics or check or tried",
        "tests/tables/engines/formats/test_formats.py": "refused",
    },
    "An adapter": {"tests/contracts/test_adapters.py": "NaiveBayes or left_out"},
    "A command": {
        "tests/contracts/test_canary_commands.py": "columns or covered",
        "tests/contracts/test_file_formats.py": "columns or tried",
        "tests/cli/test_group.py": "columns or every_file",
    },
}
"""Suites that find what a recipe adds, and which of their cases are run for it."""
# hashes run over; compiled code does not mind
OPTIONS = ["-p", "no:cacheprovider", "-W", "ignore:overflow encountered:RuntimeWarning"]
SCHEMA = """
columns.age = {role = "quasi-identifier", kind = "numeric", hierarchy = {intervals = [10, 20, 40]}}
columns.sex = {role = "quasi-identifier", hierarchy = "flat"}
columns.illness = {role = "sensitive"}
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the project, with all recipes followed, and tables to try them on."""
    folder = tmp_path_factory.mktemp("copy")
    for name in ("src", "tests", "reproduce"):  # with bytecode: most files stay as they are
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "pyproject.toml", folder)
    for block in read_blocks(PAGE):
        if block.title is not None:
            path = folder / block.title
            if block.language == "diff":
                path.write_text(changed(path.read_text("utf-8"), block.code), "utf-8")
            else:
                assert not path.exists(), f"{block.title} is there already"
                path.write_text(block.code, "utf-8")
    write_people(folder)
    return folder


def write_people(folder):
    people = [(20 + 7 * i % 40, "fm"[i % 2], ("flu", "cold", "gout")[i % 3]) for i in range(240)]
    rows = "\n".join(f"{age},{sex},{illness}" for age, sex, illness in people)
    (folder / "people.csv").write_text(f"age,sex,illness\n{rows}\n")
    columns = [list(column) for column in zip(*people, strict=True)]
    table = need("pyarrow").table(columns, names=["age", "sex", "illness"])
    need("pyarrow.orc").write_table(table, folder / "people.orc")
    (folder / "people.toml").write_text(SCHEMA)


def changed(text, change):
    """A file after a change: lines with + go right behind the lines shown before them."""
    shown, place = [], None
    for line in change.splitlines():
        mark, content = line[:1], line[1:]
        if mark == "+":
            assert place is not None, f"where does this go? {line}"
            text = text[:place] + content + "\n" + text[place:]
            place += len(content) + 1
            shown = []
            continue
        shown = [*shown, content + "\n"] if mark == " " else [content + "\n"]
        joined = "".join(shown)
        assert text.count(joined) > 0, f"not in the file: {joined}"
        place = text.index(joined) + len(joined)
        if mark == "-":
            text, place = text.replace(joined, "", 1), place - len(joined)
    return text


def run(folder, *words):
    # nothing is compiled: in a copy every kernel would be new, and compiling takes minutes
    environment = {**os.environ, "PYTHONPATH": str(folder / "src"), "NUMBA_DISABLE_JIT": "1"}
    environment |= {"COLUMNS": "160", "SHOAL_CACHE": str(folder / "cache")}
    return subprocess.run(
        [sys.executable, "-m", *words],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


def run_tests(folder, *words):
    return run(folder, "pytest", *OPTIONS, *words)


def test_the_page_has_five_recipes_of_two_files_and_one_change():
    assert set(RECIPES) == set(TESTS)
    for recipe, text in RECIPES.items():
        blocks = [block for block in read_blocks(text) if block.title is not None]
        kinds = sorted(block.title.split("/")[0] + " " + block.language for block in blocks)
        assert kinds == ["src diff", "src python", "tests python"], recipe


@pytest.mark.parametrize("recipe", RECIPES)
def test_what_is_added_works_as_the_page_shows(copy, recipe):
    for block in read_blocks(RECIPES[recipe]):
        if block.language == "console":
            for command in block.code.split("$ ")[1:]:
                line, expected = command.split("\n", 1)
                done = run(copy, *line.split())
                assert done.returncode == 0, done.stdout + done.stderr
                assert shows(expected, done.stdout), f"{line} prints otherwise:\n{done.stdout}"


CHOSEN = [(recipe, suite) for recipe, suites in TESTS.items() for suite in suites]
OWN = [str(b.title) for b in read_blocks(PAGE) if str(b.title).startswith("tests/")]
COUNTED = [*sorted({suite for _, suite in CHOSEN if "contracts" in suite}), "--co"]
RUN_CHOSEN = """
import gc, pytest
codes = []
for arguments in CHOSEN:
    codes.append(int(pytest.main([*OPTIONS, *arguments])))
    gc.freeze()  # pytest looks for garbage ten times as it ends: in what came since the last time
print(codes)
"""


@pytest.fixture(scope="module")
def ended(copy):
    """How each suite ended: all are run by one process, which loads libraries once."""
    arguments = [[suite, "-k", TESTS[recipe][suite]] for recipe, suite in CHOSEN]
    arguments += [[*OWN, "tests/contracts/test_mirror.py"], COUNTED]
    code = RUN_CHOSEN.replace("OPTIONS", repr(OPTIONS)).replace("CHOSEN", repr(arguments))
    (copy / "run_chosen.py").write_text(code)
    done = run(copy, "run_chosen")
    codes = ast.literal_eval(done.stdout.strip().splitlines()[-1])
    return dict(zip([*CHOSEN, "own", "counted"], codes, strict=True)), done.stdout


@pytest.mark.parametrize(("recipe", "suite"), CHOSEN)
def test_the_contract_suites_find_it(ended, recipe, suite):
    codes, said = ended
    assert codes[recipe, suite] == 0, said


def test_their_own_tests_pass(ended):
    codes, said = ended
    assert codes["own"] == 0, said


def test_more_cases_are_found_than_before(ended, request):
    after = n_collected(ended[1])
    # whoever runs all tests has collected these: another process would import all of it again
    files = Counter(item.nodeid.partition("::")[0] for item in request.session.items)
    if all(suite in files for suite in COUNTED[:-1]):
        before = sum(files[suite] for suite in COUNTED[:-1])
    else:
        before = n_collected(run_tests(ROOT, *COUNTED).stdout)
    # a privacy model alone is tried in 8 ways, and a method with some 20 models
    assert after > before + 30


def n_collected(said):
    return int(re.findall(r"(\d+) tests? collected", said)[0])


def test_what_the_page_adds_is_clean(copy):
    paths = [block.title for block in read_blocks(PAGE) if block.title is not None]
    for words in (["check"], ["format", "--check"]):
        done = run(copy, "ruff", *words, *paths)
        assert done.returncode == 0, done.stdout + done.stderr


def test_a_change_that_does_not_fit_is_found():
    assert changed("a\nb\nc\n", " b\n+x\n+y\n") == "a\nb\nx\ny\nc\n"
    assert changed("a\nb\nc\n", "-b\n+x\n") == "a\nx\nc\n"
    with pytest.raises(AssertionError, match="not in the file"):
        changed("a\n", " z\n+x\n")
