from datetime import date

import duckdb
import numpy as np
import pytest

import shoal
from shoal.datasets import census
from shoal.discover import suggest_schema
from shoal.errors import TableError, TableWarning
from shoal.schema import Schema
from shoal.schema._builders import Intervals, Prefix
from shoal.schema._days import Dates
from tests.discover.columns.labelled import national


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
    assert roles["e"] == "quasi-identifier"  # nearly unique numbers find their row
    assert any("'e'" in warning for warning in found.warnings)
    assert roles["f"] == "identifier"  # nearly unique text
    assert roles["g"] == "quasi-identifier"
    assert any("says the same as" in line for line in found.reasons["c"] + found.reasons["d"])


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


@pytest.mark.parametrize(("n", "words"), [(0, "has no rows"), (1, "one row")])
def test_no_role_is_guessed_where_there_is_hardly_a_row(n, words):
    with pytest.raises(TableError, match=words):
        suggest_schema({"name": ["x"] * n, "illness": ["y"] * n, "age": [7] * n})


def test_a_national_number_that_repeats_is_the_person_behind_the_rows():
    numbers = [value for value in national("Poland")[:40] for _ in range(3)]
    found = suggest_schema({"c1": numbers, "c2": [i % 7 for i in range(120)]})
    assert found.schema["c1"].role == "subject"
    assert any("check digits agree" in line for line in found.reasons["c1"])


def test_diagnoses_cannot_be_linked_by_a_cost_that_was_called_insensitive():
    """Following the suggestion, nobody is found by the exact cost: it is coarsened."""
    rng = np.random.default_rng(0)
    n = 600
    table = {
        "age": rng.integers(20, 80, n).tolist(),
        "sex": rng.choice(["f", "m"], n).tolist(),
        "cost": np.round(rng.lognormal(7, 1, n), 2).tolist(),
        "diagnosis": rng.choice(["I10", "E11.9", "J45.0", "F32.1"], n).tolist(),
    }
    found = suggest_schema(table)
    assert found.schema["cost"].role == "quasi-identifier"
    released = shoal.release(table, found.schema, k=5, method="mondrian").table
    known = set(map(str, table["cost"]))
    assert sum(str(value) in known for value in released["cost"]) == 0
    warned = " ".join(found.warnings)
    assert "'cost'" in warned
    assert not any(value in warned for value in known)


def test_free_text_is_left_out_with_advice():
    words = ["came", "with", "pain", "since", "monday", "and", "left", "after", "an", "hour"]
    notes = [" ".join([*words[i % 5 :], str(i)]) for i in range(60)]
    found = suggest_schema({"remarks": notes, "age": [20 + i % 9 for i in range(60)]})
    assert found.schema["remarks"].role == "identifier"
    assert "columns of its own" in " ".join(found.reasons["remarks"])


def test_remarks_that_few_rows_have_are_free_text_too():
    remarks = ["" if i % 20 else f"mother of {i} who works at the mill in Ulm" for i in range(100)]
    found = suggest_schema(
        {"Bemerkung": remarks, "x9": remarks, "age": [i % 9 for i in range(100)]}
    )
    assert found.schema["Bemerkung"].role == "identifier"


def test_numbers_beyond_all_bounds_are_numbers():
    values = [float("inf"), -1.5, *map(float, range(40))]
    assert suggest_schema({"x": values}).schema["x"].role == "quasi-identifier"


def test_columns_of_own_values_are_not_taken_for_one_another():
    rng = np.random.default_rng(1)
    table = {name: rng.normal(size=80).round(4).tolist() for name in ("x1", "x2")}
    roles = {c.role for _, c in suggest_schema(table).schema.items()}
    assert roles == {"quasi-identifier"}


def visits(ids):
    return suggest_schema({"patient_id": ids, "age": [20 + i % 9 for i in range(len(ids))]})


def test_rows_without_a_number_make_no_number_repeat():
    found = visits([f"P{100000 + i}" for i in range(40)] + [None] * 4)
    assert found.schema["patient_id"].role == "identifier"
    assert not any("repeat" in why for why in found.reasons["patient_id"])


def test_a_number_that_repeats_beside_missing_ones_is_the_subject():
    found = visits([f"P{100000 + i}" for i in range(40)] + ["P100000", None, None])
    assert found.schema["patient_id"].role == "subject"


def test_numbers_of_cases_that_look_like_diagnoses_are_left_out():
    cases = [f"P{n:05d}" for n in range(60)]
    some = ["I10", "E11", "J45"] * 20
    found = suggest_schema({"Vorgang": cases, "Fallnr": cases[::-1], "Núm": cases, "code": some})
    assert [c.role for c in found.schema.values()] == ["identifier"] * 3 + ["sensitive"]


def test_days_of_admission_are_no_income_whatever_their_name():
    days = [date(2024, 1 + n % 12, 1 + n % 28) for n in range(60)]
    found = suggest_schema({"Ingreso": days, "ingresos": [1000 + n % 9 for n in range(60)]})
    assert [column.role for column in found.schema.values()] == ["quasi-identifier", "sensitive"]


def test_days_that_are_written_as_text_are_dates_like_others():
    days = [f"20{n % 3:02d}-0{1 + n % 9}-17" for n in range(60)]
    found = suggest_schema({"day": days, "spoken": [f"17 Mar 19{50 + n % 40}" for n in range(60)]})
    assert [column.kind for column in found.schema.values()] == ["date", "categorical"]
    assert found.schema["day"].hierarchy.periods == ("month", "quarter", "year")
    assert "decade" in found.schema["spoken"].hierarchy.periods
    assert shoal.release({"day": days}, Schema({"day": found.schema["day"]}), k=5).reached[0].holds


def test_columns_of_one_value_or_none_are_called_so():
    rows = {"age": [30, 40, 50], "place": ["x"] * 3, "remark": [None, None, None]}
    reasons = suggest_schema(rows).reasons
    assert reasons["place"][0] == "1 distinct value in 3 rows"
    assert reasons["remark"][0] == "no values at all in 3 rows"
    assert not any("one value" in why for why in reasons["remark"])


def test_what_is_warned_of_in_several_columns_is_said_once():
    """A survey codes no answer as 99 in every question."""
    answers = {f"q{i}": [1, 2, 3, 4, 5, 99] * 5 for i in range(7)}
    found = suggest_schema({"age": list(range(20, 50)), **answers})
    (said,) = [warning for warning in found.warnings if "codes for nothing" in warning]
    assert said.startswith("columns 'q0', 'q1', 'q2' and 4 more: one number stands far")
    assert set(found.warned) >= set(answers)


def test_a_unit_beside_the_numbers_does_not_hide_what_the_name_says(tmp_path):
    path = tmp_path / "stays.csv"
    rows = "".join(f"{i % 90};{97 * i},00 €;{i % 4}\n" for i in range(300))
    path.write_text("Alter;Kosten;Station\n" + rows)
    with pytest.warns(TableWarning, match="beside the unit"):
        suggestion = suggest_schema(path)
    assert suggestion.schema["Kosten"].role == "quasi-identifier"
    assert "its label in the file: in €" in suggestion.reasons["Kosten"]
    assert "never call it insensitive" in suggestion.warned["Kosten"][0]


def test_one_quasi_identifier_is_spoken_of_as_one(tmp_path):
    path = tmp_path / "ages.csv"
    path.write_text("age\n" + "".join(f"{20 + i % 30}\n" for i in range(90)))
    assert suggest_schema(path).summary == (
        "The one quasi-identifier has 30 different values in 90 rows.",
    )
