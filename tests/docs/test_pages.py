"""Every Python block of the README and of the documentation runs, page by page."""

import re
from pathlib import Path

import pytest

from shoal.datasets import DataNotFoundError
from shoal.errors import MissingExtraError

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks(page):
    content = page.read_text("utf-8")
    return [
        (content.count("\n", 0, found.start()) + 1, found.group(1))
        for found in BLOCK.finditer(content)
    ]


WITH_CODE = [page for page in PAGES if blocks(page)]


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_code_on_the_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHOAL_CACHE", str(tmp_path / "cache"))
    names = {"__name__": "__page__"}
    for line, code in blocks(page):
        try:
            exec(compile("\n" * line + code, str(page), "exec"), names)
        except (DataNotFoundError, MissingExtraError) as error:
            pytest.skip(f"{page.name}, line {line}: {error}")


def test_the_readme_has_code():
    assert ROOT / "README.md" in WITH_CODE


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        if "://" not in target and not target.startswith("mailto:"):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
