"""Trees that make groups of k people only: brute force, and the tree of pooled rows."""

import csv

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from shoal.errors import ParameterError
from shoal.models import KAnonymousTreeClassifier
from shoal.secure import FirstParty, SecureID3, TablePart, Terms, run_owners
from shoal.secure.logarithm._fast_logarithm import logarithm_for
from shoal.secure.miners._tree_scores import large_program
from tests.extras import DATA
from tests.reference.id3 import nested
from tests.reference.kanonymous import grow
from tests.reference.owners import split_rows
from tests.reference.two_parties import halves, table


def fit(party, part, options):
    return SecureID3("class", **options).fit(part, party)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=8
)
@given(
    seed=st.integers(0, 10_000),
    rows=st.integers(12, 80),
    arities=st.lists(st.integers(1, 4), min_size=2, max_size=4),
    split=st.sampled_from(["rows", "cells"]),
    k=st.integers(1, 12),
)
def test_every_leaf_has_k_people_and_the_tree_is_that_of_the_pooled_table(
    both, seed, rows, arities, split, k
):
    codes = table(seed, rows, arities)
    parts = halves(codes, arities, split, seed)
    one, two = both(fit, (parts[0], {"k": k}), (parts[1], {"k": k}))
    assert one.tree_ == two.tree_
    sizes = np.bincount(one.tree_.apply(codes))
    assert ((sizes == 0) | (sizes >= k)).all()
    logarithm = logarithm_for("chebyshev", rows, 3)
    same, _ = grow(codes, len(arities) - 1, arities, k, log=logarithm.clear)
    assert nested(one.tree_) == same
    exact, margin = grow(codes, len(arities) - 1, arities, k)
    if margin > 4 * logarithm.error:
        assert nested(one.tree_) == exact


def test_owners_and_helpers_grow_the_same_tree():
    arities = [3, 2, 2]
    codes = table(8, 90, arities)
    parts = split_rows(codes, arities, 3)
    learnt = run_owners(Terms(list(parts), most_rows=100), SecureID3("class", k=9), parts)
    expected, _ = grow(codes, 2, arities, 9)
    assert [nested(model.tree_) for model in learnt.values()] == [expected] * 5


class Opening:
    """Both parties' programs, noted: how many bits each one opens."""

    def __init__(self, monkeypatch):
        self.opened = []
        run = FirstParty.run

        def noted(party, program, bits):
            self.opened.append(program.n_open * len(bits))
            return run(party, program, bits)

        monkeypatch.setattr(FirstParty, "run", noted)


def test_no_count_is_opened(both, monkeypatch):
    """A bit and a class per node, an index per inner node, a bit per level: no room for a count."""
    arities = [3, 3, 2]
    codes = table(4, 200, arities)
    parts = halves(codes, arities, "rows")
    opening = Opening(monkeypatch)
    one, _ = both(fit, (parts[0], {"k": 10}), (parts[1], {"k": 10}))
    nodes, inner = len(one.tree_.label), sum(a >= 0 for a in one.tree_.attribute)
    assert inner >= 2
    root_only = 1  # below the root one attribute is left, and the only one is not compared
    levels = 1 + max(len(one.tree_.path(leaf)) for leaf in one.tree_.leaves)
    assert sum(opening.opened) == 2 * nodes + root_only + levels
    assert one.n_comparisons_ > 0


def test_a_table_smaller_than_k_is_refused(both):
    arities = [2, 2]
    parts = halves(table(1, 9, arities), arities, "rows")
    with pytest.raises(ParameterError, match="fewer than k=10"):
        both(fit, (parts[0], {"k": 10}), (parts[1], {"k": 10}))
    owners = split_rows(table(1, 9, arities), arities, 2)
    with pytest.raises(ParameterError, match="fewer than k=10"):
        run_owners(Terms(list(owners), most_rows=64), SecureID3("class", k=10), owners)
    with pytest.raises(ParameterError, match="not both"):
        both(fit, (parts[0], {"k": 2, "min_rows": 2}), (parts[1], {"k": 2, "min_rows": 2}))
    with pytest.raises(ParameterError, match="k is None"):
        both(fit, (parts[0], {"k": 0}), (parts[1], {"k": 0}))


def test_the_price_of_k_in_gates():
    """About three AND gates per bit of a group's size: adder, comparison, emptiness."""
    ring = logarithm_for("chebyshev", 2**15, 3).ring
    few, many = (large_program(2, 15, (arity,), 10, ring).circuit.n_and for arity in (10, 30))
    assert (many - few) / 20 < 3.2 * 15


def published(classifier, node=0):
    """A published tree as nested tests; only values that some row has are in it."""
    tree = classifier.tree_.to_dict()
    nodes, views = tree["nodes"], tree["views"]

    def walk(node):
        if nodes["slot"][node] < 0:
            return int(np.argmax(nodes["counts"][node]))
        view = views[nodes["slot"][node]]
        first, width = nodes["first"][node], nodes["width"][node]
        children = zip(view["labels"], nodes["child"][first : first + width], strict=True)
        return view["attribute"], {label: walk(child) for label, child in children if child >= 0}

    return walk(node)


def secured(tree, codes, node=0):
    """A secure tree in the same form; a value that no row has leads to the class of its node."""
    attribute = tree.attribute[node]
    if attribute < 0:
        return tree.label[node]
    branches = {}
    for value, child in enumerate(tree.children[node]):
        rows = codes[codes[:, attribute] == value]
        if len(rows):
            branches[tree.values[attribute][value]] = secured(tree, rows, child)
        else:
            assert tree.label[child] == np.bincount(codes[:, tree.target]).argmax()
    return attribute, branches


NAMES = ["workclass", "education", "marital", "occupation", "relationship", "race", "sex", "class"]
COLUMNS = [1, 3, 5, 6, 7, 8, 9, 14]


def adult(rows):
    path = DATA / "adult" / "adult.data"
    if not path.exists():
        pytest.skip("needs the Adult data in SHOAL_DATA")
    with path.open(newline="") as file:
        table = [row for row in csv.reader(file, skipinitialspace=True) if len(row) == 15]
    raw = np.array(table[:rows])[:, COLUMNS]
    pairs = [np.unique(column, return_inverse=True) for column in raw.T]
    return raw, [values.tolist() for values, _ in pairs], np.stack([c for _, c in pairs], axis=1)


@pytest.mark.parametrize("k", [10, 100])
def test_adult_in_halves_gives_the_published_tree_of_the_pooled_rows(both, k):
    raw, values, codes = adult(3000)
    options = {"k": k, "max_depth": 3, "terms": 4}

    def half(party, rows):
        return SecureID3("class", **options).fit(TablePart(NAMES, values, rows), party)

    one, two = both(half, (codes[::2],), (codes[1::2],))
    pooled = KAnonymousTreeClassifier(privacy=k, max_depth=3, splits="multiway").fit(
        raw[:, :-1], raw[:, -1]
    )
    assert secured(one.tree_, codes) == secured(two.tree_, codes) == published(pooled)
    assert pooled.get_depth() >= 1
    _, margin = grow(codes, 7, [len(v) for v in values], k, max_depth=3)
    assert margin > 4 * logarithm_for("chebyshev", 3000, 4).error  # guaranteed, not luck
