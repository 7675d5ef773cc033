"""Random requests of somebody who is in, and of somebody who is not: nothing breaks, nothing leaks.

`make test` sends some hundreds; `make fuzz` sends more than ten thousand in every round.
"""

import json
import os
import random

import pytest
from hypothesis import given, settings, strategies as st

from shoal.studio._openapi import describe_routes
from shoal.studio.project._reading import FIELDS
from shoal.studio.screens._registry import SCREENS
from tests.studio.desks import Bureau, InlineLane, let_in, make_client

FUZZING = "SHOAL_FUZZ" in os.environ
IN_ONE_GO = 50
CANARY = "Xq7canary"
ODD = (
    *("", "../..", "<script>alert(1)</script>", "a" * 3000, "\0", "%s%n", "{{7*7}}", "1e999", "-1"),
    *("NaN", "local:10", "local:-1", "age", "🐟", "' OR 1=1 --", "/etc/passwd", "\\", "[]", "null"),
)
JSON = {"content-type": "application/json"}
NAMES = (
    *("columns", "role", "kind", "column", "k", "condition", "cuts", "values", "group", "name"),
    *(
        "path",
        "candidate",
        "why",
        "number",
        "ks",
        "methods",
        "release",
        "recipe",
        "level",
        "attack",
        *(
            "key",
            "passphrase",
            "again",
            "threshold",
            "control",
            "register",
            "order_seed",
            "purpose",
        ),
        *FIELDS,
    ),
)
VALUES = (
    *ODD, 3, -1, 1e300, None, True, [], ["age"], ["town", 5], {"a": 1}, "town", "quasi-identifier",
)  # fmt: skip


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("random")
    table = folder / "people.csv"
    rows = "".join(f"{20 + n % 9},{CANARY}{n % 4},{CANARY}ill{n % 2}\n" for n in range(40))
    table.write_text("age,town,illness\n" + rows)
    with make_client(folder) as client:
        bureau = Bureau(folder, table)
        desk = client.studio.take(bureau.desk.project)
        desk._lanes = {name: InlineLane(desk._job_changed) for name in ("look", "make")}
        let_in(client).get(f"/p/{desk.number}/columns")
        desk._lanes["look"].settle()
        yield client, desk


def a_path(draw, desk):
    screens = [*SCREENS, "events2", "report", "dossier", "jobs", "frame"]
    screen = draw.choice(screens)
    actions = [
        *(SCREENS[screen].actions if screen in SCREENS else ()),
        "cancel",
        "again",
        draw.choice([*ODD[:3], *SCREENS]),
    ]
    number = draw.choice([desk.number, desk.number, desk.number, "x", "0" * 12])
    parts = ["p", number, screen, draw.choice(actions)][: draw.choice([1, 2, 3, 3, 4, 4, 4])]
    start = draw.choice(["/", "/", "/api/"])
    return start + "/".join(parts) if draw.random() < 0.95 else "/" + draw.choice(ODD[:4])


def a_body(draw):
    return {draw.choice(NAMES): draw.choice(VALUES) for _ in range(draw.randint(0, 5))}


@settings(max_examples=220 if FUZZING else 8)
@given(seed=st.integers(0, 2**32))
def test_random_requests_break_nothing(world, seed):
    client, desk = world
    draw = random.Random(seed)
    for _ in range(IN_ONE_GO):
        path, method = a_path(draw, desk), draw.choice(["GET", "POST", "POST", "PUT", "DELETE"])
        body = a_body(draw)
        if draw.random() < 0.3:
            kind = {"data": {k: str(v)[:500] for k, v in body.items()}}
        elif draw.random() < 0.9:
            kind = {
                "content": json.dumps(body).encode(),
                "headers": {"content-type": "application/json"},
            }
        else:
            kind = {"content": draw.randbytes(60), "headers": JSON}
        query = {draw.choice(["column", "candidate", "folder", "token"]): draw.choice(ODD)}
        answer = client.request(method, path.replace("\0", "%00"), params=query, **kind)
        assert answer.status_code < 500, (method, path, body, answer.text)
        assert "Traceback" not in answer.text
        assert CANARY not in answer.text, (method, path, body)
        desk._lanes["make"].jobs.clear()  # what is asked for is not carried out here
        desk._lanes["look"].jobs.clear()
        desk.forget("")
        desk.revealed.clear()


@settings(max_examples=20 if FUZZING else 2)
@given(seed=st.integers(0, 2**32))
def test_random_requests_of_a_stranger_get_nothing(world, seed):
    client, desk = world
    draw = random.Random(seed)
    kept = dict(client.cookies)
    client.cookies.clear()
    try:
        for _ in range(IN_ONE_GO):
            path = a_path(draw, desk).replace("\0", "%00")
            cookie = draw.choice(
                [{}, {desk.number: "x"}, {client.own.cookie_name: draw.choice(ODD[:3])}]
            )
            answer = client.request(
                draw.choice(["GET", "POST"]), path, json=a_body(draw),
                headers={"cookie": "; ".join(f"{k}={v}" for k, v in cookie.items())},
            )  # fmt: skip
            assert answer.status_code == 403, path
            assert "people" not in answer.text
    finally:
        client.cookies.update(kept)


HOSTILE = (
    *(10**400, "1" * 5000, "[" * 5000, f"local:{'0' * 8}1{'0' * 5000}", "a" * 300, "\u0661\u00b2"),
)
PLAUSIBLE = {
    **dict.fromkeys(("column", "columns", "target"), "age"),
    **{"k": 10, "number": 1, "candidate": "local:10", "path": "people.csv", "model": "people.csv"},
    **{"publishes": "counts", "way": "listen", "address": "127.0.0.1:4711", "ks": "2, 5"},
}


def test_a_hostile_value_in_any_field_of_any_route_is_refused_in_words(world):
    """Numbers beyond floats, names longer than files may have, and hidden digits were defects."""
    client, desk = world
    n_sent = 0
    for path, methods in describe_routes()["paths"].items():
        if "post" not in methods:
            continue
        body = methods["post"]["requestBody"]["content"]["application/json"]["schema"]
        for hostile in HOSTILE:
            for name in body["properties"]:
                fields = {n: PLAUSIBLE.get(n, "") for n in body["properties"]} | {name: hostile}
                answer = client.post(
                    path.replace("{project}", desk.number),
                    content=json.dumps(fields).encode(),
                    headers=JSON,
                )
                n_sent += 1
                assert answer.status_code in (200, 422), (path, name, str(hostile)[:20])
                assert CANARY not in answer.text
                desk._lanes["make"].jobs.clear()
                desk._lanes["look"].jobs.clear()
    desk.forget("")
    desk.revealed.clear()
    assert n_sent > 500
