import json
import pickle
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, strategies as st

from shoal._plain import pack
from shoal.errors import HierarchyError, SchemaError
from shoal.schema import Column, Hierarchy
from shoal.schema._builders import Intervals, Tree
from shoal.schema._coding import Coding, find_ceiling, make_coding
from tests.reference import hierarchies as slow
from tests.schema.strategies import parent_maps

LOCATION = {
    "West Coast": {"California": ["San Diego", "Los Angeles"]},
    "Midwest": {"Kansas": ["Wichita", "Kansas City"], "Nebraska": ["Lincoln"]},
}


@given(parents=parent_maps(), data=st.data())
def test_ceilings_are_the_first_marked_node_on_the_way_up(parents, data):
    tree = Hierarchy.from_parents(parents)
    marked = data.draw(st.lists(st.sampled_from(tree.labels), unique=True))
    column = Column("quasi-identifier", hierarchy=tree, limit=marked)
    ceiling = find_ceiling(tree, column, "c")
    for leaf in range(tree.n_leaves):
        expected = slow.ceiling(parents, tree.labels[leaf], set(marked))
        assert tree.labels[ceiling[leaf]] == expected


@given(parents=parent_maps(), data=st.data())
def test_a_limit_level_is_that_column_of_the_levels(parents, data):
    tree = Hierarchy.from_parents(parents).with_missing()
    level = data.draw(st.integers(0, tree.n_levels - 1))
    column = Column("quasi-identifier", hierarchy=tree, limit_level=level)
    ceiling = find_ceiling(tree, column, "c")
    assert (ceiling[:-1] == tree.levels[:-1, level]).all()
    assert ceiling[-1] == tree.root  # a missing value generalizes straight to the root


def test_the_limits_of_the_worked_example():
    limit = ["California", "Midwest", "Kansas"]
    column = Column("quasi-identifier", hierarchy=Tree(LOCATION), limit=limit)
    coding = make_coding("location", column, ["Lincoln", "Wichita", "San Diego"])
    tree = coding.hierarchy
    found = {tree.labels[leaf]: tree.labels[coding.ceiling[leaf]] for leaf in range(tree.n_leaves)}
    assert found == {
        "San Diego": "California",
        "Los Angeles": "California",
        "Wichita": "Kansas",
        "Kansas City": "Kansas",
        "Lincoln": "Midwest",
    }
    assert coding.is_limited


def test_an_impossible_limit_says_what_to_do():
    column = Column("quasi-identifier", hierarchy=Tree(LOCATION), limit=["Texas"])
    with pytest.raises(SchemaError, match=r"'place': limit 'Texas' is not a node.*limit_level"):
        make_coding("place", column, ["Lincoln"])
    column = Column("quasi-identifier", hierarchy=Tree(LOCATION), limit_level=9)
    with pytest.raises(SchemaError, match="limit_level 9 is not among the levels 0 to 3"):
        make_coding("place", column, ["Lincoln"])


def test_all_values_that_the_hierarchy_lacks_come_with_the_error_not_its_message():
    column = Column("quasi-identifier", hierarchy=Tree({"A": ["x"]}))
    with pytest.raises(HierarchyError) as caught:
        make_coding("c", column, ["z", "x", "y", "w"])
    message = str(caught.value)
    assert "column 'c': its hierarchy lacks 3 of the values." in message
    assert caught.value.values == ("w", "y", "z")
    assert pickle.loads(pickle.dumps(caught.value)).values == ("w", "y", "z")
    assert "--missing-to-root" in message
    coding = make_coding("c", column, ["z", "x", "y"], missing_to_root=True, has_missing=True)
    tree = coding.hierarchy
    assert coding.texts == ("x", "y", "z", None)
    assert [tree.labels[tree.parent[leaf]] for leaf in range(4)] == ["A", "*", "*", "*"]
    assert tree.labels[tree.levels[1, 1]] == "*"


def test_values_of_other_roles_are_counted_and_never_shown():
    column = Column("sensitive", hierarchy=Tree({"A": ["x"]}))
    with pytest.raises(HierarchyError) as caught:
        make_coding("illness", column, ["x", "CANARY"])
    assert "CANARY" not in str(caught.value)
    assert caught.value.values == ()
    assert "lacks 1 of the values." in str(caught.value)


def test_a_value_that_is_an_inner_node_is_an_error_even_with_the_way_out():
    column = Column("quasi-identifier", hierarchy=Tree({"A": ["x"]}))
    with pytest.raises(HierarchyError, match="1 values are inner nodes of its hierarchy"):
        make_coding("c", column, ["x", "A"], missing_to_root=True)


@given(values=st.lists(st.integers(-99, 99), min_size=1, max_size=30, unique=True),
       has_missing=st.booleans())  # fmt: skip
def test_codes_of_numbers_rise_with_them_in_and_out_of_hierarchies(values, has_missing):
    for hierarchy in (None, Intervals([5, 10])):
        column = Column("quasi-identifier", "numeric", hierarchy)
        coding = make_coding("n", column, values, has_missing=has_missing)
        assert coding.n_codes == len(values) + has_missing
        assert coding.numbers[: len(values)].tolist() == sorted(values)
        assert coding.missing == (len(values) if has_missing else -1)
        assert coding.code_of[str(values[0])] == sorted(values).index(values[0])
        again = Coding.from_dict(json.loads(json.dumps(pack(coding))))
        assert again.texts == coding.texts
        assert again.hierarchy == coding.hierarchy
        np.testing.assert_array_equal(again.numbers, coding.numbers)
        np.testing.assert_array_equal(again.ceiling, coding.ceiling)


def test_groups_of_numbers_that_interleave_are_refused():
    column = Column("quasi-identifier", "numeric", Tree({"odd": ["1", "3"], "even": ["2", "4"]}))
    with pytest.raises(HierarchyError, match="groups of its hierarchy interleave"):
        make_coding("n", column, [1, 2])
    make_coding("n", Column("quasi-identifier", hierarchy=column.hierarchy), [1, 2])


def test_ordinal_columns_follow_their_own_order():
    column = Column("quasi-identifier", "ordinal", order=("low", "mid", "high"))
    coding = make_coding("o", column, ["high", "low"])
    assert coding.texts == ("low", "high")
    assert coding.numbers.tolist() == [0.0, 2.0]
    with pytest.raises(SchemaError, match="1 values are not in its order") as caught:
        make_coding("o", column, ["high", "CANARY"])
    assert "CANARY" not in str(caught.value)


def test_values_with_one_text_are_one_code():
    coding = make_coding("n", Column("quasi-identifier"), [1, 1.0, "1", "2"])
    assert coding.texts == ("1", "2")


def test_dates_and_wrong_kinds():
    column = Column("quasi-identifier", "date")
    coding = make_coding("d", column, ["2020-02-01", "1999-01-01"])
    assert coding.texts == ("1999-01-01", "2020-02-01")
    for kind in ("numeric", "date"):
        with pytest.raises(SchemaError, match="some of its values are not") as caught:
            make_coding("d", Column("quasi-identifier", kind), ["CANARY"])
        assert "CANARY" not in str(caught.value)


def test_a_hierarchy_is_built_when_asked_for():
    column = Column("quasi-identifier", "numeric")
    assert make_coding("n", column, list(range(50))).hierarchy is None
    assert make_coding("n", column, list(range(50)), build_hierarchy=True).hierarchy.n_levels > 2


def test_repr_shows_no_values():
    assert (
        repr(make_coding("n", Column("sensitive"), ["CANARY"]))
        == "Coding('n', categorical, 1 codes)"
    )


@pytest.mark.parametrize("huge", ["1e400", "-1e400", 10**400, Decimal("1e400")])
def test_numbers_that_cannot_be_calculated_with_are_refused(huge):
    with pytest.raises(SchemaError, match=r"beyond 1.8e\+308"):
        make_coding("n", Column("quasi-identifier", "numeric"), [huge, "5"])


def test_the_text_nan_stands_behind_numbers_that_floats_miss():
    values = ["nan", "99999999999999999999999", "-inf", "5", "inf", "99999999999999999999998"]
    for turn in range(len(values)):
        column = Column("quasi-identifier", "numeric")
        coding = make_coding("n", column, values[turn:] + values[:turn])
        assert coding.texts == ("-inf", "5", *reversed(values[1::4]), "inf", "nan")
