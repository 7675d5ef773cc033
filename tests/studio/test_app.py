"""The routes: every screen as JSON and as a page; values are escaped, and hidden at first."""

import itertools
import json
import os
import re

import pytest

from shoal.studio._app import home_of
from shoal.studio._desk import Desk
from shoal.studio._start import STARTS
from shoal.studio.project._memory import remember
from shoal.studio.screens._registry import SCREENS
from tests.studio.desks import Bureau, InlineLane, let_in, make_client, write_people

EVIL = "<script>alert(1)</script>"
CANARY = "Xq7canary"


@pytest.fixture
def client(tmp_path):
    with make_client(tmp_path) as client:
        yield let_in(client)


def take(client, folder, table=None):
    """A project with workers at hand, on this client's studio; its address."""
    bureau = Bureau(folder, table)
    bureau.desk.project.set(method="top-down", k=5)  # a method that compiles little
    desk = client.studio.take(bureau.desk.project)
    desk._lanes = {name: InlineLane(desk._job_changed) for name in ("look", "make")}
    return desk, f"/p/{desk.number}"


def settled(client, desk, address):
    """The page once all work is done."""
    for _ in range(4):
        answer = client.get(address)
        for lane in desk._lanes.values():
            lane.settle()
    return client.get(address) if answer.status_code == 200 else answer


def test_every_screen_is_a_page_and_json(client, tmp_path):
    desk, address = take(client, tmp_path)
    settled(client, desk, f"{address}/columns")
    for screen in SCREENS:
        page = settled(client, desk, f"{address}/{screen}")
        assert page.status_code == 200, page.text
        assert "<h1>" in page.text
        data = client.get(f"/api{address}/{screen}")
        assert data.status_code == 200
        assert json.loads(data.text)


def test_what_was_typed_stays_in_the_fields_of_the_first_page_after_an_error(client):
    typed = {
        "path": 'no "such".csv',
        "decimal": ",",
        "missing": "none, unknown",
        "encoding": "cp1252",
    }
    page = client.post("/start/open", data=typed)
    assert page.status_code == 422
    assert "This did not work.</strong> That is outside" in page.text
    assert 'value="no &#34;such&#34;.csv"' in page.text
    assert 'value="none, unknown"' in page.text
    assert 'value="cp1252"' in page.text
    assert '<option value="," selected>' in page.text
    assert "<details open>" in page.text
    assert "<details open>" not in client.get("/").text
    folder = client.post("/start/allow", data={"folder": "/no/such/folder"})
    assert 'value="/no/such/folder"' in folder.text


def test_screens_that_need_roles_say_so_before_there_are_any(client, tmp_path):
    _, address = take(client, tmp_path)
    assert client.get(f"{address}/promise").status_code == 422
    assert "no roles yet" in client.get(f"/api{address}/promise").json()["error"]


def test_a_form_and_a_json_body_do_the_same(client, tmp_path):
    desk, address = take(client, tmp_path)
    settled(client, desk, f"{address}/columns")
    form = client.post(f"{address}/columns/set", data={"columns": "age", "role": "insensitive"})
    assert (form.status_code, form.headers["location"]) == (303, f"{address}/columns")
    assert desk.schema["age"].role == "insensitive"
    body = {"columns": ["age"], "role": "quasi-identifier"}
    assert client.post(f"/api{address}/columns/set", json=body).json() == {"done": True}
    assert desk.schema["age"].role == "quasi-identifier"


WRONG = ({}, {"columns": ["age"], "role": "boss"}, {"columns": ["no"]}, {"columns": [1]}, [1], "x")


def test_what_is_wrong_is_told_and_changes_nothing(client, tmp_path):
    desk, address = take(client, tmp_path)
    settled(client, desk, f"{address}/columns")
    before = desk.project.schema_text()
    for body in WRONG:
        answer = client.post(f"/api{address}/columns/set", json=body)
        assert answer.status_code == 422
        assert answer.json()["error"].endswith(".")
    assert desk.project.schema_text() == before


def test_the_routes_are_described(client):
    described = client.get("/api").json()
    assert described["openapi"].startswith("3.1")
    for screen in SCREENS.values():
        assert f"/api/p/{{project}}/{screen.name}" in described["paths"]
        for action in screen.actions:
            assert f"/api/p/{{project}}/{screen.name}/{action}" in described["paths"]
    assert all(f"/api/{name}" in described["paths"] for name in STARTS)
    assert {parameter["name"] for path in described["paths"].values() for way in path.values()
            for parameter in way.get("parameters", ())} == {
        "project", "folder", "column", "candidate",
    }  # fmt: skip


def test_every_json_route_that_answers_is_described_and_the_other_way_round(client, tmp_path):
    described = client.get("/api").json()["paths"]
    ways = {(path, way) for path, found in described.items() for way in found}
    expanded = set()
    for route in client.app.app.routes:
        if route.path.startswith("/api"):
            way = "post" if "POST" in route.methods else "get"
            names = [route.path.replace(":str", "")]
            for part, known in (("{start}", STARTS), ("{screen}", SCREENS)):
                names = [name.replace(part, one) for name in names for one in known]
            for name in dict.fromkeys(names):
                actions = SCREENS[name.split("/")[4]].actions if "{action}" in name else ("",)
                expanded |= {(name.replace("{action}", action), way) for action in actions}
    assert expanded == {(path, way) for path, way in ways if path.startswith("/api")}
    _, address = take(client, tmp_path)
    for path, way in sorted(ways):
        if path.startswith("/api"):
            answer = client.request(way, path.replace("/p/{project}", address), json={})
            assert answer.status_code in (200, 422), path
            assert isinstance(answer.json(), dict)


def test_pages_render_what_json_routes_hand_out(client, tmp_path, monkeypatch):
    desk, address = take(client, tmp_path)
    for screen in ("columns", *SCREENS):
        settled(client, desk, f"{address}/{screen}")
    rendered = {}

    def keep(template, **given):
        rendered.update(json.loads(json.dumps(given)))
        return template

    monkeypatch.setattr("shoal.studio._page.render", keep)
    for screen in SCREENS:
        client.get(f"{address}/{screen}")
        assert rendered["shown"] == client.get(f"/api{address}/{screen}").json(), screen
        frame = {
            key: value for key, value in rendered["page"].items() if key not in ("error", "waits")
        }
        assert frame == client.get(f"/api{address}/frame/{screen}").json(), screen
        assert frame["lines"]["command"] or screen == "log"


def test_scripts_in_names_and_values_are_texts(client, tmp_path):
    table = tmp_path / "a <script>alert(1)<script>.csv"
    rows = "".join(f"{n % 9},{EVIL if n % 2 else CANARY},x{n}\n" for n in range(60))
    table.write_text(f'age,{EVIL},"\'""><img src=x>"\n' + rows)
    desk, address = take(client, tmp_path, table)
    settled(client, desk, f"{address}/columns")
    desk.revealed.add(EVIL)
    for screen in SCREENS:
        text = settled(client, desk, f"{address}/{screen}").text
        assert EVIL not in text, screen
        assert "<img src=x" not in text, screen
        assert text.count("<script") == 3, screen  # ours
    names = client.get("/").text
    assert "<script>alert" not in names


def test_no_value_is_shown_until_its_column_is_revealed(client, tmp_path):
    table = tmp_path / "people.csv"
    rows = "".join(f"{20 + n % 9},{CANARY}{n % 4},{CANARY}ill{n % 2}\n" for n in range(60))
    table.write_text("age,town,illness\n" + rows)
    desk, address = take(client, tmp_path, table)
    for screen in SCREENS:
        for way in (address, f"/api{address}"):
            assert CANARY not in settled(client, desk, f"{way}/{screen}").text, (way, screen)
    client.post(f"{address}/columns/set", data={"columns": "town", "role": "quasi-identifier"})
    for screen in ("columns", "promise", "compare", "attack"):
        settled(client, desk, f"{address}/{screen}")
    kept = [*desk.project.scratch.rglob("*.json"), *desk.project.folder.glob("[!.]*.*")]
    for path in kept:  # what is remembered of a project is nobody's either
        assert CANARY not in path.read_text(), path
    index = desk.schema.quasi_identifiers.index("town")
    hidden = settled(client, desk, f"{address}/hierarchies?column={index}").text
    assert CANARY not in hidden
    client.post(f"{address}/hierarchies/reveal?column={index}", data={"column": "town"})
    shown = settled(client, desk, f"{address}/hierarchies?column={index}").text
    assert f"{CANARY}0" in shown
    assert CANARY not in re.search("<title>.*</title>", shown)[0]
    assert [d.what for d in desk.project.decisions()][-1] == "revealed the values of town"
    assert CANARY not in (desk.project.folder / "decisions.jsonl").read_text()


PATHS = (
    *("../../etc/passwd", "/etc/passwd", "/etc", "~/../../etc/passwd", "people.csv\0", ""),
    *("no-such-file.csv", "\ud800"),
)


def test_words_of_files_are_apart_for_who_hears_them(client, tmp_path):
    write_people(tmp_path / "people.csv")
    said = re.sub(r"<[^>]*>", "", client.get("/").text)
    assert re.search(r"Table people\.csv [\d.]+ k?B", said)


def test_a_table_that_is_gone_is_told_on_every_screen(client, tmp_path):
    desk, address = take(client, tmp_path)
    settled(client, desk, f"{address}/columns")
    desk.project.table.unlink()
    for screen in SCREENS:
        answer = client.get(f"{address}/{screen}")
        assert answer.status_code in (200, 422), screen
        assert client.get(f"/api{address}/frame/{screen}").status_code == 200
        if answer.status_code == 422:
            assert "is not there any more. Put it back" in answer.text
    answer = client.post(f"{address}/promise/set", data={"k": "7"})
    assert answer.status_code in (303, 422)


def test_a_path_outside_opens_nothing(client, tmp_path):
    write_people(tmp_path / "people.csv")
    for path, name in itertools.product(PATHS, ("open", "demo", "again")):
        body = json.dumps({"path": path, "folder": path or "/", "project": "x"})
        answer = client.post(f"/api/{name}", content=body.encode(errors="replace"),
                             headers={"content-type": "application/json"})  # fmt: skip
        assert answer.status_code == 422, (name, answer.text)
    assert client.studio.desks == {}


def test_a_project_from_elsewhere_opens_no_table_that_was_not_allowed(client, tmp_path):
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.mkdir()
    secret = write_people(outside / "secret.csv")
    project = tmp_path / "gift.shoal"
    project.mkdir()
    (tmp_path / "link.csv").symlink_to(secret)
    for table in (str(secret), f"../../{outside.name}/secret.csv", "../link.csv"):
        (project / "project.toml").write_text(f'[table]\ntable = "{table}"\n')
        answer = client.post("/api/open", json={"path": str(project)})
        assert answer.status_code == 422, table
        assert "outside the folders" in answer.json()["error"]
    assert client.studio.desks == {}
    client.post("/api/allow", json={"folder": str(outside)})
    assert client.post("/api/open", json={"path": str(project)}).status_code == 200


def test_links_and_hierarchies_of_a_project_lead_nowhere_else(client, tmp_path):
    outside = tmp_path.parent / f"{tmp_path.name}-elsewhere"
    outside.mkdir()
    (outside / "secret.csv").write_text(f"a;{CANARY};*\n")
    write_people(tmp_path / "people.csv")
    gift = tmp_path / "gift.shoal"
    (gift / "releases").mkdir(parents=True)
    (gift / "project.toml").write_text('[table]\ntable = "../people.csv"\n')

    def refused():
        answer = client.post("/api/open", json={"path": str(gift)})
        assert "outside the folders" in answer.json()["error"]
        assert CANARY not in answer.text
        assert client.studio.desks == {}

    for place in ("decisions.jsonl", "releases/first.report.html", "keys"):
        (gift / place).symlink_to(outside / "secret.csv")
        refused()
        (gift / place).unlink()
    roles = '[columns.city]\nrole = "quasi-identifier"\nkind = "categorical"\n'
    (gift / "schema.toml").write_text(
        f'{roles}hierarchy = {{file = "../../{outside.name}/secret.csv"}}\n'
    )
    refused()
    (gift / "schema.toml").unlink()
    assert client.post("/api/open", json={"path": str(gift)}).status_code == 200


def test_a_pipe_in_a_project_is_refused_and_not_waited_for(client, tmp_path):
    write_people(tmp_path / "people.csv")
    gift = tmp_path / "gift.shoal"
    (gift / "releases").mkdir(parents=True)
    (gift / "project.toml").write_text('[table]\ntable = "../people.csv"\n')
    for place in ("decisions.jsonl", "releases/first.manifest.json"):
        os.mkfifo(gift / place)
        answer = client.post("/api/open", json={"path": str(gift)})
        assert "neither a file nor a folder" in answer.json()["error"]
        (gift / place).unlink()
    (gift / ".#project.toml").symlink_to("somebody@computer.4711")  # an editor's, to nothing
    assert client.post("/api/open", json={"path": str(gift)}).status_code == 200


def test_a_link_of_the_projects_name_leads_nowhere_else(client, tmp_path):
    """A folder that was unpacked holds people.csv and a link people.shoal, to the user's home."""
    outside = tmp_path.parent / f"{tmp_path.name}-home"
    outside.mkdir()
    write_people(tmp_path / "people.csv")
    (tmp_path / "people.shoal").symlink_to(outside)
    answer = client.post("/api/open", json={"path": str(tmp_path / "people.csv")})
    assert "outside the folders" in answer.json()["error"]
    assert client.studio.desks == {}
    assert list(outside.iterdir()) == []
    assert outside.resolve() not in client.studio.folders.allowed


def test_a_report_that_became_a_link_is_not_served(client, tmp_path):
    desk, address = take(client, tmp_path)
    folder = desk.project.folder / "releases"
    folder.mkdir()
    (folder / "first.csv").write_text("a\n1\n")
    (folder / "first.manifest.json").write_text("{}")
    (folder / "first.report.html").write_text("<p>fine")
    assert client.get(f"{address}/report/first.csv").text == "<p>fine"
    (folder / "first.report.html").unlink()
    (folder / "first.report.html").symlink_to("/etc/passwd")
    assert client.get(f"{address}/report/first.csv").status_code == 404


def test_links_that_lead_out_open_nothing(client, tmp_path):
    (tmp_path / "link.csv").symlink_to("/etc/passwd")
    (tmp_path / "out").symlink_to("/etc")
    for path in ("link.csv", "out"):
        answer = client.post("/api/open", json={"path": str(tmp_path / path)})
        assert answer.status_code == 422
        assert "outside the folders" in answer.json()["error"]
    assert "link.csv" not in client.get("/").text


ELSEWHERE = (
    *(
        "/static/../_app.py",
        "/static/%2e%2e/_app.py",
        "/static//etc/passwd",
        "/static/..%2f_app.py",
    ),
    *("/static/..%2f_app.py", "/p/1/table", "/api/p/1/table", "/p//table", "/nowhere", "/static/"),
)


def test_what_is_not_there_is_not_served(client):
    for path in ELSEWHERE:
        answer = client.get(path)
        assert answer.status_code in (404, 405)
        assert "Traceback" not in answer.text
        assert "import" not in answer.text


def test_a_second_tab_sees_what_the_first_did_and_they_do_not_fight(client, tmp_path):
    desk, address = take(client, tmp_path)
    settled(client, desk, f"{address}/columns")
    queue = desk.watch()
    client.post(f"{address}/columns/set", data={"columns": "age", "role": "insensitive"})
    client.post(f"{address}/columns/set", data={"columns": "city", "role": "insensitive"})
    assert desk.schema["age"].role == desk.schema["city"].role == "insensitive"  # both are kept
    assert {"changed": "schema"} in [queue.get_nowait() for _ in range(queue.qsize())]


def test_a_project_opens_on_the_screen_where_it_was_left(client, tmp_path):
    desk, address = take(client, tmp_path)
    for place, opens in (("table", "table"), ("columns", "columns"), ("no-such", "columns")):
        client.get(f"{address}/{place}")
        client.get(f"/api{address}/log")  # a program is nobody who looks at a screen
        opened = client.post("/start/open", data={"path": str(desk.project.folder)})
        assert opened.headers["location"] == f"{address}/{opens}"
    again = Desk(desk.project)
    assert home_of(again) == f"{address}/columns"
    remember(desk.project.scratch, "place", {"screen": "../../evil"})
    assert home_of(Desk(desk.project)) == f"{address}/table"


def test_only_work_that_goes_on_can_be_cancelled(client, tmp_path):
    desk, address = take(client, tmp_path)
    client.get(f"{address}/table")
    job, *others = desk.jobs()
    json_type = {"content-type": "application/json"}
    for body in (b"", b"{", b"[1]", b'{"number": "x"}', b'{"number": 0}'):
        answer = client.post(f"{address}/jobs/cancel", content=body, headers=json_type)
        assert answer.status_code == 422
    done = client.post(f"{address}/jobs/cancel", json={"number": job["number"]})
    assert done.json() == {"done": True}
    assert desk.jobs() == others


def test_a_defect_is_told_without_its_text(client, tmp_path, monkeypatch):
    desk, address = take(client, tmp_path)
    monkeypatch.setattr(desk, "fact", lambda *given: 1 / 0)
    answer = client.get(f"{address}/table")
    assert answer.status_code == 500
    assert "ZeroDivisionError" in answer.text
    assert "Traceback" not in answer.text
    assert "division" not in answer.text
