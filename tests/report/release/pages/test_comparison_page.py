from shoal.metrics import compare_tables
from shoal.report.release.pages._comparison_page import comparison_page, write_comparison
from tests.metrics.kept.people import random_tables


def test_the_page_shows_every_measure_and_every_column():
    raw, released = random_tables(0)
    found = compare_tables(raw, released)
    page = comparison_page(found, "r.csv")
    for one in found.measures:
        assert one.name in page
        assert one.shown in page
    assert page.count("<svg") == 1
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")


def test_names_are_escaped(tmp_path):
    found = compare_tables({"<b>": [1, 2]}, {"<b>": [1, 2]})
    path = write_comparison(found, tmp_path / "c.html", "<i>")
    assert "<b>" not in path.read_text()
    assert "<i>" not in path.read_text()
