import pytest
from hypothesis import given, settings, strategies as st

from shoal.errors import ParameterError, SchemaError
from shoal.federated import AliasTable

categories = st.sets(st.text(min_size=1, max_size=5), min_size=1, max_size=12)


@settings(deadline=None, max_examples=50)
@given(first=categories, second=categories)
def test_extending_keeps_every_old_alias(first, second):
    table = AliasTable.random(first, "Illness")
    longer = table.extend(second)
    assert set(longer.categories) == first | second
    assert all(longer.to_alias[c] == table.to_alias[c] for c in first)
    assert len(set(longer.aliases)) == len(longer.categories)
    assert longer.decode(longer.encode(sorted(first | second))) == sorted(first | second)


def test_aliases_are_drawn_at_random():
    tables = {AliasTable.random(range(8), "x").categories for _ in range(20)}
    assert len(tables) > 10


def test_an_unknown_category_is_named():
    table = AliasTable.random(["flu", "gastritis"], "Illness")
    with pytest.raises(SchemaError, match="'disease': categories without an alias: 'cold'"):
        table.encode(["flu", "cold", None], "disease")


def test_at_most_five_unknown_categories_are_named():
    with pytest.raises(SchemaError, match="'a', 'b', 'c', 'd', 'e' and 2 more"):
        AliasTable.random(["x"], "p").encode(list("abcdefg"))


def test_a_foreign_alias_is_an_error_that_does_not_show_it():
    with pytest.raises(SchemaError, match="1 distinct values are not aliases") as caught:
        AliasTable.random(["x"], "p").decode(["p_1", "CANARY"])
    assert "CANARY" not in str(caught.value)


def test_missing_stays_missing():
    table = AliasTable.random(["x"], "p")
    assert table.decode(table.encode([None, "x"])) == [None, "x"]


@pytest.mark.parametrize(
    ("prefix", "values"), [("", ["a"]), ("a b", ["a"]), ("p", [1.5]), ("p", [1, "1"]), ("p", "aa")]
)
def test_tables_that_could_not_be_read_back_are_refused(prefix, values):
    with pytest.raises(ParameterError):
        AliasTable(prefix, tuple(values))


def test_repr_holds_no_category():
    assert repr(AliasTable.random(["CANARY"], "p")) == "AliasTable(prefix='p', 1 categories)"
