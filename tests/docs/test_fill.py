"""Numbers on pages equal those in the evidence files."""

import importlib.util
import json
import re

import pytest

from tests.docs.pages import ROOT
from tests.extras import need

need("jinja2")
_spec = importlib.util.spec_from_file_location("fill", ROOT / "docs" / "fill.py")
fill = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(fill)

ROWS = [
    {"bench": "trees", "what": "ID3, k = 10", "ratio": 0.8312},
    {"bench": "trees", "what": "C4.5", "ratio": 0.9},
    {"bench": "sites", "what": "C4.5", "ratio": 7},  # neither condition alone picks one entry
]
PAGE = "Before.\n\n<!-- generated: block -->\n{}\n<!-- end -->\n\nAfter.\n"


@pytest.fixture
def page(tmp_path):
    """A function that renders a page with one block made from a template."""
    for name in ("evidence", "blocks"):
        (tmp_path / "docs" / name).mkdir(parents=True)
    data = json.dumps({"rows": ROWS, "machine": "2 cores"})
    (tmp_path / "docs" / "evidence" / "speed.json").write_text(data)

    def render(place, form="", shown="old"):
        template = f"value {{{{ evidence('speed.json', {place!r}, {form!r}) }}}}\n"
        (tmp_path / "docs" / "blocks" / "block.md").write_text(template)
        return fill.fill(PAGE.format(shown), tmp_path / "docs")

    return render


@pytest.mark.parametrize("path", list(fill.pages()), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_page_says_what_the_evidence_says(path):
    text = path.read_text("utf-8")
    assert fill.fill(text, ROOT / "docs") == text, "run python docs/fill.py"


def test_every_block_is_on_a_page_and_every_page_has_its_blocks():
    used = {name for path in fill.pages() for name in _names(path.read_text("utf-8"))}
    assert used == {path.stem for path in (ROOT / "docs" / "blocks").glob("*.md")}
    assert len(used) >= 4


def _names(text):
    return re.findall(r"<!-- generated: ([\w-]+) -->", text)


@pytest.mark.parametrize(
    ("place", "form", "shown"),
    [
        ("rows[bench=trees][what=C4.5].ratio", ".2f", "0.90"),
        ("rows[what=ID3, k = 10].ratio", ".1%", "83.1%"),
        ("rows[0].ratio", "", "0.8312"),
        ("machine", "", "2 cores"),
    ],
)
def test_a_number_is_taken_from_the_file(page, place, form, shown):
    assert page(place, form) == PAGE.format(f"value {shown}")


def test_a_number_that_differs_is_found_and_mended(page, tmp_path, monkeypatch):
    page("rows[0].ratio", ".1%")
    (tmp_path / "README.md").write_text(PAGE.format("old"))
    monkeypatch.setattr(fill, "ROOT", tmp_path)
    assert fill.main(["--check"]) == 1
    assert (tmp_path / "README.md").read_text() == PAGE.format("old")
    assert fill.main([]) == 0
    assert fill.main(["--check"]) == 0
    assert "83.1%" in (tmp_path / "README.md").read_text()


PLACES = ["rows[what=none].ratio", "rows[what=C4.5].ratio", "rows[9].ratio", "nothing", "machine.a"]


@pytest.mark.parametrize("place", PLACES)
def test_a_place_that_is_not_there_is_an_error(page, place):
    with pytest.raises(KeyError, match="nothing at"):
        page(place)
