import pytest

from shoal.studio._guard import LARGEST_BODY, Keys
from tests.studio.desks import PORT, let_in, make_client

PAGES = ("/", "/api", "/api/start", "/static/studio.css", "/p/x/table")


@pytest.fixture
def client(tmp_path):
    with make_client(tmp_path) as client:
        yield client


def test_the_token_lets_in_once(client):
    address = f"/?token={client.own.token}"
    first = client.get(address)
    assert (first.status_code, first.headers["location"]) == (303, "/")
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert client.get("/").status_code == 200
    client.cookies.clear()
    assert client.get(address).status_code == 403  # an old token
    refused = client.get("/")
    assert refused.status_code == 403
    assert "Press Enter in the terminal" in refused.text  # the address of the terminal was used


@pytest.mark.parametrize("path", PAGES)
def test_nothing_is_served_without_the_cookie(client, path):
    for cookies in ({}, {client.own.cookie_name: "guess"}, {"shoal-studio-1": client.own.cookie}):
        client.cookies.clear()
        client.cookies.update(cookies)
        answer = client.get(path)
        assert answer.status_code == 403
        assert "shoal studio" in answer.text
        assert client.own.cookie not in answer.text + str(answer.headers)
        assert client.own.token not in answer.text + str(answer.headers)


@pytest.mark.parametrize("token", ["", "x", "ä", "%00", "a" * 5_000])
def test_a_wrong_token_does_not_use_up_the_right_one(client, token):
    assert client.get("/", params={"token": token}).status_code == 403
    let_in(client)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1",
        "127.0.0.1:1",
        f"evil.example:{PORT}",
        f"127.0.0.1.evil:{PORT}",
        "",
    ],
)
def test_another_name_for_this_machine_leads_nowhere(client, host):
    let_in(client)
    answer = client.get("/", headers={"host": host})
    assert answer.status_code == 421
    assert client.own.cookie not in answer.text


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": f"http://127.0.0.1:{PORT + 1}"},
        {"origin": f"https://127.0.0.1:{PORT}"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"},
    ],
)
def test_another_page_can_do_nothing(client, headers):
    let_in(client)
    for path in ("/start/allow", "/api/allow"):
        answer = client.post(path, json={"folder": "/"}, headers=headers)
        assert answer.status_code == 403
    assert client.studio.folders.allowed == client.studio.folders.allowed[:1]


def test_a_link_may_lead_to_a_page_and_a_script_of_another_page_may_not_read_it(client):
    let_in(client)
    navigated = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert client.get("/", headers=navigated).status_code == 200
    fetched = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}
    assert client.get("/", headers=fetched).status_code == 403


def test_every_answer_keeps_the_browser_from_harm(client):
    answers = [client.get("/"), let_in(client).get("/"), client.get("/nowhere"), client.get("/api")]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert answer.headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in answer.headers


def test_large_bodies_are_refused(client):
    let_in(client)
    large = b"x" * (LARGEST_BODY + 1)
    assert client.post("/api/open", content=large).status_code == 413
    announced = {"content-length": "many"}
    assert client.post("/api/open", content=b"{}", headers=announced).status_code in (400, 413)

    def dribble():
        for _ in range(30):
            yield b"x" * 100_000

    assert client.post("/api/open", content=dribble()).status_code >= 400


def test_secrets_are_not_shown_and_differ_between_runs():
    one, two = Keys(1), Keys(1)
    assert one.token not in repr(one)
    assert one.cookie not in repr(one)
    assert len({one.token, two.token, one.cookie, two.cookie}) == 4
