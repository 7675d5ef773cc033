import random

import pytest

from shoal.discover.columns._facts import Facts
from shoal.discover.columns._forms import is_day, recognize
from tests.discover.columns.labelled import iban, mails, national, numbered, streets


def found(values, sort="text"):
    distinct = list(dict.fromkeys(values))
    told = recognize(Facts("c", sort, distinct, len(values), False))
    return told and told.what


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (mails(), "e-mail"),
        (iban(), "IBAN"),
        (
            ["Anna Schmid", "Peter Novak", "Julia Haas", "José Ruiz", "Tomasz Lis"],
            "names of people",
        ),
        (numbered("+33 9 99 99 99 99"), "telephone"),
        (numbered("(299) 999-9999"), "telephone"),
        (
            numbered("99:9A:99:9B:99:9C".replace("A", "a").replace("B", "b").replace("C", "c")),
            "MAC",
        ),
        (numbered("192.168.1.9") + numbered("10.1.2.9"), "IP"),
        (["2001:db8::1", "2001:db8::2", "fe80::3"], "IP"),
        (streets("Calle {s} {n}"), "streets"),
        (streets("ul. {s} {n}"), "streets"),
        (numbered("https://example.org/99999"), "web"),
        (["K1A 0B1", "M5V 2T6", "H2X 1Y4"], "postcodes (Canada)"),
        (["1012 AB", "3511 CD", "9711 LX"], "postcodes (Netherlands)"),
        (["J45.9", "I10", "E11.65"], "ICD-10"),
        (["N02BE01", "C09AA05"], "ATC"),
        (["DEU", "FRA", "POL"], "countries"),
        (["DE212", "FRK26", "PL911"], "NUTS"),
        (["31.12.1999", "1.2.2001"], "dates"),
    ],
)
def test_what_values_are_is_seen(values, words):
    assert words in (found(values) or "nothing")


def test_numbers_of_people_are_seen_without_the_zeros_that_a_table_lost():
    values = [int(value) for value in national("Poland")]
    assert "Poland" in found(values, "number")


@pytest.mark.parametrize("length", [6, 8, 9, 10, 11, 13, 16])
def test_random_numbers_are_taken_for_nobody(length):
    source = random.Random(length)
    for _ in range(20):
        values = ["".join(source.choices("0123456789", k=length)) for _ in range(40)]
        values = ["9" + value[1:] for value in values]
        assert found(values) is None or "dates" in found(values)


@pytest.mark.parametrize(
    "values",
    [
        ["low", "middle", "high"],
        ["A", "B", "C"],
        ["1.5 mg", "2 mg", "10 mg"],
        ["12-15", "16-20", "21-30"],
        ["v1.2", "v1.3"],
        ["yes", "no", "unknown"],
        ["Mon", "Tue", "Wed"],
    ],
)
def test_ordinary_categories_are_nothing_in_particular(values):
    assert found(values * 20) is None


def test_days_in_several_spellings():
    assert all(map(is_day, ["2024-02-29", "29.2.24", "02/29/2024", "20240229", "29-02-2024 13:00"]))
    assert not any(map(is_day, ["2024", "12:30", "1.2", "20241399"]))
