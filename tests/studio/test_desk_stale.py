"""What was found out before a change is dropped, or marked as of before."""

import pytest
from typer.testing import CliRunner

from shoal.cli import app
from shoal.studio.screens.signing._sign import checklist
from tests.audit.trials import quick_audits as quick_audits
from tests.studio.desks import Bureau

pytestmark = pytest.mark.usefixtures("quick_audits")


@pytest.fixture
def bureau(tmp_path):
    made = Bureau(tmp_path).with_roles()
    made.act("columns", "set", columns=["name"], role="identifier")
    made.act("columns", "set", columns=["illness"], role="sensitive", target="yes")
    made.act("columns", "set", columns=["age", "city"], role="quasi-identifier")
    made.desk.project.set(method="top-down", k=5)
    return made


def test_models_lattices_and_attacks_are_of_the_schema_they_were_made_with(bureau):
    bureau.act("compare", "train", candidate="top-down:5")
    bureau.act("explore", "lattice")
    bureau.act("attack", "run", attack="linking")
    bureau.settle()
    assert bureau.show("compare")["trained"]["value"]["raw"]["accuracy"] is not None
    assert bureau.show("explore")["lattice_found"]
    assert [one["stale"] for one in bureau.show("attack")["results"]] == [False]
    bureau.act("columns", "set", columns=["city"], role="insensitive")
    assert bureau.show("compare")["trained"] is None
    assert bureau.show("explore")["lattice_found"] is None
    assert [one["stale"] for one in bureau.show("attack")["results"]] == [True]
    open_points = [one["name"] for one in bureau.show("sign")["checklist"] if not one["done"]]
    assert "attacked" in open_points
    bureau.act("columns", "undo")  # and of that schema again
    assert bureau.show("compare")["trained"]["state"] == "ready"
    assert [one["stale"] for one in bureau.show("attack")["results"]] == [False]


def test_an_audit_is_of_the_model_and_the_schema_it_was_made_with(bureau):
    project = bureau.desk.project
    words = ["tree", str(project.table), "--schema", str(project.schema_path), "-k", "4"]
    words += ["--out", str(project.folder / "tree.json"), "--test-share", "0"]
    assert CliRunner().invoke(app, words).exit_code == 0
    bureau.act("model", "audit", model="tree.json", k="4")
    bureau.settle()
    shown = bureau.show("model")
    assert (shown["stale"], bool(shown["found"])) == (False, True)
    model = project.folder / "tree.json"
    model.write_text(model.read_text() + "\n")
    shown = bureau.show("model")
    assert (shown["stale"], shown["found"]) == (True, None)


def test_a_hierarchy_that_was_changed_is_not_called_covered(bureau):
    bureau.show("hierarchies")
    assert [one["uncovered"] for one in bureau.show("hierarchies")["columns"]] == [0, 0]
    bureau.act("hierarchies", "recipe", column="city", recipe='{"tree": {"North": ["Kiel"]}}')
    (covered,) = [c for c in checklist(bureau.desk) if c["name"] == "covered"]
    assert not covered["done"]  # nobody looked yet, and nothing is said of before
    (covered,) = [c for c in bureau.show("sign")["checklist"] if c["name"] == "covered"]
    assert (covered["done"], covered["count"]) == (False, 1)  # signing looks by itself
    bureau.act("columns", "undo")
    (covered,) = [c for c in bureau.show("sign")["checklist"] if c["name"] == "covered"]
    assert covered["done"]


def test_what_a_schema_file_says_besides_stays_when_a_target_is_chosen(bureau):
    path = bureau.desk.project.schema_path
    text = path.read_text().replace('[columns.age]\nrole = "quasi-identifier"',
                                    '[columns.age]\nrole = "sensitive"')  # fmt: skip
    lines = [line for line in text.splitlines() if not line.startswith("hierarchy = {intervals")]
    path.write_text("\n".join(lines) + "\n")
    bureau.desk.project.reload()
    bureau.act("columns", "set", columns=["age"], role="sensitive", kind="numeric")
    schema = bureau.desk.schema
    from dataclasses import replace

    from shoal.schema import Schema

    coarse = replace(schema["age"], round_to=5.0)
    bureau.desk.change_schema(Schema({**schema, "age": coarse}), "rounded")
    bureau.act("columns", "set", columns=["age"], target="yes")
    assert bureau.desk.schema["age"].round_to == 5.0
    bureau.act("columns", "set", columns=["age"], role="insensitive")
    assert bureau.desk.schema["age"].round_to == 5.0
