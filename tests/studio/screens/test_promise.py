import numpy as np
import pytest

from shoal.errors import ParameterError
from shoal.privacy._words import worded_models
from shoal.studio._page import page_of
from shoal.studio._texts import load_texts
from shoal.studio.screens._promise import exposed_at
from shoal.studio.screens._registry import SCREENS
from tests.studio.desks import Bureau


@pytest.fixture
def bureau(tmp_path):
    made = Bureau(tmp_path).with_roles()
    made.act("columns", "set", columns=["illness"], role="sensitive")
    made.act("columns", "set", columns=["age", "city"], role="quasi-identifier")
    return made


def test_who_is_exposed_is_what_a_plain_count_gives(bureau):
    rows = [line.split(",") for line in bureau.desk.project.table.read_text().split()[1:]]
    keys = [(age, city) for _, age, city, _ in rows]
    _, place, sizes = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    own = sizes[place.ravel()]
    found = bureau.show("promise")["exposure"]["value"]
    for k in (1, 2, 3, 5, 10, 1000):
        assert exposed_at(found, k)["n"] == int((own < k).sum())
    assert found["unique"] == int((own == 1).sum())
    ages = [age for _, age, _, _ in rows]
    assert found["without"]["city"] == sum(ages.count(age) == 1 for age in ages)


def test_a_recipient_proposes_k_and_k_can_be_changed(bureau):
    bureau.act("promise", "set", recipient="public")
    assert bureau.show("promise")["k"] == 11
    bureau.act("promise", "set", recipient="public", k="20", why="the board")
    shown = bureau.show("promise")
    assert (shown["k"], shown["recipient"]) == (20, "public")
    assert bureau.desk.project.decisions()[-1].why == "the board"
    for wrong in ({"k": "0"}, {"k": "x"}, {"suppress": "2"}, {"recipient": "nobody"}):
        with pytest.raises(ParameterError):
            bureau.act("promise", "set", **wrong)


def test_every_condition_of_the_registry_is_offered_with_its_meaning(bureau):
    offered = {one["word"]: one for one in bureau.show("promise")["conditions"]}
    assert set(offered) == set(worded_models())
    for one in offered.values():
        assert one["sentence"]
        assert one["leaves_open"]


def test_conditions_are_added_and_removed(bureau):
    bureau.act("promise", "add", condition="distinct:2", column="illness")
    (chosen,) = bureau.show("promise")["chosen"]
    assert chosen["text"] == "distinct:2@illness"
    with pytest.raises(ParameterError):
        bureau.act("promise", "add", condition="distinct:2", column="age")
    with pytest.raises(ParameterError):
        bureau.act("promise", "add", condition="magic:2")
    bureau.act("promise", "remove", condition="distinct:2@illness")
    assert bureau.show("promise")["chosen"] == []


def test_conditions_have_plain_names_and_ask_for_a_column_only_where_they_speak_of_one(bureau):
    shown = bureau.show("promise")
    page = page_of(bureau.room, SCREENS["promise"], shown, {}, "")
    assert "column every" not in page
    for one in shown["conditions"]:
        assert one["on_column"] == ("sensitive column" in one["sentence"])
        assert (f'id="column-{one["word"]}"' in page) == one["on_column"]
        assert load_texts().conditions[one["word"]] in page
        assert f"<h3>{one['name']}</h3>" not in page
        assert f"{one['word']}:{one['example']} (" in page


def test_a_condition_on_numbers_is_not_added_for_texts(bureau):
    with pytest.raises(ParameterError, match="column 'illness' is categorical"):
        bureau.act("promise", "add", condition="proximity:5:2", column="illness")
    with pytest.raises(ParameterError, match="column 'illness' is categorical"):
        bureau.act("promise", "add", condition="proximity:5:2")
    bureau.act("columns", "set", columns=["age"], role="sensitive", kind="numeric")
    bureau.act("promise", "add", condition="proximity:5:2", column="age")
    assert [one["text"] for one in bureau.show("promise")["chosen"]] == ["proximity:5:2@age"]


def test_a_k_that_no_group_can_have_is_told(bureau):
    for k, is_told in (("200", False), ("201", True)):
        bureau.act("promise", "set", k=k)
        page = page_of(bureau.room, SCREENS["promise"], bureau.show("promise"), {}, "")
        assert ("No group can have" in page) == is_told
