"""What labels say, and what they do not."""

import datetime as dt

import pytest

from tests.judge.labels import Fact, covers, tree_above
from tests.judge.values import plain

NUMBER, DATE = Fact("quasi-identifier", "numeric"), Fact("quasi-identifier", "date")
TREE = Fact("quasi-identifier", above=tree_above({"south": {"coast": ["Bari"]}, "north": ["Kiel"]}))
CODE = Fact("quasi-identifier", prefix=((1, 3), "*"))
GRADE = Fact("quasi-identifier", "ordinal", order=("low", "mid", "a to b", "high"))
DAY = dt.date(2024, 2, 29)


@pytest.mark.parametrize(
    ("label", "value", "fact"),
    [
        ("[20-29]", 29, NUMBER), ("[20-29.5)", 29, NUMBER), ("<18", -3, NUMBER),
        (">=65", 65, NUMBER), ("[-5--1]", -1, NUMBER),
        ("[9007199254740993-9007199254740995]", 2**53 + 1, NUMBER),
        ("0", -0.0, NUMBER), ("20", 20.0, NUMBER), ("*", 3, NUMBER), (None, float("nan"), NUMBER),
        ("[0.1-0.3]", 0.3, NUMBER), ("*", None, NUMBER), ("1e+20", 10**20, NUMBER),
        ("2024-02", DAY, DATE), ("2024-Q1", DAY, DATE), ("2024", DAY, DATE), ("2020s", DAY, DATE),
        ("[2024-02-01 to 2024-02-29]", DAY, DATE), ("[2023-12 to 2024-02]", DAY, DATE),
        ("coast", "Bari", TREE), ("south", "Bari", TREE), ("Bari", "Bari", TREE),
        ("101**", "10115", CODE), ("1****", "10115", CODE),
        ("[low to a to b]", "mid", GRADE), ("[mid to high]", "high", GRADE),
    ],
)  # fmt: skip
def test_covers(label, value, fact):
    assert covers(label, plain(value), fact)


@pytest.mark.parametrize(
    ("label", "value", "fact"),
    [
        ("[20-29]", 30, NUMBER), ("[20-29)", 29, NUMBER), ("<18", 18, NUMBER), (">=65", 64, NUMBER),
        ("[9007199254740994-9007199254740996]", 2**53 + 1, NUMBER), ("[29-20]", 25, NUMBER),
        ("9007199254740992", 2**53 + 1, NUMBER), (None, 3, NUMBER), ("[20-29]", None, NUMBER),
        ("2024-03", DAY, DATE), ("[2024-03-01 to 2024-02-01]", DAY, DATE),
        ("[2023-12-01 to 2024-02-28]", DAY, DATE), ("2010s", DAY, DATE),
        ("north", "Bari", TREE), ("coast", "Kiel", TREE), ("bari", "Bari", TREE),
        ("Bari ", "Bari", TREE), ("102**", "10115", CODE), ("1**", "10115", CODE),
        ("[low to mid]", "high", GRADE), ("[mid to low]", "mid", GRADE),
    ],
)  # fmt: skip
def test_does_not_cover(label, value, fact):
    assert not covers(label, plain(value), fact)
