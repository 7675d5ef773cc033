from itertools import combinations

import numpy as np
import pytest

from reproduce._apriori import best_rules, find_rules, mark_items
from tests.extras import need

need("mlxtend")


def table(seed, n_rows=40):
    rng = np.random.default_rng(seed)
    columns = {name: rng.choice(["x", "y", "z"], n_rows, p=[0.6, 0.3, 0.1]) for name in "abc"}
    columns["d"] = np.where(rng.random(n_rows) < 0.8, columns["a"], "y")
    listed = {name: values.tolist() for name, values in columns.items()}
    listed["b"][0] = None
    return listed


def count(columns, items):
    rows = zip(*columns.values(), strict=True)
    return sum(all(dict(zip(columns, row, strict=True))[c] == v for c, v in items) for row in rows)


def brute_sets(columns, least):
    items = [(c, v) for c, values in columns.items() for v in set(values) - {None}]
    return {
        frozenset(chosen): n
        for size in range(1, len(columns) + 1)
        for chosen in combinations(items, size)
        if len({c for c, _ in chosen}) == size and (n := count(columns, chosen)) >= least
    }


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("least", [4, 10])
def test_rules_are_those_of_brute_force(seed, least):
    columns = table(seed)
    expected = brute_sets(columns, least)
    rules = find_rules(mark_items(columns), least, 0.7)
    assert {(rule.when, rule.then) for rule in rules} == {
        (when, items - when)
        for items in expected
        for when in expected
        if when < items and expected[items] / expected[when] >= 0.7
    }
    for rule in rules:
        assert (rule.rows, rule.hits) == (expected[rule.when], expected[rule.when | rule.then])
    assert [r.confidence for r in rules] == sorted((r.confidence for r in rules), reverse=True)


def test_the_support_is_lowered_until_there_are_enough_rules():
    columns = {"a": ["x"] * 6 + ["y"] * 4, "b": ["u"] * 6 + ["v"] * 4}
    marks = mark_items(columns)
    assert [sorted(rule.when) for rule in best_rules(marks, 2)] == [[("a", "x")], [("b", "u")]]
    assert len(best_rules(marks, 4)) == 4  # those of the smaller half as well
    assert len(best_rules(marks, 9)) == 4  # there are no more


def test_items_that_never_meet_make_no_rule():
    assert find_rules(mark_items({"a": ["x", "y"], "b": ["u", None]}), 2, 0.5) == []
