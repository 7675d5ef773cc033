"""A page as PDF, printed by a browser that is already installed."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from shoal._atomic import atomic_path
from shoal.errors import TableError

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_SECONDS = 120


def find_browser() -> str | None:
    """The browser that prints; None where there is none."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


def print_pdf(html: str, path: Path) -> None:
    """Write the page as PDF, whole or not at all."""
    browser = find_browser()
    if browser is None:
        raise TableError(
            "a PDF is printed by Chromium or Chrome, and neither is installed. Open the page in "
            "any browser and print it there."
        )
    with tempfile.TemporaryDirectory() as folder, atomic_path(path) as draft:
        page, printed = Path(folder) / "page.html", Path(folder) / "page.pdf"
        page.write_text(html, "utf-8")
        # the page is our own and loads nothing; without a sandbox it prints in containers, too
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]
        command += [f"--user-data-dir={folder}/profile", "--no-pdf-header-footer"]
        command += [f"--print-to-pdf={printed}", page.as_uri()]
        try:
            subprocess.run(command, capture_output=True, timeout=_SECONDS, check=True)
        except (OSError, subprocess.SubprocessError):
            raise TableError("the browser could not print the page. Print it by hand.") from None
        if not printed.exists():
            raise TableError("the browser printed nothing. Open the page and print it by hand.")
        draft.write_bytes(printed.read_bytes())
