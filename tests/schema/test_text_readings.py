"""Texts that a person takes for one value."""

import unicodedata

import pytest

from shoal.schema import Column
from shoal.schema._coding import make_coding
from shoal.schema._text import readings

ALIKE = {
    "spaces": ["HIV", "HIV ", "\u00a0HIV", "H IV", "H  IV"],
    "capitals": ["HIV", "hiv"],
    "invisible": ["HIV", "HIV\u200b", "H\u00adIV"],
    "forms": [unicodedata.normalize(form, "Zürich") for form in ("NFC", "NFD")] + ["\uff3aürich"],
    "numbers": ["1", "1.0", "01", "1e0", "2"],
    "moments": ["2024-01-01", "2024-01-01 00:00", "2024-01-01T00:00:00Z"],
}
VALUES = {"spaces": 2, "capitals": 1, "invisible": 1, "forms": 1, "numbers": 2, "moments": 1}


@pytest.mark.parametrize("case", ALIKE)
def test_spellings_of_one_value_are_counted_once(case):
    coding = make_coding("ill", Column("sensitive"), ALIKE[case], has_missing=True)
    assert coding.n_codes == len(ALIKE[case]) + 1
    assert coding.n_alike == len(ALIKE[case]) - VALUES[case]


def test_a_text_that_is_no_number_leaves_the_others_numbers():
    coding = make_coding("ill", Column("sensitive"), ["1", "01", "A1"])
    assert coding.n_alike == 1
    assert [coding.find(value) >= 0 for value in ("a1 ", "01", "1.0", "1.5")] == [True] * 3 + [
        False
    ]


MIXED = {
    "zeros": ["1", "1.0", "1\u200b", "01"],
    "exponents": ["1e2", "100"],
    "commas": ["1,000", "1000", "1,000.0"],
    "decimal commas": ["12,5", "12.50"],
    "moments": ["2024-12-31", "2024-12-31 00:00", "31.12.2024"],
    "arithmetic": ["0.3", "0.30000000000000004", "0,29999999999999999"],
    "nothing": ["", "NA", "N/A", "n/a ", "NaN"],
}


@pytest.mark.parametrize("case", MIXED)
@pytest.mark.parametrize("beside", [["positive"], [">90", "7"], ["2020-01-01", "0"], ["1_0", "10"]])
def test_spellings_of_one_value_are_counted_once_whatever_stands_beside(case, beside):
    coding = make_coding("lab", Column("sensitive"), [*MIXED[case], *beside])
    assert coding.n_alike == len(MIXED[case]) - 1


@pytest.mark.parametrize("said", ["", " ", "NA", "N/A"])
def test_a_text_that_says_nothing_is_a_missing_value(said):
    column = Column("sensitive")
    assert make_coding("ill", column, [said, "x"]).n_alike == 0
    coding = make_coding("ill", column, [said, "x"], has_missing=True)
    assert coding.n_alike == 1
    assert coding.find(" na ") == coding.missing


def test_an_empty_text_is_a_missing_value_in_an_order_too():
    column = Column("sensitive", "ordinal", order=("", "NA", "x"))
    assert make_coding("ill", column, ["", "NA", "x"]).n_alike == 0
    assert make_coding("ill", column, ["", "NA", "x"], has_missing=True).n_alike == 1


def test_an_order_tells_texts_apart():
    column = Column("sensitive", "ordinal", order=("a", "A", "B"))
    assert make_coding("grade", column, ["A", "a", "B"]).n_alike == 0


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("5 kg", "5kg"), ("5.0 kg", "5 KG"), ("1,5 mg", "1.50mg"), ("5 %", "5%"),
        ("type 2", "type2"), ("1 000", "1000"),
        ("1'000", "1000"), ("1 234 567,5", "1234567.5"), ("flu (a)", "flu(a)"),
        ("flu, mild", "flu,mild"), ("a - b", "a-b"), ("A +", "A+"), ("flu.", "flu"),
        ("St. John", "St John"), ("12:00", "12:00:00"), ("½ dose", "1/2 dose"),
        ("asthma", "\u0430sthma"), ("HIV", "\u041dIV"), ("gout", "g\u03bfut"),
    ],
)  # fmt: skip
def test_texts_that_nobody_tells_apart_are_one_value(first, second):
    assert len(set(readings([first, second]))) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("5 mg", "5 \u03bcg"), ("5 mg", "5 kg"), ("5 mg", "50 mg"), ("I21.4", "I214"),
        ("12 3", "123"), ("1 00", "100"),
        ("12:00", "12:30"), ("12:00:00", "12:00:30"), ("1.5", "15"), ("a b", "ab"),
        ("flu", "flu?"), ("<5", "5"), ("1/2", "12"), ("10/12", "1/2"), ("c", "c++"),
    ],
)  # fmt: skip
def test_texts_that_say_other_things_are_other_values(first, second):
    assert len(set(readings([first, second]))) == 2
