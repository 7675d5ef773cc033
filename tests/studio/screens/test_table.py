"""The table and its neighbours: another one with the same schema is two clicks away."""

from tests.studio.desks import Bureau, let_in, make_client, write_people


def test_other_tables_of_the_folder_are_offered_once_there_is_a_schema(tmp_path):
    bureau = Bureau(tmp_path)
    write_people(tmp_path / "next year.csv", 90)
    (tmp_path / "notes.md").write_text("no table")
    assert bureau.show("table")["others"] == []
    bureau.with_roles()
    assert [other["name"] for other in bureau.show("table")["others"]] == ["next year.csv"]


def test_a_click_on_another_table_begins_a_project_like_this_one(tmp_path):
    bureau = Bureau(tmp_path).with_roles()
    bureau.desk.project.set(k=7, decimal=".", method="top-down")
    other = write_people(tmp_path / "next.csv", 90)
    with make_client(tmp_path) as client:
        desk = let_in(client).studio.take(bureau.desk.project)
        page = client.get(f"/p/{desk.number}/table").text
        assert f'name="path" value="{other}"' in page  # the second click; the first one unfolds it
        form = {"project": desk.number, "path": str(other)}
        answer = client.post("/start/again", data=form)
        assert answer.status_code == 303
        made = client.studio.desk(answer.headers["location"].split("/")[2]).project
    assert made.table == other
    assert (made.settings.k, made.settings.method, made.reading) == (
        7,
        "top-down",
        {"decimal": "."},
    )
    assert dict(made.schema) == dict(bureau.desk.schema)
