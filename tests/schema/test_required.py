import pytest

from shoal.errors import SchemaError
from shoal.schema import Schema

COLUMNS = {name: {"role": "quasi-identifier"} for name in ("zip", "age", "job")}
COLUMNS |= {"illness": {"role": "sensitive"}}
ASKED = [
    {"columns": ["zip", "age"], "k": 10},
    {"columns": ["age", "job"], "k": 3, "diversity": ["distinct:2"]},
]


def test_requirements_survive_a_file(tmp_path):
    schema = Schema(COLUMNS, ASKED)
    text = schema.to_toml(tmp_path / "s.toml")
    assert text.count("[[requirements]]") == 2
    assert Schema.from_toml(tmp_path / "s.toml") == schema
    assert schema != Schema(COLUMNS)
    assert hash(schema) != hash(Schema(COLUMNS))


def test_a_copy_keeps_them():
    schema = Schema(COLUMNS, ASKED)
    changed = schema.replace(illness={"role": "insensitive"})
    assert changed.requirements == schema.requirements
    with pytest.raises(SchemaError, match="'job', which are no quasi-identifiers"):
        schema.replace(job={"role": "insensitive"})


@pytest.mark.parametrize(
    ("required", "said"),
    [
        ({"columns": ["zip"]}, "asks for nothing"),
        ({"columns": [], "k": 3}, "names no columns"),
        ({"k": 3}, "names no columns"),
        ({"columns": ["town"], "k": 3}, "'town', which are no"),
        ({"columns": ["illness"], "k": 3}, "'illness', which are no"),
        ({"columns": ["zip", "zip"], "k": 3}, "twice"),
        ({"columns": "zip", "k": 3}, "list of texts"),
        ({"columns": ["zip"], "k": 0}, "whole number"),
        ({"columns": ["zip"], "k": 2.5}, "whole number"),
        ({"columns": ["zip"], "k": True}, "whole number"),
        ({"columns": ["zip"], "size": 3}, "no 'size'"),
        ({"columns": ["zip"], "diversity": [2]}, "list of texts"),
        ("zip", "is a table"),
    ],
)
def test_what_cannot_be_asked_is_refused(required, said):
    with pytest.raises(SchemaError, match=said):
        Schema(COLUMNS, [required])


def test_other_parts_of_a_schema_are_still_refused():
    with pytest.raises(SchemaError, match="unknown part 'requirement'"):
        Schema.from_dict({"columns": COLUMNS, "requirement": ASKED})
    with pytest.raises(SchemaError, match="list of tables"):
        Schema.from_dict({"columns": COLUMNS, "requirements": {"k": 3}})
