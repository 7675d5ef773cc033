import numpy as np
import pytest

from shoal.errors import ParameterError, SchemaError
from shoal.privacy import TCloseness
from shoal.privacy.compiled._compile import allowed_groups, compile_model
from tests.privacy.columns import TREE_ROWS
from tests.reference import privacy as twin
from tests.reference.rows import coding, table

_tree_distance = twin.tree_distance(TREE_ROWS)


def tree_distance(x, y):
    return _tree_distance(x if x is None else str(x), y if y is None else str(y))


def closeness(t, distance=None):
    def holds(group, whole):
        return twin.t_closeness(group, whole, t, distance or twin.ordered_distance(whole))

    return holds


CASES = [
    (TCloseness(0.25), closeness(0.25, twin.equal_distance)),
    (TCloseness(0.2, distance="ordered"), closeness(0.2)),
    (TCloseness(0.2, distance="hierarchical"), closeness(0.2, tree_distance)),
]


SALARIES = [3, 4, 5, 6, 7, 8, 9, 10, 11]  # thousands, Li et al. 2007, table 3


def salary_groups():
    groups = [[3, 4, 5], [6, 8, 11], [7, 9, 10]]
    return table(
        [[{"salary": value} for value in rows] for rows in groups],
        {"salary": coding("salary", SALARIES, "numeric")},
    )


def test_published_example_of_the_ordered_distance():
    # Li et al. 2007, section 5.1: D({3k, 4k, 5k}) = 0.375, D({6k, 8k, 11k}) = 0.167
    levels = TCloseness(0.2, distance="ordered").levels(salary_groups())
    assert levels[0] == pytest.approx(0.375)
    assert levels[1] == pytest.approx(1 / 6)


@pytest.mark.parametrize("distance", ["equal", "ordered"])
def test_t_is_not_ignored(distance):
    groups = salary_groups()
    strict, loose = TCloseness(0.05, distance=distance), TCloseness(1.0, distance=distance)
    assert not strict.holds(groups).any()
    assert loose.holds(groups).all()
    own = np.arange(3)
    assert not allowed_groups(compile_model(strict, groups), own, 3).any()
    assert allowed_groups(compile_model(loose, groups), own, 3).all()


def test_the_whole_is_what_is_released():
    groups = salary_groups()
    alone = groups.merge(np.array([0, -1, -1]), 1)  # the rest is suppressed
    assert TCloseness(0.0, distance="ordered").holds(alone).all()
    rules = compile_model(TCloseness(0.0), groups, kept=np.array([True, False, False]))
    assert allowed_groups(rules, np.array([0, -1, -1]), 1).all()


def test_distances_need_an_order_or_a_tree():
    groups = table([[{"disease": "flu"}]])
    for model, needs in [
        (TCloseness(0.1, distance="ordered"), "is categorical and has no order"),
        (TCloseness(0.1, distance="hierarchical"), "has no hierarchy"),
    ]:
        with pytest.raises(SchemaError, match=needs) as caught:
            model.holds(groups)
        assert "flu" not in str(caught.value)
        with pytest.raises(SchemaError, match=needs):
            compile_model(model, groups)


@pytest.mark.parametrize("t", [-0.1, 1.1, None, "0.2", float("nan")])
def test_t_lies_between_0_and_1(t):
    with pytest.raises(ParameterError, match="t must be at least 0 and at most 1"):
        TCloseness(t)


def test_unknown_distances_are_refused():
    with pytest.raises(ParameterError, match="Choose from equal, ordered, hierarchical"):
        TCloseness(0.1, distance="euclidean")


def test_many_values_are_taken_some_groups_at_a_time(monkeypatch):
    from shoal.privacy.models import _group_values

    expected = TCloseness(0.2, distance="ordered").levels(salary_groups())
    monkeypatch.setattr(_group_values, "_CHUNK", 10)
    np.testing.assert_allclose(
        TCloseness(0.2, distance="ordered").levels(salary_groups()), expected
    )
