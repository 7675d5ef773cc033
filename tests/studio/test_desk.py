"""What a desk knows, forgets, takes back and remembers."""

import pytest

from shoal.errors import ParameterError
from tests.studio.desks import Bureau


def test_a_fact_is_worked_out_once_and_again_when_what_it_depends_on_changes(tmp_path):
    bureau = Bureau(tmp_path)
    desk = bureau.desk
    first = desk.fact("glance", "glance", desk.table_args())
    assert first["state"] == "working"
    bureau.settle()
    known = desk.fact("glance", "glance", desk.table_args())
    assert (known["state"], known["value"]["rows"]) == ("ready", 200)
    table = desk.project.table
    table.write_text(table.read_text() + "Zed,30,Ulm,flu\n")
    assert desk.fact("glance", "glance", desk.table_args())["state"] == "working"
    bureau.settle()
    assert desk.known("glance")["rows"] == 201


def test_what_failed_is_told_and_not_tried_again_by_itself(tmp_path):
    bureau = Bureau(tmp_path)
    bureau.desk.project.table.write_text("")
    bureau.show("table")
    fact = bureau.show("table")["overview"]
    assert fact["state"] == "failed"
    assert "empty" in fact["error"]
    assert bureau.desk.jobs() == []


def test_a_project_opened_again_knows_reasons_and_attacks(tmp_path):
    first = Bureau(tmp_path).with_roles()
    first.act("columns", "set", columns=["illness"], role="sensitive")
    first.act("columns", "set", columns=["age", "city"], role="quasi-identifier")
    first.desk.project.set(method="top-down", k=5)
    first.act("attack", "run", attack="linking")
    first.settle()
    again = Bureau(tmp_path, first.desk.project.table)
    columns = again.show("columns")["columns"]  # nothing is worked out for the reasons
    assert all(column["reasons"] for column in columns)
    assert len(again.show("attack")["results"]) == 1


def test_changes_of_the_schema_are_taken_back_in_order(tmp_path):
    bureau = Bureau(tmp_path).with_roles()
    texts = [bureau.desk.project.schema_text()]
    for role in ("sensitive", "insensitive", "identifier"):
        bureau.act("columns", "set", columns=["city"], role=role)
        texts.append(bureau.desk.project.schema_text())
    for text in texts[-2::-1]:
        bureau.act("columns", "undo")
        assert bureau.desk.project.schema_text() == text
    with pytest.raises(ParameterError, match="take back"):
        bureau.act("columns", "undo")
    for text in texts[1:]:
        bureau.act("columns", "undo", again="true")
        assert bureau.desk.project.schema_text() == text


def test_many_open_pages_do_not_pile_up(tmp_path):
    desk = Bureau(tmp_path).desk
    queues = [desk.watch() for _ in range(50)]
    assert len(desk._watchers) <= 21
    for _ in range(2_000):
        desk.tell({"changed": "x"})  # nobody listens: the oldest messages stay, no more come
    for queue in queues:
        desk.unwatch(queue)
    assert not desk._watchers
