import duckdb
import pytest

from shoal.datasets import census
from shoal.discover import suggest_schema
from shoal.schema import Dates, Intervals, Prefix, Schema


@pytest.fixture(scope="module")
def suggestion(tmp_path_factory):
    return suggest_schema(census(400).to_file(tmp_path_factory.mktemp("people") / "people.csv"))


def test_names_and_shares_decide_roles(suggestion):
    roles = {name: column.role for name, column in suggestion.schema.items()}
    assert roles["name"] == "identifier"
    assert roles["illness"] == roles["income"] == "sensitive"
    for name in ("age", "sex", "zip", "education", "occupation", "birth_date"):
        assert roles[name] == "quasi-identifier"
    assert suggestion.schema.target == "illness"


def test_kinds_decide_hierarchies(suggestion):
    schema = suggestion.schema
    assert isinstance(schema["age"].hierarchy, Intervals)
    assert isinstance(schema["birth_date"].hierarchy, Dates)
    assert isinstance(schema["zip"].hierarchy, Prefix)
    assert schema["birth_date"].kind == "date"


def test_every_column_has_reasons_and_they_hold_no_values(suggestion):
    assert set(suggestion.reasons) == set(suggestion.schema)
    text = suggestion.to_toml()
    assert not any(value in text for value in ("heart disease", "Ada", "engineer", "doctorate"))
    assert all(lines for lines in suggestion.reasons.values())


def test_the_text_is_a_schema_file(suggestion, tmp_path):
    suggestion.to_toml(tmp_path / "s.toml")
    assert Schema.from_toml(tmp_path / "s.toml") == suggestion.schema


def test_shares_decide_where_names_are_silent():
    table = duckdb.sql(
        "SELECT i AS a, 'x' AS b, i % 3 AS c, (i % 3) * 10 AS d, i / 7.0 AS e, "
        "'v' || (i * 2 // 3) AS f, CAST('2020-01-01' AS DATE) + CAST(i % 40 AS INTEGER) AS g "
        "FROM range(90) AS t(i)"
    )
    found = suggest_schema(table)
    roles = {name: column.role for name, column in found.schema.items()}
    assert roles["a"] == "identifier"  # every row has its own
    assert roles["b"] == "insensitive"  # one value
    assert sorted([roles["c"], roles["d"]]) == ["identifier", "quasi-identifier"]  # twins
    assert roles["e"] == "insensitive"  # a measurement
    assert roles["f"] == "identifier"  # nearly unique text
    assert roles["g"] == "quasi-identifier"
    assert any("says the same as" in line for line in found.reasons["c"] + found.reasons["d"])


def test_an_empty_table_gets_a_schema_too():
    found = suggest_schema(duckdb.sql("SELECT 1 AS age, 'x' AS name WHERE false"))
    assert set(found.schema) == {"age", "name"}


def test_a_repeating_identifier_is_proposed_as_the_subject():
    n = 60
    visits = {
        "visit_id": range(n),
        "PatientNo": [i % 20 for i in range(n)],
        "insurance_account": [i % 25 for i in range(n)],
        "last_name": [f"name {i % 15}" for i in range(n)],
        "age": [20 + i % 9 for i in range(n)],
    }
    found = suggest_schema(visits)
    roles = {name: found.schema[name].role for name in found.schema}
    assert found.schema.subject == "PatientNo"
    assert roles["visit_id"] == roles["last_name"] == roles["insurance_account"] == "identifier"
    assert any("person behind several rows" in line for line in found.reasons["PatientNo"])
    for name in ("last_name", "insurance_account"):
        assert any("make it the subject" in line for line in found.reasons[name])
    assert not any("subject" in line for line in found.reasons["visit_id"])


@pytest.mark.parametrize("n", [0, 1])
def test_names_stay_identifiers_in_tables_with_hardly_a_row(n):
    found = suggest_schema({"name": ["x"] * n, "illness": ["y"] * n, "age": [7] * n})
    roles = {name: found.schema[name].role for name in found.schema}
    assert roles == {"name": "identifier", "illness": "sensitive", "age": "quasi-identifier"}
