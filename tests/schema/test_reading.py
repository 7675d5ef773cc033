"""What a schema says about how its table is read is checked, kept, and never published."""

import pickle

import pytest
from sklearn.base import clone

from shoal import Schema
from shoal.anonymize import Mondrian
from shoal.errors import SchemaError
from shoal.schema._schema import published_schema

COLUMN = {"age": {"role": "quasi-identifier"}}


def test_a_schema_file_keeps_how_its_table_is_read(tmp_path):
    said = {"encoding": "cp1252", "header": False, "missing": ["k.A.", "-9"], "sheet": "Daten"}
    schema = Schema(COLUMN, reading=said)
    schema.to_toml(tmp_path / "s.toml")
    again = Schema.from_toml(tmp_path / "s.toml")
    assert again == schema
    assert again != Schema(COLUMN)
    assert again.reading["missing"] == ("k.A.", "-9")
    assert again.replace(sex={"role": "sensitive"}).reading == schema.reading


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"separator": ";"}, "has no 'separator'. It has encoding, delimiter"),
        ({"decimal": ";"}, "decimal"),
        ({"dates": "ymd"}, "dates"),
        ({"thousands": "  "}, "give one sign"),
        ({"header": "yes"}, "write true or false"),
        ({"encoding": 1252}, "write a text in quotes"),
        ({"missing": [True]}, "write a text in quotes"),
        ("cp1252", r"one table of the schema: \[reading\]"),
    ],
)
def test_what_no_file_is_read_by_is_refused(said, told):
    with pytest.raises(SchemaError, match=told):
        Schema(COLUMN, reading=said)


def test_what_is_published_says_nothing_of_it():
    """Words for nothing and names of sheets are the house's own."""
    schema = Schema(COLUMN, reading={"sheet": "Ward 7", "missing": ["refused"]})
    assert "reading" not in published_schema(schema, {}).to_dict()


def test_models_that_are_given_out_do_not_hold_it_and_clones_do():
    schema = Schema(COLUMN, reading={"sheet": "Ward 7", "missing": ["refused"]})
    assert b"Ward 7" not in pickle.dumps(schema)
    assert pickle.loads(pickle.dumps(schema)) == Schema(COLUMN)
    assert clone(Mondrian(schema, 5)).schema.reading == schema.reading
