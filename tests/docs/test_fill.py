"""Numbers on pages equal those in the evidence files."""

import importlib.util
import json

import pytest

from tests.docs.pages import ROOT

_spec = importlib.util.spec_from_file_location("fill", ROOT / "docs" / "fill.py")
fill = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(fill)

SPEED = {
    "rows": [
        {"bench": "trees", "what": "ID3, k = 10", "ratio": 0.8312},
        {"bench": "trees", "what": "C4.5", "ratio": 0.9},
    ],
    "machine": "2 cores",
}
RIGHT = "<!-- evidence: speed.json rows[bench=trees][what=C4.5].ratio as .2f -->0.90<!-- / -->"
FIRST = "| <!-- evidence: speed.json rows[what=ID3, k = 10].ratio as .1% -->0<!-- / --> |"


@pytest.fixture
def folder(tmp_path):
    # neither condition of RIGHT picks one entry by itself
    rows = [*SPEED["rows"], {"bench": "sites", "what": "C4.5", "ratio": 7}]
    (tmp_path / "speed.json").write_text(json.dumps(SPEED | {"rows": rows}))
    return tmp_path


@pytest.mark.parametrize("page", list(fill.pages()), ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_says_what_the_evidence_says(page):
    text = page.read_text("utf-8")
    assert fill.fill(text, ROOT / "docs" / "evidence") == text, "run python docs/fill.py"


def test_a_number_is_taken_from_the_file(folder):
    assert fill.fill(RIGHT, folder) == RIGHT
    assert "83.1%" in fill.fill(FIRST, folder)
    place = "<!-- evidence: speed.json machine -->?<!-- / -->"
    assert fill.fill(place, folder) == place.replace("?", "2 cores")
    assert ">0.8312<" in fill.fill("<!-- evidence: speed.json rows[0].ratio --><!-- / -->", folder)


def test_a_number_that_differs_is_found_and_mended(tmp_path, monkeypatch):
    (tmp_path / "docs" / "evidence").mkdir(parents=True)
    (tmp_path / "docs" / "evidence" / "speed.json").write_text(json.dumps(SPEED))
    (tmp_path / "README.md").write_text(FIRST)
    monkeypatch.setattr(fill, "ROOT", tmp_path)
    assert fill.main(["--check"]) == 1
    assert (tmp_path / "README.md").read_text() == FIRST
    assert fill.main([]) == 0
    assert fill.main(["--check"]) == 0
    assert "83.1%" in (tmp_path / "README.md").read_text()


PLACES = ["rows[what=none].ratio", "rows[what=C4.5].ratio", "rows[9].ratio", "nothing", "machine.a"]


@pytest.mark.parametrize("place", PLACES)
def test_a_place_that_is_not_there_is_an_error(folder, place):
    with pytest.raises(KeyError, match="nothing at"):
        fill.fill(f"<!-- evidence: speed.json {place} -->1<!-- / -->", folder)
