import datetime as dt

import pytest

from shoal.schema._days import MONTH_NAMES, Dates, has_short_year, read_day


@pytest.mark.parametrize(
    "written",
    ["2024-02-29", "2024-2-29", "2024-02-29 13:45:00", "2024-02-29T01:02:03", "2024/02/29",
     "20240229", "29.02.2024", "29.2.2024", " 29.02.2024 08:00", "29 Feb 2024", "29-FEB-2024",
     "29FEB2024", "February 29, 2024", "Feb 29th 2024", "Feb. 29, 2024 10:15 PM",
     "29/Feb/2024", "29-Feb-24", "29-FEB-24", "29FEB24", "29/Feb/24", "29-Feb-24 10:15",
     "Thu, 29 Feb 2024", "jeudi 29 février 2024",
     "2024-Feb-29", "29th of February 2024", "29 févr. 2024", "29. Feber 2024", "29.Feb.2024",
     "29. Februar 2024", "29 février 2024 08:00", "29 de febrero de 2024"],
)  # fmt: skip
def test_a_day_is_read_however_it_is_written(written):
    assert read_day(written) == dt.date(2024, 2, 29)


@pytest.mark.parametrize(
    "written",
    [
        "02/03/2024",
        "30.02.2024",
        "1.2.24",
        "x",
        "",
        "99991332",
        "29 Foo 2024",
        "30 Feb 2024",
        "29 Feb 24",
        "29-Feb/24",
        "29-Foo-24",
        "30-Feb-24",
        "Ward 12 2024",
    ],
)
def test_what_is_open_or_no_day_is_none(written):
    assert read_day(written) is None


def test_dates_in_several_spellings_coarsen_by_the_calendar():
    tree = Dates(("month", "year")).build(["29.02.2024", "20240301"])
    assert tree.labels == ("29.02.2024", "20240301", "2024-02", "2024-03", "2024", "*")


def test_years_of_two_digits_behind_a_month_are_of_1930_to_2029_and_told_apart():
    assert read_day("01-JAN-30") == dt.date(1930, 1, 1)
    assert read_day("01-JAN-29") == dt.date(2029, 1, 1)
    assert [has_short_year(w) for w in ("01-JAN-30", "01-JAN-1930", "01-XYZ-30")] == [
        True,
        False,
        False,
    ]


def test_the_first_of_a_month_is_written_apart_in_french_and_no_name_is_of_two_months():
    assert read_day("1er mars 2024") == dt.date(2024, 3, 1)
    names = [name for names in MONTH_NAMES for name in names]
    assert len(names) == len(set(names))
