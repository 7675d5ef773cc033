import copy
import pickle
import tomllib

import pytest
from hypothesis import given

from shoal.errors import HierarchyError, SchemaError, TableError
from shoal.schema import Column, Schema
from shoal.schema._builders import Intervals
from shoal.schema._csv import FromFile
from tests.schema.strategies import schemas

AGE = {"role": "quasi-identifier", "kind": "numeric", "hierarchy": {"intervals": [5, 10]}}


@given(schema=schemas())
def test_copies_are_equal_and_hash_alike(schema):
    for twin in (pickle.loads(pickle.dumps(schema)), copy.deepcopy(schema), Schema(dict(schema))):
        assert twin == schema
        assert hash(twin) == hash(schema)


def test_the_order_of_columns_counts():
    a, b = Column("sensitive"), Column("insensitive")
    assert Schema({"a": a, "b": b}) != Schema({"b": b, "a": a})
    assert Schema({"a": a}) != {"a": a}


def test_roles():
    schema = Schema(
        {
            "name": {"role": "identifier"},
            "age": AGE,
            "illness": {"role": "sensitive", "target": True},
            "note": {"role": "insensitive"},
        }
    )
    assert schema.identifiers == ("name",)
    assert schema.quasi_identifiers == ("age",)
    assert schema.sensitive == ("illness",)
    assert schema.having("insensitive") == ("note",)
    assert schema.target == "illness"
    assert Schema({"age": AGE}).target is None
    assert schema["age"].hierarchy == Intervals((5, 10))
    changed = schema.replace(note={"role": "sensitive"})
    assert changed.sensitive == ("illness", "note")
    assert schema.sensitive == ("illness",)


def test_a_subject_names_the_person_behind_a_row_and_is_never_released():
    schema = Schema({"patient": {"role": "subject"}, "name": {"role": "identifier"}, "age": AGE})
    assert schema.subject == "patient"
    assert schema.released == ("age",)
    assert schema.identifiers == ("name",)
    assert Schema({"age": AGE}).subject is None
    assert Schema.from_dict(schema.to_dict()) == schema
    with pytest.raises(SchemaError, match="2 subjects \\('patient', 'name'\\)"):
        schema.replace(name={"role": "subject"})
    with pytest.raises(SchemaError, match="a subject is never released, so no target"):
        schema.replace(patient={"role": "subject", "target": True})
    with pytest.raises(SchemaError, match="a tree counts rows, and column 'patient'"):
        schema.require_rows_of_own("a tree")


def test_undeclared_absent_and_doubled_columns_are_all_named():
    schema = Schema({"age": AGE, "x": {"role": "sensitive"}})
    schema.require(["x", "age"])
    with pytest.raises(SchemaError, match=r"without a role: 'ward', 'visit'\. Give each one"):
        schema.require(["age", "x", "ward", "visit"])
    with pytest.raises(SchemaError, match="the table lacks: 'age', 'x'"):
        schema.require([])
    with pytest.raises(SchemaError, match="given twice: 'age'"):
        schema.require(["age", "age", "x"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("columns = 3", "one table per column"),
        ("[other]\na = 1", "one table per column"),
        ("title = 'x'\n[columns.a]\nrole = 'sensitive'", "unknown part 'title'"),
        ("[columns]", "no columns"),
        ("[columns.a]\nkind = 'numeric'", "'a' has no role. Choose from identifier"),
        (
            "[columns.a]\nrole = 'quasi'",
            "'a': unknown role 'quasi'. Did you mean 'quasi-identifier'? Choose",
        ),
        ("[columns.a]\nrole = 'sensitive'\nkind = 'text'", "'a': unknown kind 'text'"),
        ("[columns.a]\nrole = 'sensitive'\nwidth = 3", "'a': unknown key 'width'. Known are"),
        ("[columns.a]\nrole = 'sensitive'\nweight = 'much'", "'a': weight must be a number"),
        ("[columns.a]\nrole = 'sensitive'\nweight = true", "'a': weight must be a number"),
        ("[columns.a]\nrole = 'sensitive'\nweight = -1", "'a': weight must not be negative"),
        ("[columns.a]\nrole = 'sensitive'\nlimit = 3", "'a': limit must be a list of labels"),
        ("[columns.a]\nrole = 'sensitive'\nlimit_level = 'x'", "limit_level must be a whole"),
        ("[columns.a]\nrole = 'sensitive'\ntarget = 1", "'a': target must be true or false"),
        ("[columns.a]\nrole = 'sensitive'\norder = ['x']", "'a': order is for ordinal"),
        ("[columns.a]\nrole = 'sensitive'\nlimit = ['x']", "'a': a limit needs a hierarchy"),
        (
            "[columns.a]\nrole = 'sensitive'\nhierarchy = 'flat'\nlimit = ['x']\nlimit_level = 1",
            "limit or limit_level, not both",
        ),
        ("[columns.a]\nrole = 'identifier'\ntarget = true", "never released, so no target"),
        (
            "[columns.a]\nrole='sensitive'\ntarget=true\n[columns.b]\nrole='sensitive'\ntarget=true",
            "2 targets ('a', 'b'). Keep one",
        ),
        ("[columns]\na = 'sensitive'", "'a': give a table with at least a role"),
        ("[columns]\na = 'sensitive'", 'such as {"role": "quasi-identifier"} in Python'),
        ("[columns.a", "not valid TOML"),
    ],
)
def test_a_wrong_file_says_what_is_wrong(tmp_path, content, message):
    path = tmp_path / "s.toml"
    path.write_text(content)
    with pytest.raises(SchemaError) as caught:
        Schema.from_toml(path)
    assert message in str(caught.value)


@pytest.mark.parametrize("columns", [["age"], "schema.toml", None])
def test_what_describes_no_columns_is_told_how_a_schema_is_written(columns):
    with pytest.raises(SchemaError, match=r'Write Schema\({"age": {"role": "quasi-identifier"}}\)'):
        Schema(columns)


def test_an_unreadable_file_says_so(tmp_path):
    with pytest.raises(SchemaError, match=r"cannot read schema nothing\.toml: No such file"):
        Schema.from_toml(tmp_path / "nothing.toml")
    (tmp_path / "latin.toml").write_bytes(b"# \xe9")
    with pytest.raises(SchemaError, match=r"latin\.toml is not valid TOML"):
        Schema.from_toml(tmp_path / "latin.toml")


def test_the_text_of_a_schema_in_the_place_of_its_path_is_not_repeated():
    text = '[columns.town]\nrole = "quasi-identifier"\nhierarchy = {tree = {North = ["Kiel"]}}\n'
    with pytest.raises(SchemaError, match="takes the path of a schema file") as caught:
        Schema.from_toml(text)
    assert "Kiel" not in str(caught.value)
    assert Schema.from_dict(tomllib.loads(text))["town"].role == "quasi-identifier"


def test_hierarchy_files_are_found_from_wherever_the_schema_is(tmp_path, monkeypatch):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "a" / "sex.csv").write_text("F;*\nM;*\n")
    column = Column("quasi-identifier", hierarchy=FromFile("sex.csv", str(tmp_path / "a")))
    schema = Schema({"sex": column})
    for place in ("a", "b"):
        schema.to_toml(tmp_path / place / "s.toml")
        again = Schema.from_toml(tmp_path / place / "s.toml")
        assert again == schema
        assert hash(again) == hash(schema)
        assert again["sex"].hierarchy.build(["F"]).n_leaves == 2
    monkeypatch.chdir(tmp_path / "a")
    relative = Schema({"sex": Column("quasi-identifier", hierarchy=FromFile("sex.csv"))})
    relative.to_toml("../b/t.toml")
    assert Schema.from_toml(tmp_path / "b" / "t.toml") == relative
    assert '"../a/sex.csv"' in (tmp_path / "b" / "t.toml").read_text()
    (tmp_path / "b" / "scratch").mkdir()
    relative.to_toml(tmp_path / "b" / "scratch" / "u.toml", folder=tmp_path / "b")
    (tmp_path / "b" / "scratch" / "u.toml").rename(tmp_path / "b" / "u.toml")
    assert Schema.from_toml(tmp_path / "b" / "u.toml") == relative
    assert relative.to_dict()["columns"]["sex"]["hierarchy"] == {"file": "sex.csv"}


def test_writing_is_whole_or_not_at_all(tmp_path):
    schema = Schema({"age": AGE})
    with pytest.raises(TableError, match="folder 'nowhere' does not exist"):
        schema.to_toml(tmp_path / "nowhere" / "s.toml")
    schema.to_toml(tmp_path / "s.toml")
    assert [p.name for p in tmp_path.iterdir()] == ["s.toml"]
    assert Schema.from_toml(tmp_path / "s.toml") == schema


def test_a_hierarchy_with_a_leaf_for_missing_values_is_refused():
    tree = Intervals((5,)).build([1, 7]).with_missing()
    with pytest.raises(SchemaError, match="leaf for missing values"):
        Schema({"age": Column("quasi-identifier", hierarchy=tree)})


def test_columns_without_a_mapping_or_hierarchy_of_the_wrong_sort():
    with pytest.raises(HierarchyError, match="neither"):
        Schema({"a": {"role": "sensitive", "hierarchy": 3}})
    with pytest.raises(SchemaError, match="hierarchy must be a hierarchy"):
        Schema({"a": Column("sensitive", hierarchy=3)})


def test_repr_tells_roles():
    assert repr(Schema({"age": AGE})) == "Schema(age: quasi-identifier)"


def test_a_misspelt_column_is_named_beside_the_one_that_is_meant():
    schema = Schema({"Citty": Column("quasi-identifier"), "ill": Column("sensitive")})
    with pytest.raises(SchemaError, match="Did you write 'Citty' for 'city'"):
        schema.require(["city", "ill"])
    with pytest.raises(SchemaError) as caught:
        schema.require(["Citty", "ill", "weight"])
    assert "Did you" not in str(caught.value)


def test_a_table_that_is_taken_for_a_schema_is_not_quoted(tmp_path):
    (tmp_path / "people.csv").write_text("[Quellmann]\n[Quellmann]\n")
    with pytest.raises(SchemaError, match="is no schema, which is a TOML file") as caught:
        Schema.from_toml(tmp_path / "people.csv")
    assert "Quellmann" not in str(caught.value)


def test_a_column_takes_its_hierarchy_as_files_write_it():
    for written in ({"intervals": [5, 10]}, {"prefix": 2}, "flat"):
        read = Schema({"a": {"role": "quasi-identifier", "hierarchy": written}})["a"]
        assert Column("quasi-identifier", hierarchy=written) == read
    with pytest.raises(SchemaError, match="hierarchy"):
        Column("quasi-identifier", hierarchy={"interval": [5]})
