"""Make the pictures of the tutorial on the studio, from the studio itself.

`python docs/studio_pictures.py` opens a generated census, goes through the job in Chromium
and writes docs/images/studio-*.png.  `--check` exits with 1 when a picture is missing or no page of
the tutorial shows it; pixels are not compared, since fonts differ between machines.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
IMAGES = HERE / "images"
NAMES = ("start", "columns", "hierarchies", "promise", "explore", "compare", "attack", "sign")
SIZE = {"width": 1180, "height": 760}
_MINUTE = 60_000


def check() -> int:
    """Whether every picture is there, and shown."""
    text = (HERE / "tutorials" / "studio.md").read_text("utf-8")
    lost = [
        name
        for name in NAMES
        if not (IMAGES / f"studio-{name}.png").exists() or f"studio-{name}.png" not in text
    ]
    return int(bool(lost))


def draw() -> None:
    """Go through the job, and keep what is seen on the way."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  of the tests' group

    from shoal.datasets import census  # noqa: PLC0415  not for --check

    with tempfile.TemporaryDirectory() as folder:
        table = census(2_000).to_file(Path(folder) / "people.csv")
        process, address = _start(Path(folder))
        try:
            with sync_playwright() as play:
                browser = play.chromium.launch(
                    executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"]
                )
                page = browser.new_page(viewport=SIZE, color_scheme="light", locale="en-GB")
                page.set_default_timeout(3 * _MINUTE)
                _walk(page, address, table)
                browser.close()
        finally:
            process.terminate()
            process.wait(20)


def _start(folder: Path) -> tuple[subprocess.Popen[str], str]:
    command = [sys.executable, "-m", "shoal", "studio", "--no-browser"]
    environment = {**os.environ, "XDG_CONFIG_HOME": str(folder / "config")}
    process = subprocess.Popen(
        command, cwd=folder, stderr=subprocess.PIPE, text=True, env=environment
    )
    assert process.stderr is not None
    found = re.search(r"http://\S+", process.stderr.readline())
    assert found is not None
    return process, found[0]


def _walk(page: Any, address: str, table: Path) -> None:
    page.goto(address)
    _keep(page, "start")
    page.fill("#path", str(table))
    page.click("form[action='/start/open'] .button")
    page.wait_for_selector("#overview .facts")
    base = page.url.rsplit("/", 1)[0]
    page.goto(f"{base}/columns")
    page.wait_for_selector("#row-0 .role")
    page.wait_for_selector("#exposed .bad")
    page.locator("tr[data-name='birth_date'] .role").select_option("identifier")
    page.wait_for_selector("tr[data-name='birth_date'].role-identifier")
    page.click("#accept-all")
    page.wait_for_selector("#row-0 .good")
    page.wait_for_selector("#exposed .bad")
    _keep(page, "columns")
    page.goto(f"{base}/hierarchies")
    page.wait_for_selector(".cut")
    _keep(page, "hierarchies")
    page.goto(f"{base}/promise")
    page.wait_for_selector("#now-share")
    page.check("#recipient-contract")
    page.wait_for_selector("#k[value='5']")
    _keep(page, "promise")
    _try_methods(page, base)
    page.goto(f"{base}/attack")
    page.wait_for_selector("input[name=attack]")
    page.click("#attack")
    page.wait_for_selector("article.card .sentence")
    _keep(page, "attack", "#results")
    page.goto(f"{base}/sign")
    page.click("#write")
    page.wait_for_selector(".verdict.go")
    _keep(page, "sign")


def _try_methods(page: Any, base: str) -> None:
    page.goto(f"{base}/explore")
    page.wait_for_selector("input[name=methods]")
    chosen = ("top-down", "mondrian", "local")
    for box in page.locator("input[name=methods]").all():
        if box.get_attribute("value") not in chosen:
            box.uncheck()
    page.fill("#ks", "5, 10, 20, 50")
    page.click("#start")
    page.locator("#points tbody tr").nth(4 * len(chosen) - 1).wait_for(timeout=8 * _MINUTE)
    page.wait_for_selector("#jobs:empty", state="attached")
    _keep(page, "explore", "#points")
    page.goto(f"{base}/compare?candidate=local:5")
    page.wait_for_selector("#choose")
    page.click("#choose")
    page.wait_for_selector("#candidate .badge.good")
    _keep(page, "compare")


def _keep(page: Any, name: str, place: str = "") -> None:
    if place:
        page.locator(place).scroll_into_view_if_needed()
        page.locator(place).evaluate("node => node.scrollIntoView()")
        page.mouse.wheel(0, -120)
        page.wait_for_timeout(300)
    path = IMAGES / f"studio-{name}.png"
    page.screenshot(path=path)
    shrink(path)


def shrink(path: Path) -> None:
    """Keep 128 colours: a page has few, and the repository keeps every picture for ever."""
    from PIL import Image  # noqa: PLC0415  comes with matplotlib

    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(128, dither=Image.Dither.NONE)
    small.save(path, optimize=True)


if __name__ == "__main__":
    sys.exit(check() if "--check" in sys.argv[1:] else draw())
