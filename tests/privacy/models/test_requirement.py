import pytest

from shoal.errors import ParameterError
from shoal.privacy import (
    AverageRisk,
    DistinctDiversity,
    KAnonymity,
    KMap,
    LKCPrivacy,
    PrivacyModel,
    Requirement,
    check,
)
from shoal.privacy._words import read_requirement, write_requirement
from shoal.schema import Schema
from shoal.tables import open_table

SCHEMA = Schema(
    {
        "zip": {"role": "quasi-identifier"},
        "age": {"role": "quasi-identifier"},
        "illness": {"role": "sensitive"},
    }
)


def cells(*rows):
    named = zip(("zip", "age", "illness"), map(list, zip(*rows, strict=True)), strict=True)
    return open_table(dict(named)).compress(SCHEMA).cells


def test_rows_are_counted_by_the_columns_named():
    table = cells("1xf", "1yg", "2xf", "2xf", "3xf")
    model = Requirement(("zip",), 2)
    assert model.value(table) == 1
    assert int(table.sizes[~model.holds(table)].sum()) == 1
    assert Requirement(("age",), 4).value(table) == 1
    assert Requirement(("zip", "age"), 1).holds(table).all()


def test_every_part_of_a_condition_is_reported():
    table = cells("1xf", "1yf", "2xf", "2yg")
    size, values = check(Requirement("zip", KAnonymity(2) & DistinctDiversity(2, "illness")), table)
    assert (size.required, size.reached, size.holds) == (2, 2, True)
    assert (values.required, values.reached, values.failing_rows) == (2, 1, 2)
    assert values.description.startswith("by 'zip' alone")


@pytest.mark.parametrize("columns", [(), (3,), ("zip", "zip")])
def test_columns_are_names(columns):
    with pytest.raises(ParameterError, match="Requirement"):
        Requirement(columns, 2)


@pytest.mark.parametrize(
    "asked", [AverageRisk(0.1), KMap(3), LKCPrivacy(1, 2), Requirement("zip", 2), "five"]
)
def test_only_conditions_on_groups_can_be_asked(asked):
    with pytest.raises(ParameterError):
        Requirement(("zip",), asked)


@pytest.mark.parametrize("text", ["zip,age:10", "zip:5+distinct:2@illness", "age:entropy:1.5"])
def test_words_are_read_and_written(text):
    model = read_requirement(text)
    assert write_requirement(model.to_dict()) == text
    assert PrivacyModel.from_dict(model.to_dict()) == model


@pytest.mark.parametrize("text", ["zip", "zip,:3", ":3", "zip:", "zip:3+4", "zip:three"])
def test_other_words_are_refused(text):
    with pytest.raises(ParameterError):
        read_requirement(text)


def test_names_that_words_cannot_say_are_not_written():
    assert write_requirement(Requirement(("a,b",), 2).to_dict()) is None
    with pytest.raises(ParameterError, match="give columns"):
        PrivacyModel.from_dict({"model": "Requirement", "columns": "zip", "asked": 3})
