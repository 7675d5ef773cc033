import pytest

from shoal.errors import TableError
from shoal.report.dossier import _pdf


@pytest.mark.skipif(_pdf.find_browser() is None, reason="no Chromium or Chrome to print with")
def test_a_page_is_printed(tmp_path):
    _pdf.print_pdf("<!DOCTYPE html><title>a</title><p>b", tmp_path / "a.pdf")
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF-")
    assert [path.name for path in tmp_path.iterdir()] == ["a.pdf"]


def test_without_a_browser_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr(_pdf.shutil, "which", lambda name: None)
    with pytest.raises(TableError, match="neither is installed"):
        _pdf.print_pdf("<p>", tmp_path / "a.pdf")
    assert not list(tmp_path.iterdir())


def test_a_browser_that_fails_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(_pdf, "find_browser", lambda: "false")
    with pytest.raises(TableError, match="could not print"):
        _pdf.print_pdf("<p>", tmp_path / "a.pdf")
    assert not list(tmp_path.iterdir())
