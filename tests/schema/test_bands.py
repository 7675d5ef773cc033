import datetime as dt
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from shoal.errors import HierarchyError
from shoal.schema._bands import Breaks, EqualFrequency, EqualWidth
from shoal.schema._builders import Intervals, round_widths

whole = st.lists(st.integers(-300, 300), min_size=1, max_size=30, unique=True).map(sorted)
tenths = st.lists(st.integers(-3000, 3000), min_size=1, max_size=30, unique=True).map(
    lambda values: sorted(value / 10 for value in values)
)


def covers(label: str, value: Fraction) -> bool:
    """Whether a label, read by a person, speaks of the value."""
    if label == "*":
        return True
    if label.startswith("<"):
        return value < Fraction(label[1:])
    if label.startswith(">="):
        return value >= Fraction(label[2:])
    band = re.fullmatch(r"\[(-?[\d.]+)-(-?[\d.]+)([\])])", label)
    if band is None:
        return value == Fraction(label)
    low, high, end = Fraction(band[1]), Fraction(band[2]), band[3]
    return low <= value and (value <= high if end == "]" else value < high)


def test_fractional_breaks_below_whole_ones():
    check_labels(Breaks([[0, 0.5, 1, 2], [0, 1, 2]]).build([-1, 0, 1, 2, 3]))


def check_labels(tree):
    for row in tree.levels:
        value = Fraction(tree.labels[row[0]])
        for node in row:
            assert covers(tree.labels[node], value), (tree.labels[row[0]], tree.labels[node])
    for level in range(tree.n_levels):  # and of no other band on the level
        names = {tree.labels[node] for node in tree.levels[:, level]}
        for leaf in tree.labels[: tree.n_leaves]:
            assert sum(covers(name, Fraction(leaf)) for name in names) == 1


@given(values=whole, width=st.integers(1, 20), more=st.lists(st.integers(2, 5), max_size=2),
       origin=st.integers(-7, 7))  # fmt: skip
def test_whole_numbers_lie_in_the_band_that_names_them(values, width, more, origin):
    widths = [width]
    for factor in more:
        widths.append(widths[-1] * factor)
    check_labels(Intervals(widths, origin).build(values))


@given(values=tenths, width=st.sampled_from([0.1, 0.2, 0.25, 0.5, 1, 2.5, 5, 30]),
       factor=st.integers(2, 5))  # fmt: skip
def test_decimal_fractions_lie_in_the_band_that_names_them(values, width, factor):
    check_labels(Intervals([width, width * factor]).build(values))


def test_boundaries_belong_to_the_upper_band():
    tree = Intervals([5, 10]).build([19, 20, 24, 25, 29, 30])
    labels = [tree.labels[node] for node in tree.levels[:, 1]]
    assert labels == ["[15-19]", "[20-24]", "[20-24]", "[25-29]", "[25-29]", "[30-34]"]
    fine = Intervals([0.1]).build([0.1, 0.25, 0.3, 0.7])
    assert [fine.labels[n] for n in fine.levels[:, 1]] == [
        "[0.1-0.2)",
        "[0.2-0.3)",
        "[0.3-0.4)",
        "[0.7-0.8)",
    ]


def test_bands_of_large_decimals_nest():
    Intervals([0.1, 0.3]).build([1e6 + i / 10 for i in range(200)])


rising = st.lists(st.integers(-300, 300), min_size=1, max_size=8, unique=True).map(sorted)


@given(values=whole | tenths, points=rising)
def test_breaks_put_values_where_the_label_says(values, points):
    check_labels(Breaks([points, points[1::2] or points]).build(values))
    assert Breaks(points) == Breaks([points])


@given(values=whole, bins=st.integers(2, 9))
def test_equal_bands_put_values_where_the_label_says(values, bins):
    for recipe in (EqualWidth(bins), EqualFrequency(bins)):
        tree = recipe.build(values)
        check_labels(tree)
        assert len(set(tree.levels[:, 1].tolist())) <= bins


def _finest(recipe, values):
    tree = recipe.build(values)
    return [tree.labels[node] for node in dict.fromkeys(tree.levels[:, 1].tolist())]


def _ends(label):
    found = re.findall(r"(?<![\d.])-?[\d.]+", label)
    return [int(found[0]), *(int(last) + 1 for last in found[1:])]


@given(values=whole, bins=st.integers(2, 9))
def test_equal_bands_of_whole_numbers_end_at_multiples_of_five(values, bins):
    for recipe in (EqualWidth(bins), EqualFrequency(bins)):
        labels = set(recipe.build(values).labels[len(values) :]) - {"*"}
        assert all(end % 5 == 0 for label in labels for end in _ends(label.replace("--", "- -")))


@pytest.mark.parametrize("bins", [2, 4, 8, 21])
def test_equal_bands_do_not_tell_exact_values(bins):
    random = np.random.default_rng(0)
    values = [round(float(pay), 2) for pay in np.unique(random.uniform(1000, 2000, 40))]
    values += [8123.47, 8211.13]
    for recipe in (EqualWidth(bins), EqualFrequency(bins)):
        labels = " ".join(recipe.build(values).labels[len(values) :])
        told = {float(end) for end in re.findall(r"\d+(?:\.\d+)?", labels)}
        assert told
        assert not told & set(values)
        assert all(end % 10 == 0 for end in told)


@pytest.mark.parametrize("recipe", [EqualWidth(8), EqualFrequency(8)])
def test_equal_bands_are_the_same_wherever_the_last_value_lies_in_its_band(recipe):
    values = list(range(0, 400, 3))
    assert len({tuple(_finest(recipe, [*values, far])) for far in (1337, 1338, 1360, 1399)}) == 1


def test_equal_bands_are_as_many_as_asked_where_lines_allow():
    ages = list(range(17, 91))
    wide = ["<20", "[20-29]", "[30-39]", "[40-49]", "[50-59]", "[60-69]", "[70-79]", ">=80"]
    assert _finest(EqualWidth(8), ages) == wide
    even = ["<25", "[25-34]", "[35-44]", "[45-54]", "[55-64]", "[65-69]", "[70-79]", ">=80"]
    assert _finest(EqualFrequency(8), ages) == even
    assert _finest(EqualWidth(8), [0, 1, 2, 3]) == ["*"]  # lines of whole numbers are 5 apart


def test_bands_of_equal_frequency_hold_about_equally_many_values_of_a_long_tail():
    pay = np.unique(np.random.default_rng(0).lognormal(10, 1.5, 2000).round(2)).tolist()
    sizes = np.unique(EqualFrequency(8).build(pay).levels[:, 1], return_counts=True)[1]
    assert len(sizes) == 8
    assert sizes.min() > 250 * 0.7
    assert sizes.max() < 250 * 1.3


@given(values=whole)
def test_round_widths_nest_and_are_few(values):
    widths = round_widths(np.array(values, float))
    if widths:
        check_labels(Intervals(widths).build(values))
        assert len(set(Intervals(widths).build(values).levels[:, 1].tolist())) <= 17


@pytest.mark.parametrize(
    ("recipe", "values", "message"),
    [
        (Intervals([5, 12]), [1], "12 is not a multiple of 5. Give rising widths"),
        (Intervals([10, 5]), [1], "5 is not a multiple of 10"),
        (Intervals([]), [1], "widths must be positive"),
        (Intervals([-5]), [1], "widths must be positive"),
        (Intervals([float("nan")]), [1], "widths must be positive"),
        (Intervals([5]), [], "there are no values to use"),
        (Intervals([5]), ["x"], "bands need numbers, and some values are not"),
        (Intervals([5]), [float("inf")], "bands need finite numbers"),
        (Intervals([5]), [dt.date(2020, 1, 1)], "For dates use"),
        (Breaks([3, 1]), [1], "break points must rise"),
        (Breaks([]), [1], "break points must rise"),
        (Breaks([[1, 2], [3]]), [1], "every coarser break must be among the finer"),
        (EqualWidth(1), [1], "at least 2 are needed, got 1"),
        (EqualFrequency(0), [1], "at least 2 are needed, got 0"),
    ],
)
def test_wrong_bands_say_what_is_wrong(recipe, values, message):
    with pytest.raises(HierarchyError) as caught:
        recipe.build(values, column="age")
    assert message in str(caught.value)
    assert "'age'" in str(caught.value)
