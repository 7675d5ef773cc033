"""Every Python and shell block of the README and of the documentation runs, page by page."""

import json
import re

import pytest

from reproduce import EXPERIMENTS
from shoal.errors import DataNotFoundError, MissingExtraError
from tests.docs.pages import ROOT, Walk, read_blocks, shows

PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
PAGES = [page for page in PAGES if page.parent.name != "blocks"]  # parts that pages are filled with
WITH_CODE = [p for p in PAGES if any(block.runs for block in read_blocks(p.read_text("utf-8")))]
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_code_on_the_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHOAL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "100")
    walk = Walk(page.name, monkeypatch)
    try:
        for block in read_blocks(page.read_text("utf-8")):
            try:
                walk.run(block)
            except (DataNotFoundError, MissingExtraError) as error:
                pytest.skip(f"{page.name}, line {block.line}: {error}")
    finally:
        walk.finish()


def test_the_readme_has_code():
    assert ROOT / "README.md" in WITH_CODE


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_shoal_command_of_a_tutorial_stands_where_it_is_run(page):
    for block in read_blocks(page.read_text("utf-8")):
        command = any(line.startswith("shoal ") for line in block.code.splitlines())
        assert not command or block.language == "sh", f"line {block.line} would never be run"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        if "://" not in target and not target.startswith("mailto:"):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_readme_leads_to_a_full_run_of_every_experiment():
    readme = (ROOT / "README.md").read_text("utf-8")
    for name in EXPERIMENTS:
        assert f"[{name}](docs/evidence/{name}.md)" in readme
        said = json.loads((ROOT / "docs" / "evidence" / f"{name}.json").read_text("utf-8"))
        assert not said["quick"]
        assert said["state"] in ("reproduced", "in part")


def test_every_work_cited_in_a_docstring_is_in_the_references():
    cited = set()
    for path in (ROOT / "src").rglob("*.py"):
        cited |= set(re.findall(r"^ *\.\. \[(\w+)\] [A-Z]", path.read_text("utf-8"), re.MULTILINE))
    listed = (ROOT / "docs" / "references.md").read_text("utf-8")
    assert len(cited) > 30
    assert sorted(tag for tag in cited if tag not in listed) == []


# -- the walker itself: what a page gets wrong is found -------------------------------------------


@pytest.fixture
def walk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Walk("page", monkeypatch)


def do(walk, text):
    for block in read_blocks(text):
        walk.run(block)


def test_output_may_leave_things_out_but_not_differ():
    assert shows("a ... d\n", "a  b\n c d")
    assert shows("1,234 rows", "1,234   rows\n")
    assert not shows("a b", "a b c")
    assert not shows("a ... c", "a b")


def test_output_that_differs_is_found(walk):
    do(walk, "```python\nprint(1 + 1)\n```\n\n```output\n2\n```\n")
    with pytest.raises(AssertionError, match="prints otherwise"):
        do(walk, "```python\nprint(1 + 1)\n```\n```output\n3\n```\n")


def test_output_of_nothing_is_refused():
    with pytest.raises(AssertionError, match="follows no block"):
        read_blocks("```python\n1\n```\nand then\n```output\n1\n```\n")


def test_a_command_that_fails_is_found(walk):
    with pytest.raises(AssertionError, match="exit code 2"):
        do(walk, "```sh\nshoal check nothing.csv -s nothing.toml -k 2\n```\n")
    do(walk, "```sh\nshoal check nothing.csv -s nothing.toml -k 2  # exit code 2\n```\n")


def test_a_command_that_should_fail_and_does_not_is_found(walk):
    with pytest.raises(AssertionError, match="exit code 0"):
        do(walk, "```sh\nshoal version  # exit code 1\n```\n")


def test_files_shown_on_the_page_are_there(walk):
    do(walk, '```toml title="a.toml"\nx = 1\n```\n```sh\ncat a.toml\n```\n```output\nx = 1\n```\n')


def test_what_is_left_running_is_found(walk):
    do(walk, "```sh\nshoal version &\n```\n")
    with pytest.raises(AssertionError, match="does not wait"):
        walk.finish()


def test_background_commands_are_waited_for(walk):
    commands = "```sh\nshoal version &\nshoal version &\nwait\n```\n"
    do(walk, commands + "```output\n... shoal ... shoal ...\n```\n")
    walk.finish()
