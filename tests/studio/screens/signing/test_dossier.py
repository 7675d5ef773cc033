"""The dossier on the screen Sign: answers are kept, the page is served, its verdict counts."""

import json

import pytest

from shoal.errors import ParameterError
from shoal.report.dossier._form import QUESTIONS, read_form
from shoal.studio._page import page_of
from shoal.studio._texts import load_texts
from shoal.studio.screens._registry import SCREENS
from shoal.studio.screens.signing._dossier import ASKED
from tests.studio.desks import Bureau, let_in, make_client

NAMES = {"roles": "Ada", "promise": "Ben", "approval": "Cleo"}


@pytest.fixture(scope="module")
def office(tmp_path_factory):
    """A project with a release of five that could be signed."""
    made = Bureau(tmp_path_factory.mktemp("dossier")).with_roles()
    made.act("columns", "set", columns=["illness"], role="sensitive")
    made.act("columns", "set", columns=["age", "city"], role="quasi-identifier")
    made.act("columns", "accept")
    made.act("promise", "set", recipient="contract")
    made.act("explore", "choose", candidate="top-down:5")
    made.act("attack", "run", attack="linking")
    made.act("sign", "write", name="five.csv", order_seed="3")
    made.settle()
    return made


@pytest.fixture
def bureau(office):
    """The same, without answers."""
    form = office.desk.project.folder / "releases" / "five.dossier.toml"
    form.unlink(missing_ok=True)
    return office


def papers(bureau):
    return bureau.show("sign")["releases"][0]["papers"]


def answer(bureau, **given):
    bureau.act("sign", "dossier", release="five.csv", **given)
    bureau.settle()
    assert bureau.desk.results["dossier"]["state"] == "done", bureau.desk.results["dossier"]
    return papers(bureau)


def test_the_questions_are_those_of_the_form():
    assert {section: tuple(keys) for section, keys in QUESTIONS.items()} == ASKED
    told = {key: question for keys in QUESTIONS.values() for key, question in keys.items()}
    assert {key: load_texts().questions[key] for key in told} == told


def test_the_threshold_is_that_of_the_recipient_until_somebody_says_another(bureau):
    assert papers(bureau)["threshold"] == 0.2
    bureau.desk.project.set(recipient="public")
    assert papers(bureau)["threshold"] == 0.091
    assert 1 / 11 <= 0.091
    bureau.desk.project.set(recipient="contract")


def test_answers_are_kept_and_the_page_is_served(bureau):
    shown = answer(bureau, purpose="A study of\r\nillness <b>", name="Ada")
    assert shown["found"]["accepted"] is True
    assert shown["unanswered"] == 9
    form = read_form(bureau.desk.project.folder / "releases" / "five.dossier.toml")
    assert form.answers["signature"]["name"] == "Ada"
    again = answer(bureau, role="officer", name="")  # what is not given stays as it was
    assert again["answers"]["purpose"].startswith("A study of")
    assert (again["answers"]["name"], again["answers"]["role"]) == ("", "officer")
    page = page_of(bureau.room, SCREENS["sign"], bureau.show("sign"), {}, "")
    assert "illness &lt;b&gt;</textarea>" in page
    assert "within the threshold" in page
    client = let_in(make_client(bureau.folder))
    number = client.post("/api/open", json={"path": str(bureau.desk.project.folder)})
    number = number.json()["project"]
    served = client.get(f"/p/{number}/dossier/five.csv")
    assert served.status_code == 200
    assert "illness &lt;b&gt;" in served.text
    assert "sandbox" in served.headers["content-security-policy"]
    assert "Person" not in served.text
    assert client.get(f"/p/{number}/dossier/other.csv").status_code == 404


def test_nothing_odd_is_written(bureau):
    for given in ({"threshold": "0"}, {"threshold": "1.5"}, {"purpose": "\ud800"},
                  {"control": "/etc/passwd"}):  # fmt: skip
        with pytest.raises(ParameterError):
            bureau.act("sign", "dossier", release="five.csv", **given)
    with pytest.raises(ParameterError, match="no release"):
        bureau.act("sign", "dossier", release="../five.csv")


def test_a_risk_above_the_threshold_cannot_be_signed(bureau):
    shown = answer(bureau, threshold="0.001")
    assert shown["found"]["accepted"] is False
    assert shown["threshold"] == 0.001
    with pytest.raises(ParameterError, match=r"risk of .* above the threshold of 0.001"):
        bureau.act("sign", "sign", release="five.csv", **NAMES)
    page = page_of(bureau.room, SCREENS["sign"], bureau.show("sign"), {}, "")
    assert "above the threshold" in page
    kept = json.loads(json.dumps(bureau.desk.history["dossier"][0]["value"]))
    assert "utility" not in kept
    answer(bureau, threshold="0.2")
    bureau.act("sign", "sign", release="five.csv", **NAMES)


def test_a_form_that_cannot_be_read_is_told_and_nothing_is_lost(bureau):
    form = bureau.desk.project.folder / "releases" / "five.dossier.toml"
    form.write_text("[risk")
    assert "no TOML" in papers(bureau)["error"]
    with pytest.raises(ParameterError, match="no TOML"):
        bureau.act("sign", "dossier", release="five.csv", name="Ben")
    assert form.read_text() == "[risk"
