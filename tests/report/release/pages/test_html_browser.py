"""The report in headless Chromium: what is seen, and what a browser says about it."""

import json
import re

import pytest

from shoal.anonymize import LocalRecoding
from shoal.datasets import census
from shoal.datasets._census import census_schema
from shoal.privacy import DistinctDiversity, KAnonymity
from shoal.report import release_report
from tests.browsers import browser  # noqa: F401  a fixture

WIDTHS = {"phone": 390, "desk": 1100}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A report with the raw table on a release with several kinds of columns, and its manifest."""
    folder = tmp_path_factory.mktemp("report")
    raw = census(600, random_state=3).to_file(folder / "raw.csv")
    schema = census_schema()
    promise = KAnonymity(5) & DistinctDiversity(2, schema.sensitive[0])
    path = folder / "release.csv"
    LocalRecoding(schema, promise).fit(raw).release_.write(path)
    page = release_report(path, raw).write()
    return page, json.loads(path.with_name("release.manifest.json").read_text("utf-8"))


@pytest.fixture
def opened(browser, made):  # noqa: F811
    """Opens the page; gathers what the console says and what is asked of the network."""
    contexts = []

    def opened(width=390, path=made[0], **settings):
        context = browser.new_context(viewport={"width": width, "height": 844}, **settings)
        contexts.append(context)
        page = context.new_page()
        page.said, page.asked = [], []
        page.on("console", lambda message: page.said.append(message.text))
        page.on("pageerror", lambda error: page.said.append(str(error)))
        page.on("request", lambda request: page.asked.append(request.url))
        page.goto(path.as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()


def test_its_numbers_are_the_manifests(opened, made):
    page = opened()
    assert page.said == []
    assert page.asked == [made[0].as_uri()]
    assert "The promise holds" in page.inner_text(".verdict")
    shown = page.eval_on_selector_all(
        "data[data-at]", "all => all.map(e => [e.value, e.dataset.at])"
    )
    assert len(shown) > 40
    for value, at in shown:
        found = made[1]
        for key in json.loads(at):
            found = found[key]
        assert json.loads(value) == found


def test_the_policy_stops_what_should_never_be_in_it(opened, made, tmp_path):
    bad = tmp_path / "bad.html"
    text = made[0].read_text("utf-8").replace("</main>", "<script>1</script></main>")
    bad.write_text(text, "utf-8")
    assert any("Content Security Policy" in said for said in opened(path=bad).said)


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
def test_nothing_is_wider_than_the_screen(opened, width):
    page = opened(width)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    for at in range(page.locator("summary").count()):
        page.locator("summary").nth(at).click()
    assert page.evaluate("document.documentElement.scrollWidth") == width
    wide = page.evaluate(
        "[...document.querySelectorAll('.wide')].filter(e => e.scrollWidth > e.clientWidth)"
        ".map(e => e.querySelector('caption').textContent)"
    )
    assert wide == []


def test_no_single_word_of_a_cell_is_broken_on_a_phone(opened):
    broken = opened().evaluate("""
        [...document.querySelectorAll('td, tbody th')].filter(cell => {
          const range = document.createRange();
          range.selectNodeContents(cell);
          return /^[a-z]{1,12}$/.test(cell.textContent.trim()) && range.getClientRects().length > 1;
        }).map(cell => cell.textContent)""")
    assert broken == []


def test_labels_of_bars_do_not_run_into_their_numbers(opened):
    gaps = opened().evaluate("""
        [...document.querySelectorAll('svg')].flatMap(svg => {
          const texts = [...svg.querySelectorAll('text')].map(t => t.getBoundingClientRect());
          return texts.flatMap((a, i) => i % 2 ? [] : [texts[i + 1].left - a.right]);
        })""")
    assert len(gaps) > 20
    assert min(gaps) > 4


def test_pages_on_paper_are_numbered(opened):
    rules = opened().evaluate("[...document.styleSheets[0].cssRules].map(rule => rule.cssText)")
    (paper,) = (rule for rule in rules if rule.startswith("@page"))
    assert "counter(page)" in paper
    assert "counter(pages)" in paper


def test_on_paper_a_short_table_stays_whole(opened, made, tmp_path):
    """Head and two rows would fit below the first block, and all of it with the other two not."""
    style = re.search(r"<style>.*</style>", made[0].read_text("utf-8"), re.DOTALL)[0]
    block = "<div style='height: {}mm; break-inside: avoid'>.</div>"
    row = "<tr style='height: 10mm'><td>a</td></tr>"
    table = f"<table><thead>{row.replace('td', 'th')}</thead><tbody>{7 * row}</tbody></table>"
    page = f"{style}<body>{block.format(225)}{table}{block.format(190)}"
    path = tmp_path / "page.html"
    path.write_text(page, "utf-8")
    printed = opened(path=path).pdf(format="A4", margin={"top": "15mm", "bottom": "17mm"})
    assert len(re.findall(rb"/Type /Page\b", printed)) == 3


def test_light_and_dark_have_contrast(opened):
    ratios = {}
    for scheme in ("light", "dark"):
        page = opened(color_scheme=scheme)
        ink, paper = (
            page.evaluate(f"getComputedStyle(document.body).{name}")
            for name in ("color", "backgroundColor")
        )
        ratios[scheme] = _luminance(ink), _luminance(paper)
    assert ratios["light"][1] > 0.9 > 0.1 > ratios["dark"][1]
    for pair in ratios.values():
        low, high = sorted(pair)
        assert (high + 0.05) / (low + 0.05) > 7


def _luminance(colour):
    parts = [int(number) / 255 for number in re.findall(r"\d+", colour)[:3]]
    line = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * line[0] + 0.7152 * line[1] + 0.0722 * line[2]


def test_the_keyboard_reaches_the_report_first_and_opens_its_tables(opened):
    page = opened()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.locator("summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("details").first.locator("table").is_visible()


def test_every_figure_has_a_name_for_those_who_do_not_see_it(opened):
    page = opened()
    figures = page.get_by_role("img")
    n = page.locator("svg").count()
    assert figures.count() == n > 5
    assert page.get_by_role("img", name=re.compile("before and after")).count() > 3
    assert page.get_by_role("navigation", name="Sections").count() == 1


def test_it_prints_without_navigation(opened):
    page = opened(1100)
    page.emulate_media(media="print", color_scheme="dark")
    assert not page.locator("nav").is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.pdf(format="A4").startswith(b"%PDF")
