import json

import pytest

from shoal.errors import ParameterError, SchemaError, TableError
from shoal.schema import Schema
from shoal.studio.project._project import Project, folder_for, is_project

SCHEMA = Schema({"age": {"role": "quasi-identifier"}, "illness": {"role": "sensitive"}})


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age,illness\n31,flu\n32,gout\n")
    return path


def test_a_project_is_opened_where_it_was_left(table, tmp_path):
    first = Project.create(tmp_path / "p.shoal", table)
    first.save_schema(SCHEMA, {"age": ["others know it"]})
    first.set(k=7, conditions=("distinct:2@illness",), accepted=("age",), suppress=0.02)
    first.note("asked for k = 7", "the board said so", "Ada")
    again = Project(tmp_path / "p.shoal")
    assert again.settings == first.settings
    assert again.schema == SCHEMA
    assert again.table == table
    assert "# others know it" in again.schema_text()
    assert [d.what for d in again.decisions()] == ["opened people.csv", "asked for k = 7"]
    assert again.decisions()[1].who == "Ada"


def test_files_are_readable_without_the_studio(table, tmp_path):
    project = Project.create(tmp_path / "p.shoal", table)
    project.set(k=5)
    assert "[promise]\nk = 5\n" in (project.folder / "project.toml").read_text()
    for line in (project.folder / "decisions.jsonl").read_text().splitlines():
        assert set(json.loads(line)) == {"when", "who", "what", "why"}


def test_tables_that_are_named_alike_have_projects_of_their_own(table, tmp_path):
    for name in ("people.2024.csv", "people.tsv"):
        (tmp_path / name).write_text(table.read_text())
    for _ in range(2):  # begun, and found again
        for name in ("people.csv", "people.2024.csv", "people.tsv"):
            project = Project.create(folder_for(tmp_path / name), tmp_path / name)
            assert project.table == tmp_path / name
    found = sorted(path.name for path in tmp_path.glob("*.shoal"))
    assert found == ["people.2024.csv.shoal", "people.shoal", "people.tsv.shoal"]
    with pytest.raises(ParameterError, match=r"the project of 'people.csv', not of 'people.tsv'"):
        Project.create(tmp_path / "people.shoal", tmp_path / "people.tsv")


def test_a_project_with_roles_of_its_own_is_not_written_over(table, tmp_path):
    first = Project.create(tmp_path / "p.shoal", table)
    first.save_schema(SCHEMA, {})
    other = tmp_path / "more.csv"
    other.write_text(table.read_text())
    own = Project.create(tmp_path / "more.shoal", other)
    own.save_schema(Schema({"age": {"role": "identifier"}}), {})
    with pytest.raises(ParameterError, match=r"with roles of its own: 'more\.shoal'"):
        first.copy_for(other, own.folder)
    assert Project(own.folder).schema == own.schema
    with pytest.raises(ParameterError, match="with roles of its own"):
        first.copy_for(table, first.folder)


def test_a_folder_of_the_command_line_is_a_project(table, tmp_path):
    SCHEMA.to_toml(tmp_path / "schema.toml")
    (tmp_path / "r.csv").write_text("age\n*\n")
    (tmp_path / "r.manifest.json").write_text('{"guarantee": "every group has 2 rows"}')
    assert is_project(tmp_path)
    project = Project(tmp_path)
    assert project.table == table
    assert [release["name"] for release in project.releases()] == ["r.csv"]


def test_a_second_table_gets_schema_and_promise_in_one_go(table, tmp_path):
    first = Project.create(tmp_path / "p.shoal", table)
    with pytest.raises(SchemaError, match="no schema"):
        first.copy_for(table, tmp_path / "q.shoal")
    first.save_schema(SCHEMA, {})
    first.set(k=4)
    other = tmp_path / "more.csv"
    other.write_text(table.read_text())
    second = first.copy_for(other, tmp_path / "q.shoal")
    assert (second.table, second.settings.k, second.schema) == (other, 4, SCHEMA)


def test_what_is_no_project_is_told(table, tmp_path):
    with pytest.raises(ParameterError, match="no project"):
        Project(tmp_path)
    project = Project.create(tmp_path / "p.shoal", table)
    table.unlink()
    with pytest.raises(TableError, match="not there any more"):
        project.table_stamp()


def test_settings_of_the_wrong_type_are_refused(table, tmp_path):
    project = Project.create(tmp_path / "p.shoal", table)
    (project.folder / "project.toml").write_text('[promise]\nk = "many"\n')
    with pytest.raises(SchemaError, match="k has a value"):
        Project(project.folder)


@pytest.mark.parametrize("manifest", ["[]", "5", "null", '"x"', "[" * 100_000])
def test_a_project_with_a_damaged_manifest_opens(table, tmp_path, manifest):
    project = Project.create(tmp_path / "one.shoal", table)
    (project.folder / "r.csv").write_text("age\n3\n")
    (project.folder / "r.manifest.json").write_text(manifest)
    (project.folder / "decisions.jsonl").write_text(f'{manifest}\n{{"who": 5}}\n')
    again = Project(project.folder)
    assert [one["guarantee"] for one in again.releases()] == [""]
    assert [one.who for one in again.decisions()] == ["5"]


@pytest.mark.parametrize("name", ["project.toml", "schema.toml"])
def test_settings_that_are_nested_too_deep_are_no_toml(table, tmp_path, name):
    project = Project.create(tmp_path / "one.shoal", table)
    (project.folder / name).write_text("a = " + "[" * 100_000)
    with pytest.raises(SchemaError, match="not valid TOML"):
        Project(project.folder)
