"""Numbers that authorities and encyclopedias give as examples, and what random digits do."""

import random
import re

import pytest

from shoal.discover.columns._national_numbers import CHANCES, RULES, countries_of

EXAMPLES = {
    "Argentina": "20-05536168-2",
    "Australia (tax)": "123 456 782",
    "Australia (Medicare)": "2123 45670 1",
    "Austria": "1237 010180",
    "Belgium": "85.07.30-033.28",
    "Brazil": "111.444.777-35",
    "Bulgaria": "7523169263",
    "Canada": "130 692 544",
    "Chile": "12.531.909-2",
    "China": "11010519491231002X",
    "Croatia": "33392005961",
    "Czechia, Slovakia": "710319/2745",
    "Denmark": "211062-5629",
    "Estonia, Lithuania": "37605030299",
    "Finland": "131052-308T",
    "France": "2 95 10 99 126 111 93",
    "Germany (tax)": "86095742719",
    "Germany (pension)": "15070649C103",
    "Germany (health)": "A123456780",
    "Greece": "01013099997",
    "Hungary": "111 111 110",
    "Iceland": "120174-3399",
    "India (Aadhaar)": "2341 2341 2346",
    "India (PAN)": "ACUPA7085R",
    "Ireland": "6433435F",
    "Israel": "039337423",
    "Italy": "RSSMRA85T10A562S",
    "Japan": "123456789018",
    "Korea": "971013-9019902",
    "Latvia": "161175-19997",
    "Mexico": "BOXW310820HNERXN09",
    "Netherlands": "111222333",
    "Norway": "15108695088",
    "Poland": "44051401359",
    "Portugal": "501964843",
    "Romania": "1630615123457",
    "Singapore": "S1234567D",
    "South Africa": "7503305044089",
    "Spain": "12345678Z",
    "Sweden": "811218-9876",
    "Switzerland": "756.9217.0769.85",
    "Taiwan": "A123456789",
    "Turkey": "10000000146",
    "United Kingdom (NHS)": "943 476 5919",
    "United Kingdom (NINO)": "AB 12 34 56 C",
    "United States": "078-05-1120",
    "former Yugoslavia": "0101006500006",
}


@pytest.mark.parametrize("country", EXAMPLES)
def test_a_published_example_is_recognised(country):
    assert country in countries_of(EXAMPLES[country])


def test_every_country_has_an_example():
    assert set(EXAMPLES) == set(CHANCES) == {rule.country for rule in RULES} | {"United States"}


WITHOUT_CHECK = ("Denmark", "India (PAN)", "United Kingdom (NINO)", "United States")


@pytest.mark.parametrize("country", [name for name in EXAMPLES if name not in WITHOUT_CHECK])
def test_one_wrong_digit_is_noticed(country):
    """Few ways to mistype one digit go unnoticed; weights that share a factor with 10 miss some."""
    number = re.sub(r"[\s./-]", "", EXAMPLES[country])
    places = [i for i, c in enumerate(number) if c.isdigit()]
    if country == "Australia (Medicare)":
        places = places[:9]  # the tenth digit is the card's issue
    wrong = [
        number[:i] + str(d) + number[i + 1 :]
        for i in places
        for d in range(10)
        if str(d) != number[i]
    ]
    passed = sum(country in countries_of(text) for text in wrong)
    assert passed <= len(wrong) / 5


@pytest.mark.parametrize("length", [9, 10, 11, 12, 13])
def test_random_digits_pass_about_as_often_as_said(length):
    source = random.Random(length)
    numbers = ["".join(source.choices("0123456789", k=length)) for _ in range(3000)]
    hits = [country for number in numbers for country in countries_of(number)]
    for country in set(hits):
        assert hits.count(country) / 3000 <= 1.5 * CHANCES[country] + 0.005
