"""A headless Chromium for tests, where Playwright and a Chromium are installed."""

import shutil

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="module")
def browser():
    """Debian's Chromium driven by Playwright; tests skip without either, and say which."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        pytest.skip("needs playwright, which is not installed: no page was rendered")
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("needs Chromium, which is not installed: no page was rendered")
    with sync_playwright() as play:
        started = play.chromium.launch(
            executable_path=found, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield started
        started.close()
