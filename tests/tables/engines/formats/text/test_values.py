import pytest

from shoal.tables._engine import OpenOptions
from shoal.tables.engines.formats.text._types import read_column
from shoal.tables.engines.formats.text._values import NUMBERS, is_typed


@pytest.mark.parametrize(
    ("texts", "sort"),
    [
        (["1", "-20", "0"], "whole"),
        (["1", "007"], "text"),
        (["-0", "5"], "number"),
        (["9" * 18], "whole"),
        (["9" * 19], "text"),
        (["1", "2.5", "1e-3", ".5"], "number"),
        (["1,5", "2"], "grouped"),
        (["1.234,5", "2"], "grouped"),
        (["1,234,567"], "grouped whole"),
        (["1'000", "2"], "grouped whole"),
        (["true", "FALSE"], "boolean"),
        (["yes", "no"], "text"),
        (["2024-02-29", "2023/1/1"], "date"),
        (["2023-02-29"], "text"),
        (["31.12.2024", "1.1.2024"], "date"),
        (["12/31/2024", "1/2/2024"], "date"),
        (["31.12.24", "1.1.2024"], "date"),
        (["10-11-12"], "text"),
        (["31.12.24 3:05 PM"], "moment"),
        (["31.12.24 15:05 PM"], "text"),
        (["2024-01-01", "2024-01-01 10:30"], "moment"),
        (["2024-01-01T10:30:01.5"], "moment"),
        (["+49 170 1"], "text"),
        (["NA", "."], "empty"),
        (["NA", "5"], "whole"),
        (["unknown", "5"], "text"),
        (["12,5 %", "7%", "-3\u00a0%"], "grouped"),
        (["$1,234.00", "-$5", "$-7.5"], "grouped"),
        (["1.234,00 €", "9 €"], "grouped"),
        (["EUR 12", "EUR 13"], "whole"),
        (["1.5 kg", "2 kg", "NA"], "number"),
        (["5 %", "6"], "text"),  # of what is 6?
        (["5 €", "6 $"], "text"),
        (["1,234 €"], "text"),
        (["E11", "E12"], "text"),
        (["5.12.2024 %"], "text"),
        (["--5 %", "($5)"], "text"),
        (["5 % of 10 %"], "text"),
        (["007 %"], "text"),
    ],
)
def test_what_texts_are(texts, sort):
    assert read_column(texts).sort == sort


def test_what_cannot_be_told_is_said():
    assert read_column(["1,234", "5"]).undecided == "decimals or thousands"
    assert read_column(["01/02/2024"]).undecided == "day or month first"
    assert read_column(["1,234"], decimal=",").sort == "grouped"
    assert read_column(["1,234"], decimal=".").sort == "grouped whole"
    assert read_column(["01/02/2024"], OpenOptions(dates="mdy")).order == "mdy"


@pytest.mark.parametrize(
    ("texts", "is_open"),
    [
        (["49.085", "1.080"], True),  # Germany's thousands, or England's three decimals
        (["49.085", "919", "-1.080"], True),
        (["49.085 €", "1.080 €"], True),
        (["49.085", "1.08"], False),
        (["49.085", "0.108"], False),
        (["49.085", "1234.567"], False),
        (["49.085", "1e3"], False),
    ],
)
def test_three_digits_behind_every_point_may_be_thousands(texts, is_open):
    found = read_column(texts)
    assert (found.undecided == "decimals or thousands") is is_open
    assert (found.sort == "text") is is_open
    assert read_column(texts, decimal=".").sort == "number"
    if is_open:
        assert read_column(texts, decimal=",").sort == "grouped whole"
        assert read_column(texts, OpenOptions(thousands=".")).sort == "grouped whole"


def test_given_words_stand_for_nothing_and_no_others():
    assert read_column(["5", "refused"], OpenOptions(missing=("refused",))).sort == "whole"
    assert read_column(["5", "NA"], OpenOptions(missing=("refused",))).sort == "text"
    assert read_column(["a", "refused"], OpenOptions(missing=("refused",))).missing == {"refused"}


def test_numbers_and_dates_are_told_in_any_way_of_writing():
    assert is_typed(["1.234,50", "7"]) == "number"
    assert is_typed(["31.12.2024"]) == "date"
    assert is_typed(["12 Main Street"]) is None
    assert is_typed([]) is None


def test_units_are_kept_and_decimals_beside_them_settled():
    assert read_column(["12,5 %"]).unit == ("", "%")
    assert read_column(["-US$5", "US$ 7"]).unit == ("US$", "")
    assert read_column(["1,234 €"]).undecided == "decimals or thousands"
    settled = read_column(["1,234 €"], decimal=",")
    assert (settled.sort, settled.decimal, settled.unit) == ("grouped", ",", ("", "€"))


@pytest.mark.parametrize(
    ("texts", "unit"),
    [
        (["1 year", "34 years", "35 yrs", "36y", "37 YEARS", "38 years old"], "years"),
        (["1 Tag", "14 Tage", "3 Tagen"], "days"),
        (["1,5 h", "2 Std."], "hours"),
        (["10 min", "5 mins"], "minutes"),
    ],
)
def test_lengths_of_time_are_one_unit_however_it_is_spelt(texts, unit):
    reading = read_column(texts)
    assert reading.unit == ("", unit)
    assert reading.sort in NUMBERS


@pytest.mark.parametrize(
    "texts",
    [
        ["34 years", "8 months"],
        ["3 years 2 months", "1 year 1 month"],
        ["34 years", "35"],
        ["3D", "4D"],
        ["4H", "5H"],
        ["34 yearlings", "35 years"],
    ],
)
def test_what_is_not_one_unit_of_time_stays_text(texts):
    assert read_column(texts).sort == "text"
