import pytest

from shoal.discover import suggest_schema
from shoal.discover.columns._facts import Facts
from shoal.discover.columns._odd_values import odd_values

ODD = [
    ("unit", ["151 cm", "163 cm", "170 cm", "181 cm", "199 cm"]),
    ("unit", ["€ 1,200.50", "€ 17.00", "€ 3.10", "€ 99.99", "€ 5"]),
    ("unit", ["1.5%", "2%", "3.25%", "4%", "10%"]),
    ("several units", ["34 years", "35 years", "8 months", "36y", "37 years"]),
    ("some beside none", ["34", "35 years", "37", "36y", "38 yrs", *map(str, range(9)), "unclear"]),
    ("--missing WORD", ["1", "2", "3.5", "4", "5", "6", "not asked", "refused"]),
    ("some are bounds", ["31", "42", "53.5", "64", "75", "86", "90+", "<30"]),
    ("name only words that", ["31", "42", "53.5", "64", "75", "86", "> 90", "refused"]),
    ("--missing=NUMBER", [20, 33, 47, 51, 60, 9999]),
    ("--missing=NUMBER", [-9, 20, 33, 47, 51, 60]),
    ("YYYY-MM-DD", ["2024-03-01", "31.03.1960", "03/17/1971", "01.02.1980", "04/05/1990"]),
    ("1930 to 2029", ["01-JAN-24", "17-MAR-71", "31-MAR-60", "01-FEB-80", "05-APR-90"]),
    ("total or sum", ["P1", "P2", "P3", "P4", "Total:"]),
]
PLAIN = {
    "codes": ["J45", "E11", "I10", "C34", "A09"],
    "rooms": ["12A", "12B", "13A", "14C", "15A"],
    "zeros": ["01001", "01002", "01003", "01004", "01005"],
    "words": ["red", "green", "blue", "black", "white"],
    "numbers": [1, 5, 30, 99, 95],
    "a rich one": [20, 33, 47, 51, 60, 7_350],
    "few": [1, 2, 99],
    "days first": ["31.03.1960", "17.04.1971", "01.02.1980", "05.05.1990", "30.12.2001"],
    "versions": ["1.2", "13.4", "2.14", "3.1", "4.0"],
}


def facts_of(values):
    return Facts("x", "text" if isinstance(values[0], str) else "number", values, 50, missing=False)


@pytest.mark.parametrize(("expected", "values"), ODD)
def test_what_should_be_mended_is_said_without_a_value(expected, values):
    said = odd_values(facts_of(values))
    assert expected in said
    assert not any(str(value) in said.split() for value in values)


@pytest.mark.parametrize("what", PLAIN)
def test_nothing_is_said_of_values_that_are_fine(what):
    assert odd_values(facts_of(PLAIN[what])) == ""


def test_the_suggestion_warns():
    table = {"height": [f"{150 + i} cm" for i in range(30)], "sex": ["f", "m"] * 15}
    (warning,) = suggest_schema(table).warnings
    assert warning.startswith("column 'height': numbers with a unit")


def test_days_that_a_spreadsheet_counts_are_spoken_of():
    days = [44_000 + 3 * i for i in range(90)]
    for name in ("Aufnahmedatum", "date_of_birth", "fecha"):
        assert "as spreadsheets count days" in odd_values(Facts(name, "number", days, 90, False))
    assert not odd_values(Facts("year", "number", list(range(1930, 2010)), 90, False))
    assert not odd_values(Facts("cost", "number", days, 90, False))


def test_nothing_is_said_of_dates_in_a_column_that_is_left_out():
    table = {"ip": [f"{i % 250}.{(i * 7) % 250}.{i % 99}.{i % 13}" for i in range(200)]}
    table["sex"] = ["f", "m"] * 100
    assert not suggest_schema(table).warnings
    table["ip"][7] = "Total"
    assert any("total or sum" in warning for warning in suggest_schema(table).warnings)


def test_values_that_differ_only_in_blanks_are_spoken_of():
    assert "differ only in blanks" in odd_values(Facts("x", "text", ["Nord", " Nord"], 90, False))
    assert not odd_values(Facts("x", "text", ["Nord", "Sued"], 90, False))
