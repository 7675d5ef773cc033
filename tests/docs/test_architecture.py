"""The page on the architecture is true: its links lead to files, its layers are the contract's."""

import re
import tomllib

import pytest

from tests.contracts import test_trace, trace
from tests.docs.pages import ROOT

PAGES = sorted((ROOT / "docs" / "development").glob("*.md"))
TEXT = (ROOT / "docs" / "development" / "architecture.md").read_text("utf-8")


def block(name):
    (text,) = re.findall(rf"<!-- {name} -->\n(.*?)<!-- end -->", TEXT, re.DOTALL)
    return text


def test_the_layers_on_the_page_are_the_contract():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contract = settings["tool"]["importlinter"]["contracts"][0]
    assert contract["type"] == "layers"
    wanted = [set(re.findall(r"\w+", layer)) for layer in contract["layers"]]
    lines = re.findall(r"^ {0,3}(\w+(?: · \w+)*)(?:  |$)", block("layers"), re.MULTILINE)
    assert [set(line.split(" · ")) for line in lines] == wanted


def test_every_package_has_its_place():
    packages = {path.parent.name for path in (ROOT / "src" / "shoal").glob("*/__init__.py")}
    assert packages <= set(re.findall(r"\w+", block("layers")))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_link_to_a_source_leads_to_the_file_that_it_names(page):
    links = re.findall(r"\[`([^`]+)`\]\(([^)#]+)\)", page.read_text("utf-8"))
    assert links
    for text, target in links:
        path = (page.parent / target).resolve()
        assert path.is_file(), target
        if text.endswith((".py", ".md")):
            assert str(path).endswith(f"/{text}"), (text, target)
        elif path.suffix == ".py" and "/" not in text:
            assert text.split(".")[-1] in path.read_text("utf-8"), (text, target)


def test_the_trace_is_of_the_command_on_the_page():
    assert f"`shoal {' '.join(trace.COMMAND)}`" in TEXT


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    return trace.trace_command(tmp_path_factory.mktemp("trace"))


def test_the_size_of_the_trace_is_as_written(calls):
    measured, limit = (
        tuple(map(int, found))
        for found in re.findall(r"(\d+)(?: functions)? in (\d+)(?: files|\.)", block("trace"))
    )
    assert limit == (test_trace.MOST_FUNCTIONS, test_trace.MOST_FILES)
    # a few more are met when kernels have to be compiled; a page that is far off is out of date
    assert abs(measured[0] - sum(map(len, calls.values()))) <= 10
    assert abs(measured[1] - len(calls)) <= 2


def test_files_of_the_life_of_a_csv_are_met_by_it(calls):
    life = TEXT.split("## The life of a CSV")[1].split("## The life of a model")[0]
    named = re.findall(r"\]\(\.\./\.\./src/shoal/([^)]+)\)", life)
    # kernels that kernels call are not seen, and a list has no functions
    silent = {"cli/_commands.py", "privacy/compiled/_condition_kernels.py"}
    assert [path for path in named if path not in calls and path not in silent] == []
