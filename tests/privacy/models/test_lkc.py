import pytest

from shoal.errors import ParameterError, SchemaError
from shoal.privacy import AlphaKAnonymity, KAnonymity, LKCPrivacy, check
from shoal.privacy._words import read_condition, write_condition
from shoal.tables import FrequencyTable
from tests.privacy.models.test_requirement import cells


def test_any_few_columns_are_shared_by_enough_rows():
    table = cells("1xf", "1yg", "2xf", "2yg")
    assert LKCPrivacy(1, 2).holds(table).all()
    assert not LKCPrivacy(2, 2).holds(table).any()
    assert LKCPrivacy(1, 2).value(table) == 2


def test_confidence_is_limited_by_any_few_columns():
    table = cells("1xf", "1yg", "2xf", "2yg")
    assert LKCPrivacy(1, 1, 0.5, "illness").value(table) == 1  # by age
    size, share = check(LKCPrivacy(1, 2, 0.5, "illness"), table)
    assert size.holds
    assert not share.holds
    assert (share.required, share.reached) == (0.5, 1.0)


def test_sensitive_columns_are_named_by_the_schema():
    assert LKCPrivacy(2, 3).bind(()) == LKCPrivacy(2, 3)
    assert LKCPrivacy(2, 3, 0.5).bind(("s",)) == LKCPrivacy(2, 3, 0.5, "s")
    several = LKCPrivacy(2, 3, 0.5).bind(("s", "t"))
    assert several.models == (
        LKCPrivacy(2, 3),
        LKCPrivacy(2, 1, 0.5, "s"),
        LKCPrivacy(2, 1, 0.5, "t"),
    )
    with pytest.raises(SchemaError, match="no sensitive column"):
        LKCPrivacy(2, 3, 0.5).bind(())


def test_groups_over_all_columns_imply_it():
    assert LKCPrivacy(2, 3).rungs(100) == (KAnonymity(1), KAnonymity(2), KAnonymity(3))
    assert LKCPrivacy(2, 2, 0.5, "s").rungs(100)[-1] == AlphaKAnonymity(0.5, 2, "s")


@pytest.mark.parametrize("text", ["lkc:2:5", "lkc:2:5:0.5", "lkc:3:4:0.7@illness"])
def test_words_are_read_and_written(text):
    written = write_condition(read_condition(text).to_dict())
    assert read_condition(written) == read_condition(text)


@pytest.mark.parametrize("numbers", [(0, 2), (2, 0), (1.5, 2), (2, 2, 0), (2, 2, 1.5)])
def test_numbers_are_checked(numbers):
    with pytest.raises(ParameterError, match="LKCPrivacy"):
        LKCPrivacy(*numbers)


def test_too_many_sets_and_groups_without_columns_are_refused():
    names = [f"q{i}" for i in range(40)]
    assert len(LKCPrivacy(2, 5).projections(names)) == 780
    with pytest.raises(ParameterError, match="91,390 sets of 4"):
        LKCPrivacy(4, 5).projections(names)
    table = cells("1xf", "1yg")
    bare = FrequencyTable((), table.keys[:, :0], table.sizes)
    with pytest.raises(SchemaError, match="name none"):
        LKCPrivacy(2, 1).holds(bare)
