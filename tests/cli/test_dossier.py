import json

import pytest

from shoal.report.dossier._pdf import find_browser
from tests.cli import worked_example
from tests.cli.publish.test_report import shoal

CANARY_CASES = {
    "dossier": [
        (1, ["r.csv", "--original", "people.csv"]),
        (2, ["people.csv"]),
        (2, ["r.csv", "--form", "people.csv", "--out", "other.html"]),
    ]
}
FORMAT_CASES = {"dossier": "dossier release.csv --original {table} -o {new}.html"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    worked_example.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    made = shoal("anonymize", "table.csv", "-s", "schema.toml", "-k", 3, "--out", "r.csv", "-q")
    assert made.exit_code == 0, made.output
    return tmp_path


def test_the_form_is_written_once_and_its_answers_are_read(folder):
    result = shoal("dossier", "r.csv")
    assert result.exit_code == 1, result.output  # groups of three are above 0.09
    assert "above the threshold of 0.09" in result.stdout
    assert "answer in the form, then run it again with --force" in result.stdout
    assert "not answered" in (folder / "r.dossier.html").read_text("utf-8")
    form = folder / "r.dossier.toml"
    filled = form.read_text("utf-8").replace("threshold = 0.09", "threshold = 0.34")
    form.write_text(filled.replace('recipient = ""', 'recipient = "the registry"'), "utf-8")
    both = ("--original", "table.csv", "--control", "table.csv")
    again = shoal("dossier", "r.csv", *both, "--force", "--json")
    assert again.exit_code == 0, again.output
    found = json.loads(again.stdout)
    assert (found["accepted"], found["threshold"]) == (True, 0.34)
    assert found["utility"]["n_released"] > 0
    assert [attack["baseline"] >= 0 for attack in found["attacks"]]
    assert "the registry" in (folder / "r.dossier.html").read_text("utf-8")
    assert shoal("dossier", "r.csv").exit_code == 2  # the page is there already


@pytest.mark.skipif(find_browser() is None, reason="no Chromium or Chrome to print with")
def test_the_pdf_lies_beside_the_page(folder):
    shoal("dossier", "r.csv", "--pdf")
    assert (folder / "r.dossier.pdf").read_bytes().startswith(b"%PDF-")
