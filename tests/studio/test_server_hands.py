"""Hands on the studio: keys alone, things that are dragged, points, pins, tabs and scripts."""

from shoal.studio.screens._registry import SCREENS
from tests.browsers import browser as browser
from tests.extras import need
from tests.studio.desks import CITIES, write_people
from tests.studio.evil import EVIL, project, with_release
from tests.studio.keyboard import stay_where_the_keyboard_is
from tests.studio.servers import started
from tests.studio.test_server_browser import LONG, Visit

ROLES = {"name": "i", "age": "q", "city": "q", "illness": "s"}
MOST_TABS = 60


def test_a_job_by_keys_and_by_mouse(browser, tmp_path):
    with started(tmp_path, write_people(tmp_path / "people.csv")) as (address, _):
        visit = Visit(browser, address)
        give_roles_by_keys(visit)
        drag_a_cut(visit)
        drag_values_into_groups(visit, tmp_path)
        see_who_is_exposed(visit)
        stay_where_the_keyboard_is(visit)
        cancel_work(visit)
        pin_points(visit)
        look_at_narrow_and_wide(visit)
        hold_on_to_what_is_newer(visit)
        begin_again_in_two_clicks(visit, tmp_path)
        assert visit.complaints == []
        assert visit.hosts == {visit.own}
    visit.page.wait_for_selector("#gone:not([hidden])", timeout=LONG)  # and says so


def give_roles_by_keys(visit):
    """Nothing but the keyboard, from the top of the page."""
    page = visit.go("columns")
    page.wait_for_selector("#row-3 .role")
    page.wait_for_selector("#exposed .value:has-text('of')")
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "row-0":
            break
    for place, (name, key) in enumerate(ROLES.items()):
        role = {"i": "identifier", "q": "quasi-identifier", "s": "sensitive"}[key]
        page.keyboard.press(key)
        page.wait_for_selector(f"tr[data-name='{name}'].role-{role}")
        page.wait_for_selector(f"#row-{place}:focus")
        ring = "getComputedStyle(document.activeElement).outlineStyle"
        assert page.evaluate(ring) == "solid"  # a tint alone is not seen
        page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    page.wait_for_selector("tbody tr:focus")


def drag_a_cut(visit):
    page = visit.go("hierarchies")
    page.wait_for_selector(".cut")
    before = page.input_value("#cuts")
    box = page.locator(".cut").nth(1).bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    wide = page.locator(".canvas").bounding_box()["width"]
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0] + wide / 20, middle[1], steps=4)
    page.mouse.up()
    dragged = page.input_value("#cuts")
    assert dragged != before
    assert len(dragged.split(",")) == len(before.split(","))
    page.locator("#cuts-form button").click()
    page.wait_for_selector(f"#cuts[value='{dragged}']")  # the page that the server made of it
    page.wait_for_selector("#undo-button:not([disabled])")
    page.wait_for_selector(".cut")
    page.locator("h1").click()
    page.keyboard.press("Control+z")
    page.wait_for_selector(f"#cuts[value='{before}']")
    page.wait_for_selector("#redo-button:not([disabled])")
    page.keyboard.press("Control+Shift+Z")
    page.wait_for_selector(f"#cuts[value='{dragged}']")


def drag_values_into_groups(visit, folder):
    page = visit.go("hierarchies?column=1")
    page.wait_for_selector(".locked")
    page.click("#reveal")
    page.wait_for_selector(".tree li")
    page.check(".tree input[value='Kiel']")
    page.fill("#group", "North")
    page.keyboard.press("Enter")
    page.wait_for_selector("fieldset[data-group='North'] li[data-value='Kiel']")
    page.locator("li[data-value='Bremen']").drag_to(page.locator("[data-group='North'] legend"))
    page.wait_for_selector("fieldset[data-group='North'] li[data-value='Bremen']")
    page.locator("li[data-value='Kiel']").drag_to(page.locator("[data-group=''] legend"))
    page.wait_for_selector("fieldset[data-group=''] li[data-value='Kiel']")
    lines = [f"{city};{'N' if city in ('Kiel', 'Bremen') else 'S'};*" for city in CITIES[:4]]
    (folder / "towns.csv").write_text("\n".join(lines))
    page.fill("#import", str(folder / "towns.csv"))
    page.locator("form:has(#import) button").click()
    page.wait_for_selector("#list a[aria-current] .bad")  # one town is missing
    (folder / "towns.csv").write_text("\n".join([*lines, f"{CITIES[4]};S;*"]))
    page.fill("#import", str(folder / "towns.csv"))
    page.locator("form:has(#import) button").click()
    page.wait_for_selector("#list a[aria-current] .good")


def see_who_is_exposed(visit):
    """A recipient proposes k; what k means is seen while it is moved, before anything is set."""
    page = visit.go("promise")
    page.wait_for_selector("#now-share")
    page.check("#recipient-public")
    page.wait_for_selector("#k[value='11']")
    page.wait_for_selector("#exposed:has-text('fewer than 11')")
    page.fill("#k", "1")
    page.wait_for_selector("#now-sentence:has-text('0 of 200')")
    page.fill("#k", "200")
    page.wait_for_selector("#now-sentence:has-text('200 of 200')")
    page.wait_for_selector("#exposed:has-text('fewer than 11')")  # nothing was set by that


def cancel_work(visit):
    page = visit.go("explore")
    page.wait_for_selector("input[name=methods]")
    page.fill("#ks", ", ".join(map(str, range(2, 22))))  # more than is done before the next click
    page.click("#start")
    page.locator("#jobs .job:has-text('Exploring') button").click()
    page.wait_for_selector("#jobs:empty", state="attached")
    page.wait_for_selector("#start:not([disabled])")


def pin_points(visit):
    page = visit.go("explore")
    page.wait_for_selector("input[name=methods]")
    for box in page.locator("input[name=methods]").all():
        box.set_checked(box.get_attribute("value") == "top-down")
    page.fill("#ks", "3, 4, 5, 6, 20")
    page.click("#start")
    page.locator("#points tbody tr").nth(4).wait_for()
    for _ in range(4):
        pinned = page.locator("#points button[aria-pressed=true]").count()
        page.locator("#points button[aria-pressed=false]").first.click()
        page.locator("#points button[aria-pressed=true]").nth(pinned).wait_for()
    page.locator("#points button[aria-pressed=false]").first.click()
    page.wait_for_selector("#main .alert:has-text('Unpin one first')")
    (refused,) = visit.complaints  # the browser's own word on the answer
    assert "422" in refused
    visit.complaints.clear()
    page = visit.go("explore")
    assert page.input_value("#ks") == "3, 4, 5, 6, 20"  # the form keeps what was asked
    page.locator("svg a:has(circle.mark)").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/compare?candidate=top-down*")
    page.wait_for_selector("#candidate table")


def hold_on_to_what_is_newer(visit):
    """What another tab changes is shown, but neither under a held button nor from an old answer."""
    page, other = visit.go("explore"), visit.context.new_page()
    other.goto(f"{visit.base}/explore")
    pressed, free = (f"#points button[aria-pressed={word}]" for word in ("true", "false"))
    other.locator(pressed).first.click()  # three stay pinned
    page.locator(free).nth(1).wait_for()
    before = visit.context.request.get(page.url).text()
    late = []
    page.route("**/explore", lambda route: route.continue_() if late else late.append(route))
    with page.expect_request("**/explore"):
        other.locator(pressed).first.click()
    page.locator(pressed).last.click()
    page.locator(free).nth(3).wait_for()  # of five, one is left
    late[0].fulfill(body=before, content_type="text/html")  # asked for before the click
    page.wait_for_timeout(500)
    assert page.locator(pressed).count() == 1
    button = page.locator(free).first.bounding_box()
    page.mouse.move(button["x"] + 5, button["y"] + 5)
    page.mouse.down()
    with page.expect_response("**/explore"):
        other.locator(free).last.click()
    page.wait_for_timeout(300)
    page.mouse.up()
    page.locator(pressed).nth(2).wait_for()
    page.locator(free).first.click()
    page.locator(pressed).nth(3).wait_for()
    other.close()


def look_at_narrow_and_wide(visit):
    assert visit.page.locator(".tabs a").count() == 4
    assert visit.look() == []  # with what is pinned, on a phone
    for screen in ("explore", "hierarchies?column=1", "sign"):
        visit.go(screen).wait_for_selector("h1")
        assert visit.look() == []
    visit.looker.set_viewport_size({"width": 2560, "height": 1300})
    for screen in SCREENS:
        visit.looker.goto(f"{visit.base}/{screen}")
        assert visit.looker.evaluate("document.documentElement.scrollWidth") <= 2560
    visit.looker.emulate_media(media="print", color_scheme="dark")
    visit.looker.goto(f"{visit.base}/sign")
    ink = "getComputedStyle(document.querySelector('h1')).color"
    assert visit.looker.evaluate(ink) == "rgb(20, 37, 43)"  # dark on white paper, always


def begin_again_in_two_clicks(visit, folder):
    write_people(folder / "next.csv", 90)
    page = visit.go("table")
    page.wait_for_selector("#overview .facts")
    page.click("#again-part summary")
    page.click("#again-part button:has-text('next.csv')")
    page.wait_for_selector("#overview dd:has-text('90')")
    page.goto(f"{visit.base}/columns")
    page.wait_for_selector("tr[data-name='illness'].role-sensitive")


def test_actions_leave_a_long_page_where_it_was_or_at_what_they_led_to(browser, tmp_path):
    with started(tmp_path, write_people(tmp_path / "people.csv")) as (address, _):
        visit = Visit(browser, address)
        page = visit.go("columns")
        page.wait_for_selector("#row-3 .role")
        for row, role in enumerate(("identifier", "quasi-identifier", "insensitive", "sensitive")):
            page.locator(f"#row-{row} .role").select_option(role)
            page.wait_for_selector(f"#row-{row}.role-{role}")
        page = visit.go("promise")
        page.wait_for_selector("#condition-lkc")
        page.wait_for_selector("#now-share")
        page.fill("#k", "7")
        page.evaluate("scrollTo(0, 200)")
        before = page.evaluate("scrollY")
        page.click("#set-k")
        page.wait_for_selector("#promised:has-text('at least 7 rows')")
        page.wait_for_timeout(300)
        assert abs(page.evaluate("scrollY") - before) < 100  # it was at the end of the page
        page.fill("#condition-beta", "nonsense:9")
        page.click("#add-beta")
        page.wait_for_selector("#failed:has-text('Unknown condition')")
        assert is_seen(page, "#failed")
        page.click("#add-distinct")
        page.wait_for_selector("#promised:has-text('distinct:3')")
        assert is_seen(page, "#promised")


def is_seen(page, selector):
    """Whether a part has come wholly within the window, below the head of the page."""
    page.wait_for_timeout(300)
    box = page.locator(selector).bounding_box()
    return box["y"] > 0 and box["y"] + box["height"] < page.viewport_size["height"]


def test_what_one_tab_does_the_other_sees_on_the_newest_screens(browser, tmp_path):
    need("cryptography")
    with started(tmp_path, write_people(tmp_path / "people.csv")) as (address, _):
        visit = Visit(browser, address)
        page = visit.go("columns")
        page.wait_for_selector("#row-3 .role")
        page.locator("tr[data-name='name'] .role").select_option("pseudonym")
        page.wait_for_selector("tr[data-name='name'].role-pseudonym")
        other = visit.context.new_page()
        other.goto(f"{visit.base}/sign")
        page = visit.go("sign")
        for tab in (page, other):
            tab.wait_for_selector("#make-key")
        other.fill("#again-passphrase", "half")  # somebody types in the second tab
        page.fill("#new-passphrase", "a b c")
        page.fill("#again-passphrase", "a b c")
        page.click("#make-key")
        page.wait_for_selector("#key[value*='pseudonyms.key']")
        assert other.input_value("#again-passphrase") == "half"  # it is not taken from under them
        other.click("#make-key")
        other.wait_for_selector("#main .alert")
        other.goto(f"{visit.base}/table")
        page = visit.go("table")
        page.click("#read-again summary")
        page.fill("#read-missing", "Ulm")
        page.locator("#read-again button").click()
        other.wait_for_selector("#overview tbody tr:has-text('city') td:last-child:has-text('39')")
        assert visit.complaints == []


def test_scripts_in_a_project_never_run(browser, tmp_path):
    need("cryptography")
    made = project(tmp_path)
    with_release(made)
    made.desk.project.set(accepted=tuple(made.desk.project.schema))
    with started(tmp_path, tmp_path / "people.shoal") as (address, _):
        visit = Visit(browser, address)
        page = visit.page
        page.on("dialog", lambda dialog: visit.note(f"dialog {dialog.message}"))
        page.wait_for_selector("#overview .facts")
        visit.go("hierarchies?column=1").wait_for_selector("#reveal")
        page.click("#reveal")
        page.wait_for_selector(".tree li")
        assert EVIL in page.locator("fieldset[data-group] legend").first.inner_text()
        for name in SCREENS:
            visit.go(name).wait_for_selector("h1")
            page.wait_for_timeout(400)
            assert "pwned" not in page.title(), name
            assert page.locator("img[src=x]").count() == 0
        page.goto(f"{visit.own}/")
        assert page.title() == "Shoal Studio"
        assert visit.complaints == []
        assert visit.hosts == {visit.own}


def test_what_is_typed_beside_a_button_is_not_lost(browser, tmp_path):
    with started(tmp_path, write_people(tmp_path / "people.csv")) as (address, _):
        visit = Visit(browser, address)
        page = visit.go("columns")
        page.wait_for_selector("#row-3 .role")
        for row, role in enumerate(("identifier", "quasi-identifier", "quasi-identifier")):
            page.locator(f"#row-{row} .role").select_option(role)
            page.wait_for_selector(f"#row-{row}.role-{role}")
        page.locator("#row-3 .role").select_option("sensitive")
        page.wait_for_selector("#row-3.role-sensitive")
        page = visit.go("promise")
        page.wait_for_selector("#now-share")
        page.wait_for_selector("#condition-distinct")
        note = page.locator("form:has(#k) [data-unsent]")
        assert note.is_hidden()
        page.fill("#k", "12")
        assert note.is_visible()
        page.click("#add-distinct")  # something else on the page leaves it there
        page.wait_for_selector("#promised .condition")
        page.wait_for_function("document.getElementById('k').value == '12'")
        page.click(".steps a[href$='/explore']")  # and it goes along
        page.wait_for_selector("#ks")
        visit.go("promise")
        page.wait_for_selector("#k[value='12']")
        page.fill("#k", "7")
        page.check("#recipient-contract")  # proposes another one
        page.wait_for_selector("#k[value='5']")
        assert page.input_value("#k") == "5"
        page.fill("#k", "0")
        page.click(".steps a[href$='/explore']")
        page.wait_for_timeout(500)
        assert page.url.endswith("/promise")
        page.fill("#k", "6")
        page.fill("#why", "the board")
        page.click("#set-k")
        page.wait_for_selector("#k[value='6']")
        assert page.input_value("#why") == ""
        assert visit.complaints == []


def test_methods_come_to_a_page_that_was_opened_before_they_are_known(browser, tmp_path):
    table = write_people(tmp_path / "people.csv")
    with started(tmp_path, table) as (address, _):
        visit = Visit(browser, address)
        visit.go("columns").wait_for_selector("#row-3 .role")
    with started(tmp_path, table) as (address, _):
        visit = Visit(browser, address)
        page = visit.go("explore")
        page.wait_for_selector("input[name=methods]")
        page.locator("input[name=methods]").first.uncheck()
        page.wait_for_timeout(1_500)
        assert not page.locator("input[name=methods]").first.is_checked()


def test_all_screens_can_be_reached_on_a_phone(browser, tmp_path):
    with started(tmp_path, write_people(tmp_path / "people.csv")) as (address, _):
        visit = Visit(browser, address)
        page = visit.go("columns")
        page.wait_for_selector("#row-3 .role")
        page.set_viewport_size({"width": 390, "height": 844})
        visit.go("sign").wait_for_selector("#steps")
        page.wait_for_timeout(1_500)  # parts are replaced
        for name in ("sign", "model", "log"):
            box = page.locator(f".steps a[href$='/{name}']").bounding_box()
            assert box["x"] >= 0, name
            assert box["x"] + box["width"] <= 390, name
