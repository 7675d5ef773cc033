"""Ranges end on public lines, and cover what they stand for."""

import datetime as dt

import numpy as np
import pytest

from shoal.errors import SchemaError
from shoal.schema import Column, Hierarchy, Schema
from shoal.schema._bands import Breaks
from shoal.schema._builders import Intervals
from shoal.schema._coding import make_coding
from shoal.schema._days import Dates
from shoal.schema._lines import public_lines
from shoal.tables._label_cover import covers


def made(values, kind="numeric", **parts):
    column = Column("quasi-identifier", kind, **parts)
    column.check("x")
    return make_coding("x", column, values), Schema({"x": column})


def texts(values, kind="numeric", **parts):
    """Texts of the ranges from the first to each later value."""
    coding, _ = made(values, kind, **parts)
    widen = public_lines(coding)
    return [widen(0, code).text for code in range(1, coding.n_codes)]


def day(text):
    return dt.date.fromisoformat(text)


def test_round_numbers_follow_the_width_of_a_range():
    assert texts([31, 34, 38, 58, 91]) == ["[30-34]", "[30-39]", "[30-59]", "[20-99]"]
    assert texts([45230, 49874]) == ["[44000-49999]"]
    assert texts([0.12, 0.19, 0.31]) == ["[0.12-0.2)", "[0.1-0.35)"]
    assert texts([-7, 3]) == ["[-10-4]"]


def test_whole_numbers_beyond_what_floats_tell_apart_are_exact():
    assert texts([2**53, 2**53 + 1]) == [f"[{2**53 // 5 * 5}-{2**53 // 5 * 5 + 4}]"]


def test_the_schema_sets_lines():
    assert texts([31, 34, 58], lines=10) == ["[30-39]", "[30-59]"]
    assert texts([31, 34, 58], lines=10, hierarchy=Intervals((5,))) == ["[30-39]", "[30-59]"]
    dates = [day("1990-02-12"), day("1990-03-01"), day("2000-08-25")]
    assert texts(dates, "date", lines="decade") == [
        "[1990-01-01 to 1999-12-31]",
        "[1990-01-01 to 2009-12-31]",
    ]
    toml = Column("quasi-identifier", "numeric", lines=5).to_toml()
    assert Column.from_toml("x", toml).lines == 5
    for kind, wrong in (("numeric", "month"), ("numeric", 0), ("date", 5), ("categorical", 5)):
        with pytest.raises(SchemaError, match="lines must be"):
            Column("quasi-identifier", kind, lines=wrong).check("x")


def test_dates_end_with_months_then_years():
    dates = [day("1990-02-12"), day("1990-03-01"), day("2000-08-25")]
    assert texts(dates, "date") == ["[1990-02-01 to 1990-03-31]", "[1990-01-01 to 2000-12-31]"]
    timed = [dt.datetime(1990, 2, 12, 8), dt.datetime(1990, 2, 28, 23)]
    assert texts(timed, "date") == ["[1990-02-01 to 1990-03-01)"]


def test_the_finest_bands_of_a_hierarchy_are_lines():
    assert texts([31, 34, 38, 41], hierarchy=Intervals((5, 10))) == [
        "[30-34]",
        "[30-39]",
        "[30-44]",
    ]
    assert texts([3, 17, 30, 70], hierarchy=Breaks((18, 65))) == ["<18", "<65", "*"]
    assert texts([30, 31, 70], hierarchy=Breaks((18, 65))) == ["[18-64]", ">=18"]
    dates = [day("1990-02-12"), day("1990-02-20"), day("1990-05-01")]
    assert texts(dates, "date", hierarchy=Dates(("month", "year"))) == [
        "1990-02",
        "[1990-02-01 to 1990-05-31]",
    ]
    named = Hierarchy.from_tree({"young": ["10", "20"], "old": ["60", "90"]})
    assert texts([10, 20, 60], hierarchy=named) == ["young", "[0-99]", "[0-99]"]


def all_texts(tree, kind="numeric", **parts):
    coding, _ = made([], kind, hierarchy=Hierarchy.from_tree(tree), **parts)
    widen, n = public_lines(coding), coding.n_codes
    return {widen(low, high).text for low in range(n) for high in range(low + 1, n)}


def test_ranges_over_bands_with_names_do_not_end_at_values_that_the_tree_lists():
    listed = {"young": ["23.417", "31.5"], "middle": ["40.25", "47.5"], "old": ["66.1", "97.531"]}
    assert all_texts(listed) == {"young", "middle", "old", "[20-50)", "[20-100)", "[40-100)"}
    days = ["1971-03-04", "1975-06-07", "1993-10-11", "1998-02-13"]
    then_and_now = {"then": days[:2], "now": days[2:]}
    both = "[1971-01-01 to 1998-12-31]"
    assert all_texts(then_and_now, "date") == {"then", "now", both}
    limited = {"all": {"young": ["1.5", "2.25"], "old": ["7.5", "9.75"]}, "none": ["11.5", "12.5"]}
    assert all_texts(limited, limit=("all",)) == {"young", "old", "all", "none", "*"}


def test_ranges_of_a_tree_that_lists_every_whole_number_end_with_its_bands():
    bands = {f"band {start}": [str(start + i) for i in range(5)] for start in (17, 22, 27, 32)}
    found = all_texts(bands) - set(bands)
    assert found == {"[22-31]", "<27", "<32", ">=22", ">=27", "*"}


def test_bands_that_files_write_without_brackets_are_read():
    bands = {"20-24": ["21", "24"], "25-29": ["25", "28"], "30-34": ["30", "33"]}
    assert all_texts(bands) - set(bands) == {"[20-29]", "[20-34]", "[25-34]"}
    # a label that does not hold what is below it is a name
    bands = {"31-33": ["21", "24"], "25-29": ["25", "28"]}
    assert all_texts(bands) - set(bands) == {"[20-29]"}


def test_text_without_an_order_has_no_lines_and_is_starred():
    assert texts(["Bonn", "Kiel", "Ulm"], "categorical") == ["*", "*"]
    coding, _ = made(["low", "mid", "top"], "ordinal", order=("low", "mid", "top"))
    assert not coding.has_lines


@pytest.mark.parametrize("seed", range(30))
def test_every_range_covers_its_codes_and_its_ends_follow_from_the_text(seed):
    rng = np.random.default_rng(seed)
    whole = rng.integers(-50, 5000, 40).tolist()
    fractions = np.round(rng.normal(0, 3, 40), 3).tolist()
    days = [dt.date(1970, 1, 1) + dt.timedelta(days=int(d)) for d in rng.integers(-9000, 9000, 40)]
    cases = [
        made(whole),
        made(whole, lines=7),
        made(whole, hierarchy=Intervals((5, 50))),
        made(fractions),
        made(fractions, hierarchy=Breaks((-1, 0, 2))),
        made(days, "date"),
        made(days, "date", hierarchy=Dates(("quarter",))),
    ]
    for coding, schema in cases:
        widen, n = public_lines(coding), coding.n_codes
        seen = {}
        for _ in range(40):
            low, high = sorted(rng.choice(n, 2, replace=False).tolist())
            found = widen(low, high)
            assert found.low <= low < high <= found.high
            # the same text is the same range, whoever the members are
            assert seen.setdefault(found.text, found) == found
            if coding.hierarchy is None or found.text.startswith("["):
                covered = covers("x", [found.text], coding.texts, schema)[:, 0]
                assert np.flatnonzero(covered).tolist() == list(range(found.low, found.high + 1))


def test_the_least_numbers_there_are_have_lines():
    coding, _ = made([0.0, 5e-324, 1e-300, 1e300])
    widen = public_lines(coding)
    assert widen(0, 1).text.startswith("[0-")
    assert widen(0, 3).high == 3


def test_one_date_beside_missing_ones_needs_no_lines():
    column = Column("quasi-identifier", "date")
    coding = make_coding("born", column, [dt.date(2000, 1, 1)], has_missing=True)
    assert coding.has_lines
