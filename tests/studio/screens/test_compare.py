"""What analysts still find in a candidate: asked by a button, forgotten when the schema changes."""

import pytest

from shoal.studio._page import page_of
from shoal.studio.screens._registry import SCREENS
from tests.studio.desks import Bureau


@pytest.fixture(scope="module")
def bureau(tmp_path_factory):
    made = Bureau(tmp_path_factory.mktemp("compare")).with_roles()
    made.act("columns", "set", columns=["illness"], role="sensitive")
    made.act("columns", "set", columns=["age", "city"], role="quasi-identifier")
    return made


def page(bureau):
    shown = bureau.show("compare", candidate="top-down:5")
    return shown, page_of(bureau.room, SCREENS["compare"], shown, {}, "")


def test_what_analysts_find_is_measured_when_asked_for(bureau):
    shown, html = page(bureau)
    assert shown["kept"] is None
    assert 'id="measure"' in html
    bureau.act("compare", "measure", candidate="top-down:5")
    assert bureau.room.desk.asked(
        "kept:top-down:5", "kept", bureau.desk.promise_args("top-down", 5)
    )["state"] == "working"  # fmt: skip
    bureau.settle()
    shown, html = page(bureau)
    found = shown["kept"]["value"]
    names = [one["name"] for one in found["measures"]]
    assert names[0] == "rows released"
    assert "error of counts (median)" in names
    assert all(f'<th scope="row">{name}</th>' in html for name in names)
    assert [one["name"] for one in found["columns"]] == ["age", "city", "illness"]
    assert found["columns"][2]["moved"] == pytest.approx(0)  # sensitive values stay as they are
    assert 'id="measure"' not in html
    assert "Person" not in html  # identifiers are in neither table


def test_it_is_not_shown_for_another_schema_and_can_be_asked_again(bureau):
    bureau.act("columns", "set", columns=["city"], role="insensitive")
    shown, html = page(bureau)
    assert shown["kept"] is None
    bureau.act("compare", "measure", candidate="top-down:5")
    job = bureau.desk._facts["kept:top-down:5"].job
    bureau.desk.cancel(job.number)
    shown, html = page(bureau)
    assert shown["kept"]["state"] == "failed"
    assert 'id="measure"' in html
    bureau.act("compare", "measure", candidate="top-down:5")
    shown, _ = page(bureau)
    assert shown["kept"]["state"] == "ready"


def test_a_table_too_large_to_hold_twice_says_what_to_do(bureau, monkeypatch):
    from shoal.studio.work import _keeping

    monkeypatch.setattr(_keeping, "MOST_ROWS", 100)
    bureau.act("columns", "set", columns=["city"], role="quasi-identifier")
    bureau.act("compare", "measure", candidate="top-down:6")
    bureau.settle()
    shown = bureau.show("compare", candidate="top-down:6")
    assert "more than 100 rows" in shown["kept"]["error"]
