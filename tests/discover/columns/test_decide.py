"""How well roles are told, on columns of many domains and languages."""

import datetime as dt

import pytest

from shoal.discover import suggest_schema
from shoal.discover.columns._decide import decide
from shoal.discover.columns._facts import Facts
from tests.discover.columns.labelled import IDENTIFIER, figures, fresh, held_out, table_of, tuning

SETS = {"tuning": tuning, "held out": held_out, "fresh": fresh}


@pytest.fixture(scope="module", params=SETS)
def told(request):
    columns = SETS[request.param]()
    return columns, suggest_schema(table_of(columns))


def test_every_identifier_is_found(told):
    assert figures(*told)["missed"] == []


def test_few_other_columns_are_left_out(told):
    columns, _ = told
    others = sum(want is not IDENTIFIER for _, want in columns.values())
    assert len(figures(*told)["left out"]) <= 0.05 * others


def test_sensitive_columns_are_told(told):
    assert len(figures(*told)["exposed"]) <= 1


def test_no_column_of_several_values_is_called_insensitive(told):
    assert figures(*told)["insensitive"] == []


def test_the_sets_are_large_and_speak_of_different_columns():
    looked_at, unseen = tuning(), held_out()
    assert len(looked_at) + len(unseen) >= 100
    assert len(unseen) >= (len(looked_at) + len(unseen)) / 3
    assert not set(looked_at) & set(unseen)


@pytest.mark.parametrize(
    ("name", "label", "role"),
    [
        ("v7", "Diagnosis", "sensitive"),
        ("v7", "Social security number", "identifier"),
        ("v7", "Q12. In which country were you born?", "quasi-identifier"),
        # a sentence that speaks of an illness, too, releases nothing as it is
        ("v7", "Age when a doctor first told you of your diagnosis", "quasi-identifier"),
        ("age", "Diagnosis", "quasi-identifier"),  # a name that speaks comes first
    ],
)
def test_a_label_speaks_where_a_name_is_a_code(name, label, role):
    told = decide(Facts(name, "number", list(range(30)), 100, False, label))
    assert told.role == role
    assert told.reasons[-1] == f"its label in the file: {label}"
    assert len(told.reasons) > 1  # what it is taken for comes first


def test_ages_of_a_small_table_are_no_names_and_numbers_of_people_are():
    ages = [20 + age for age in range(40) if age % 5]
    assert decide(Facts("c9", "number", ages, 60, missing=False)).role == "quasi-identifier"
    counted = list(range(1, 33))  # without a gap
    assert decide(Facts("c9", "number", counted, 60, missing=False)).role == "identifier"
    far_apart = [1000 + 37 * i for i in range(32)]
    assert decide(Facts("c9", "number", far_apart, 60, missing=False)).role == "identifier"


@pytest.mark.parametrize("values", [["x"], [1.0], [True], ["see the letter of her daughter"]])
def test_a_value_or_nothing_is_never_released_as_it_is(values):
    """A box that is ticked tells two kinds of people apart, and one remark may name somebody."""
    sort = {str: "text", float: "number", bool: "boolean"}[type(values[0])]
    assert decide(Facts("a7", sort, values, 60, missing=True)).role == "quasi-identifier"
    assert decide(Facts("a7", sort, values, 60, missing=False)).role == "insensitive"
    assert decide(Facts("Diabetes", sort, values, 60, missing=True)).role == "sensitive"


@pytest.mark.parametrize("name", ["death_date", "Operationsdatum", "Ingreso", "diagnosis_date"])
def test_days_are_coarsened_whatever_happened_on_them(name):
    days = [dt.date(2020, 1, 1) + dt.timedelta(days=3 * i) for i in range(40)]
    assert decide(Facts(name, "date", days, 90, missing=True)).role == "quasi-identifier"


def test_months_are_neither_postcodes_of_malta_nor_given_names():
    months = [f"{month} {year}" for month in ("Jan", "Dez", "Mai") for year in range(1950, 1990)]
    assert decide(Facts("x", "text", months, 900, missing=False)).found.what == "months of a year"
    malta = [f"{place} {number}" for place in ("VLT", "SLM", "MST") for number in range(1100, 1140)]
    assert "Malta" in decide(Facts("x", "text", malta, 900, missing=False)).found.what
