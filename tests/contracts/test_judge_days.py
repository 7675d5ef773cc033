"""The judge reads the days of a column in one order, and no label in another."""

import datetime as dt
import random

import numpy as np
import pytest

from shoal.judge._days import day_orders, moments_by_order, possible_moments
from shoal.judge._labels import LabelReader
from shoal.judge._text_table import TextColumn
from shoal.schema._days import MONTH_NAMES

FORMATS = {
    "plain": ("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d"),
    "dmy": ("%d/%m/%Y", "%d.%m.%Y", "%d-%m-%Y", "%d/%m/%y", "%d.%m.%y", "%d-%m-%y"),
    "mdy": ("%m/%d/%Y", "%m-%d-%Y", "%m/%d/%y", "%m-%d-%y"),
    "ymd": ("%y-%m-%d", "%y/%m/%d"),
}
TIMES = ("", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", "T%H:%M:%S", " %I:%M %p", " %I:%M:%S%p")


@pytest.mark.parametrize(
    ("order", "how"), [(order, how) for order, hows in FORMATS.items() for how in hows]
)
def test_a_written_moment_is_among_those_that_are_read(order, how):
    draw = random.Random(how)
    for time in TIMES * 8:
        moment = dt.datetime(
            draw.randint(1930, 2029), draw.randint(1, 12), draw.randint(1, 28), draw.randint(0, 23),
            draw.randint(0, 59), draw.randint(0, 59), draw.randint(0, 999_999),
        )  # fmt: skip
        text = moment.strftime(how + time)
        expected = dt.datetime.strptime(text, how + time)
        if expected.year != moment.year:  # Python's two digits turn at another year
            expected = expected.replace(year=moment.year)
        assert moments_by_order(text)[order] == expected, (how, time)
        assert expected in set(possible_moments(text))


NONE = ["", "x", "Ward 12 2024", "30 Feb 2024", "7 maybe", "12 jui 2024",
        "2024-13-01", "31/31/2024", "1.2.3", "10:30", "1/2/2024 25:00", "1/2-2024",
        "1/2/2024 13:00 PM", "\uff12/2/2024"]  # fmt: skip


@pytest.mark.parametrize("month", range(12))
def test_the_judge_knows_every_name_of_a_month_that_is_read(month):
    for name in MONTH_NAMES[month]:
        day = dt.datetime(2024, month + 1, 7, 15, 5)
        for text in (
            f"7 {name} 2024 15:05", f"Di., 7. {name.title()} 2024 3:05 pm",
            f"7-{name.upper()}-24 15:05",
            f"{name.title()}. 7th, 2024 15:05:00", f"2024-{name}-07 15:05", f"7{name}2024 15:05",
            f"7 de {name} de 2024, 15:05",
        ):  # fmt: skip
            assert moments_by_order(text) == {"dmy": day}, text
            assert day in set(possible_moments(text))
    assert covers([f"7-{MONTH_NAMES[month][0]}-45"], ["1945"])
    assert not covers([f"7 {MONTH_NAMES[month][0]} 1945"], ["1946"])


@pytest.mark.parametrize("text", NONE)
def test_what_is_no_moment_is_none(text):
    assert not moments_by_order(text)


def covers(texts, labels):
    """As the judge does: one order for the whole column."""
    reader = LabelReader("date")
    own = TextColumn(np.arange(len(texts), dtype=np.int32), tuple(texts))
    return any(
        all(reader.covers(label, text) for label, text in zip(labels, column.texts, strict=True))
        for column in day_orders(own)
    )


def test_a_day_beyond_twelve_settles_the_column():
    assert covers(["01/02/2024", "31/12/2024"], ["2024-02", "2024-12"])
    assert not covers(["01/02/2024", "31/12/2024"], ["2024-01", "2024-12"])


def test_an_open_column_is_read_in_one_order():
    open_days = ["01/02/2024", "03/04/2024"]
    assert covers(open_days, ["2024-02", "2024-04"])
    assert covers(open_days, ["2024-01", "2024-03"])
    assert not covers(open_days, ["2024-02", "2024-03"])


def test_a_wrong_century_is_not_covered():
    assert covers(["31.12.45"], ["1945"])
    assert not covers(["31.12.45"], ["2045"])
