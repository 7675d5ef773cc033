import datetime as dt
from pathlib import Path

import pytest

from shoal.errors import HierarchyError
from shoal.schema import Column, Hierarchy
from shoal.schema._builders import Auto, Flat, Intervals, Prefix, Tree
from shoal.schema._column import recipe_from_toml
from shoal.schema._days import Dates


def labels(tree, level):
    return [tree.labels[node] for node in tree.levels[:, level]]


def test_prefixes_keep_the_first_characters():
    tree = Prefix([3, 1]).build(["53710", "53712", "54000", "12"])
    assert labels(tree, 1) == ["537**", "537**", "540**", "12"]
    assert labels(tree, 2) == ["5****", "5****", "5****", "1*"]
    assert Prefix([1], mask="x").build(["ab", "cd"]).labels[2:4] == ("ax", "cx")


def test_zip_codes_keep_their_zeros():
    assert "01234" in Prefix([3]).build(["01234", "01299"]).labels


def test_dates_coarsen_by_calendar():
    days = [dt.date(1999, 12, 31), dt.date(2000, 1, 1), dt.datetime(2000, 3, 31, 12), "2000-04-01"]
    tree = Dates(["decade", "month", "quarter", "year"]).build(days)
    assert labels(tree, 1) == ["1999-12", "2000-01", "2000-03", "2000-04"]
    assert labels(tree, 2) == ["1999-Q4", "2000-Q1", "2000-Q1", "2000-Q2"]
    assert labels(tree, 3) == ["1999", "2000", "2000", "2000"]
    assert labels(tree, 4) == ["1990s", "2000s", "2000s", "2000s"]


@pytest.mark.parametrize(
    ("values", "recipe"),
    [
        ([dt.date(2020, 1, 1)], Dates(["month", "quarter", "year"])),
        (list(range(100)), Intervals([5, 10, 20, 40, 80])),
        (list(range(20, 62)), Intervals([5, 10, 20, 40])),
        (list(range(2_000)), Intervals([50, 100, 200, 400, 800, 1600])),
        (list(range(20)), Intervals([2, 4, 8, 16])),
        ([36.5, 38.0, 41.2], Intervals([0.2, 0.4, 0.8, 1.6, 3.2])),
        ([1, 2], Flat()),
        ([f"{i:05d}" for i in range(30)], Prefix([1, 2, 3, 4])),
        (["a", "b"], Flat()),
        ([True, False], Flat()),
    ],
)
def test_the_automatic_hierarchy_fits_the_values(values, recipe):
    assert Auto().recipe(values) == recipe
    assert Auto().build(values) == recipe.build(values)


def test_trees_are_kept_as_plain_mappings():
    assert Tree({"A": ("x", 1), "B": None}) == Tree({"A": ["x", "1"], "B": []})
    assert Tree({"A": ["x"], "B": ["y"]}) != Tree({"B": ["y"], "A": ["x"]})  # other leaf codes
    assert Tree({"A": "xyz"}).build([]).labels == ("xyz", "A", "*")
    with pytest.raises(TypeError):
        Tree({"A": [{"x": 1}]})


@pytest.mark.parametrize(
    ("recipe", "values", "message"),
    [
        (Prefix([]), ["a"], "keep at least one character"),
        (Prefix([0]), ["a"], "keep at least one character"),
        (Prefix([1], mask=""), ["a"], "the mask is one character"),
        (Dates(["week"]), ["2020-01-01"], "unknown period ['week']. Choose from month"),
        (Dates(["year"]), ["yesterday"], "some values are neither dates (YYYY-MM-DD) nor months"),
        (Flat(), [], "there are no values to use"),
        (Auto(), [], "there are no values to use"),
        (Prefix([1]), [], "there are no values to use"),
        (Dates(["year"]), [], "there are no values to use"),
    ],
)
def test_wrong_recipes_say_what_is_wrong_and_show_no_value(recipe, values, message):
    with pytest.raises(HierarchyError) as caught:
        recipe.build(values, column="zip")
    assert message in str(caught.value)
    assert "'zip'" in str(caught.value)
    assert "yesterday" not in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("automatic", 'neither "auto", "flat" nor a table'),
        ({}, "give exactly one of intervals"),
        ({"intervals": [5], "prefix": [1]}, "give exactly one of"),
        ({"interval": [5]}, "levels. Did you mean 'intervals'?"),
        ({"north": ["Kiel"]}, "A tree of values stands under tree."),
        ("zip.csv", "For a file with a hierarchy: {file = ...}."),
        (Path("zip.csv"), "For a file with a hierarchy: {file = ...}."),
        ({"prefix": [1], "origin": 3}, "give exactly one of"),
        ({"intervals": ["wide"]}, "intervals has a value of the wrong type"),
        ({"tree": ["x"]}, "tree has a value of the wrong type"),
        ({"equal_width": "many"}, "equal_width has a value of the wrong type"),
        ({"levels": [["a", "x"], ["b", "y"]]}, "2 roots"),
    ],
)
def test_wrong_specifications_name_the_column(spec, message):
    with pytest.raises(HierarchyError) as caught:
        recipe_from_toml(spec, column="zip")
    assert message in str(caught.value)
    assert "'zip'" in str(caught.value)


def test_specifications_of_the_issue():
    assert recipe_from_toml({"intervals": [5, 10, 20]}, column="a") == Intervals([5, 10, 20])
    assert recipe_from_toml({"prefix": [1, 3]}, column="a") == Prefix([1, 3])
    assert recipe_from_toml({"dates": ["month", "year"]}, column="a") == Dates(["month", "year"])
    assert recipe_from_toml({"dates": "year"}, column="a") == Dates(["year"])
    assert recipe_from_toml("auto", column="a") == Auto()
    tree = recipe_from_toml({"levels": [["a", "*"], ["b", "*"]]}, column="a")
    assert tree == Hierarchy.flat(["a", "b"])
    assert Column("sensitive", hierarchy=tree).to_toml()["hierarchy"] == {
        "levels": [["a", "*"], ["b", "*"]]
    }
