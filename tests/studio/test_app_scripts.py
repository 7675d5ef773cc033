"""Scripts in whatever can be named: sheets, tables, readings, keys, groups, names, answers."""

import dataclasses
from urllib.parse import quote

import pytest

from shoal.studio._page import page_of
from shoal.studio.screens._registry import SCREENS
from tests.audit.trials import quick_audits as quick_audits
from tests.extras import need
from tests.studio.desks import Bureau, InlineLane, let_in, make_client
from tests.studio.evil import EVIL, SHORT, SIGNS, answers, project, with_release

need("cryptography")

pytestmark = pytest.mark.usefixtures("quick_audits")


@pytest.fixture(scope="module")
def evil(tmp_path_factory):
    folder = tmp_path_factory.mktemp("evil")
    bureau = project(folder)
    path = with_release(bureau)
    with make_client(folder) as client:
        desk = client.studio.take(bureau.desk.project)
        desk._lanes = {name: InlineLane(desk._job_changed) for name in ("look", "make")}
        bureau.desk, bureau.room = desk, type(bureau.room)(desk, client.studio.folders)
        desk.revealed.add(EVIL)
        answers(bureau, path)
        bureau.act("sign", "judge", release=path.name)
        bureau.act("attack", "run", attack="linking", release=path.name)
        bureau.settle()
        yield let_in(client), bureau, path


def settled(client, bureau, address):
    for _ in range(3):
        answer = client.get(address)
        bureau.settle()
    return client.get(address) if answer.status_code == 200 else answer


@pytest.mark.parametrize("screen", SCREENS)
def test_a_page_holds_texts_and_no_scripts_of_others(evil, screen):
    client, bureau, _ = evil
    for query in ("", "?column=1", f"?candidate={EVIL}"):
        answer = settled(client, bureau, f"/p/{bureau.desk.number}/{screen}{query}")
        assert answer.status_code in (200, 422)
        for sign in SIGNS:
            assert sign not in answer.text, (screen, query, sign)
        assert answer.text.count("<script") == 3  # ours


def test_what_was_meant_to_run_is_there_to_be_read(evil):
    client, bureau, path = evil
    shown = {
        screen: settled(client, bureau, f"/p/{bureau.desk.number}/{screen}?column=1").text
        for screen in ("table", "columns", "hierarchies", "attack", "sign", "together", "log")
    }
    for screen, text in shown.items():
        assert "&lt;img src=x" in text, screen
    assert "&lt;script&gt;" in client.get("/").text or "&lt;img src=x" in client.get("/").text
    assert path.name.replace("<", "&lt;").replace(">", "&gt;")[2:12] in shown["sign"]


@pytest.mark.parametrize("kind", ["report", "dossier"])
def test_report_and_dossier_hold_none_either(evil, kind):
    client, bureau, path = evil
    answer = client.get(f"/p/{bureau.desk.number}/{kind}/{quote(path.name)}")
    assert answer.status_code == 200
    assert "<script" not in answer.text
    assert "<img src=x" not in answer.text
    assert "sandbox" in answer.headers["content-security-policy"]
    assert "script-src" not in answer.headers["content-security-policy"]


FORMS = {
    ("table", "reading"): {"database_table": EVIL + "x", "encoding": EVIL, "sheet": EVIL},
    ("sign", "write"): {"name": EVIL, "key": EVIL, "passphrase": EVIL},
    ("sign", "key"): {"passphrase": EVIL, "again": "other"},
    ("sign", "judge"): {"release": EVIL},
    ("hierarchies", "move"): {"column": EVIL, "values": [f"{EVIL}0"], "group": f"{EVIL}1"},
    ("hierarchies", "recipe"): {"column": EVIL, "recipe": EVIL},
    ("hierarchies", "import"): {"column": EVIL, "path": EVIL},
    ("promise", "add"): {"condition": EVIL, "column": EVIL},
    ("model", "audit"): {"model": EVIL},
    ("together", "keys"): {"name": EVIL},
    ("together", "peer"): {"path": EVIL},
    ("attack", "run"): {"attack": "linking", "register": EVIL, "known": [EVIL + "x"]},
    ("explore", "choose"): {"candidate": EVIL},
}


@pytest.mark.parametrize(("screen", "action"), FORMS, ids="/".join)
def test_what_a_form_is_refused_with_is_a_text(evil, screen, action):
    client, bureau, _ = evil
    fields, own = FORMS[screen, action], bureau.desk.project
    before = own.settings, own.schema_text()
    answer = client.post(f"/p/{bureau.desk.number}/{screen}/{action}", data=fields)
    assert answer.status_code in (303, 422)
    told = client.post(f"/api/p/{bureau.desk.number}/{screen}/{action}", json=fields)
    assert told.headers["content-type"].startswith("application/json")
    for sign in SIGNS:
        assert sign not in answer.text
    for lane in bureau.desk._lanes.values():
        lane.jobs.clear()
    own.set(**dataclasses.asdict(before[0]))
    own.restore_schema(before[1], {})


def test_a_sheet_of_an_evil_name_is_offered_as_text(tmp_path):
    need("openpyxl")
    from openpyxl import Workbook

    book = Workbook()
    book.active.title = SHORT
    book.create_sheet("b").append(["age"])
    book.save(tmp_path / "house.xlsx")
    bureau = Bureau(tmp_path, tmp_path / "house.xlsx")
    shown = bureau.show("table")
    shown = bureau.show("table")
    assert SHORT in shown["reading"]["parts"]["names"]
    page = page_of(bureau.room, SCREENS["table"], shown, {}, "")
    assert "<img src=x" not in page
    assert "&lt;img src=x&gt;</option>" in page
