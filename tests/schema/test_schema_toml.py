import tomllib

import pytest
from hypothesis import given, strategies as st

from shoal._plain import table_toml
from shoal.schema import Hierarchy, Schema
from tests.schema.strategies import labels, schemas


@given(schema=schemas())
def test_a_schema_comes_back_from_its_text_exactly(schema):
    again = Schema.from_dict(tomllib.loads(schema.to_toml()))
    assert again == schema
    assert hash(again) == hash(schema)
    assert list(again) == list(schema)
    assert again.to_toml() == schema.to_toml()


scalars = labels | st.integers() | st.floats(allow_nan=False) | st.booleans()
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(labels, inner, max_size=3),
    max_leaves=6,
)
tables_of = st.dictionaries(
    labels, st.dictionaries(labels, values, max_size=3), min_size=1, max_size=3
)


@given(tables=tables_of)
def test_any_table_comes_back_exactly(tables):
    content = "\n".join(table_toml(("columns", name), table) for name, table in tables.items())
    assert tomllib.loads(content)["columns"] == tables


@given(lines=st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_comments_never_change_what_is_read(lines):
    schema = Schema({"age": {"role": "sensitive"}})
    content = schema.to_toml(comments={"age": lines}, header=lines)
    assert tomllib.loads(content) == schema.to_dict()


def test_the_file_reads_as_people_write_it():
    schema = Schema(
        {
            "age": {
                "role": "quasi-identifier",
                "kind": "numeric",
                "hierarchy": {"intervals": [5, 10, 20]},
                "weight": 2,
            },
            "home town": {"role": "insensitive"},
        }
    )
    content = schema.to_toml(comments={"age": ["73 values"]}, header=["suggested", ""])
    assert content == (
        "# suggested\n"
        "#\n"
        "\n"
        "# 73 values\n"
        "[columns.age]\n"
        'role = "quasi-identifier"\n'
        'kind = "numeric"\n'
        "hierarchy = {intervals = [5, 10, 20]}\n"
        "weight = 2.0\n"
        "\n"
        '[columns."home town"]\n'
        'role = "insensitive"\n'
        'kind = "categorical"\n'
    )


def test_a_long_hierarchy_is_spread_over_lines():
    tree = Hierarchy.from_levels([(f"value {i}", f"group {i // 3}", "*") for i in range(12)])
    schema = Schema({"x": {"role": "quasi-identifier", "hierarchy": tree}})
    content = schema.to_toml()
    assert max(map(len, content.splitlines())) <= 100
    assert Schema.from_dict(tomllib.loads(content)) == schema


def test_what_toml_cannot_hold_is_a_type_error():
    with pytest.raises(TypeError, match="NoneType"):
        table_toml(("columns", "x"), {"y": None})
