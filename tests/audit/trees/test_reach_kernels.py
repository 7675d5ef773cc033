"""Compiled walks against plain ones, on random trees with every kind of test."""

import numpy as np
import pytest

from shoal.audit.trees._binary_tree import TreeWriter
from shoal.audit.trees._reach_kernels import (
    PrivateCells,
    find_possible,
    goes_left,
    group_by_reach,
)
from tests.reference import reach as slow

N_FEATURES = 4


def random_tree(rng, most=25):
    """A tree twice: for the kernels, and as a dict of plain nodes."""
    out, plain, open_leaves = TreeWriter(), {}, [0]
    out.add(0, 0)
    for _ in range(int(rng.integers(0, most))):
        node = open_leaves.pop(int(rng.integers(len(open_leaves))))
        feature = int(rng.integers(N_FEATURES))
        codes = rng.choice(5, int(rng.integers(1, 4)), replace=False).tolist()
        against = codes if rng.random() < 0.3 else float(rng.integers(-2, 3))
        missing, zero = bool(rng.integers(2)), bool(rng.random() < 0.2)
        out.test(node, feature, against, missing_left=missing, zero_missing=zero)
        left, right = out.add(0, 0), out.add(0, 0)
        out.left[node], out.right[node] = left, right
        chosen = frozenset(codes) if isinstance(against, list) else None
        cut = 0.0 if chosen else against
        plain[node] = slow.Split(feature, cut, left, right, missing, zero, chosen)
        open_leaves += [left, right]
    return out.finish(), plain


def random_values(rng, shape):
    values = rng.integers(-4, 9, shape) / 2
    return np.where(rng.random(shape) < 0.15, np.nan, values)


@pytest.mark.parametrize("seed", range(40))
def test_rows_are_grouped_by_the_leaves_they_can_reach(seed):
    rng = np.random.default_rng(seed)
    tree, plain = random_tree(rng)
    rows = random_values(rng, (int(rng.integers(1, 2000)), N_FEATURES))
    closed = rng.random(N_FEATURES) < 0.4
    cells = random_values(rng, (5, N_FEATURES))  # each closed feature is an attribute of its own
    attributes = np.flatnonzero(closed)
    owner = np.full(N_FEATURES, -1)
    owner[attributes] = np.arange(len(attributes))
    values, starts = cells.T[attributes].ravel(), np.arange(len(attributes) + 1) * 5
    alive = find_possible(tree.depth, PrivateCells(owner, owner * 5, values, starts), tree.arrays)
    choices = [[{int(f): float(v)} for v in cells[:, f]] for f in attributes]
    wanted = slow.possible(plain, choices)
    assert frozenset(np.flatnonzero(alive).tolist()) == wanted
    label, start, leaves = group_by_reach(rows, closed, alive, tree.arrays)
    shut = set(attributes.tolist())
    expected = [slow.leaves(plain, row, shut, wanted) for row in rows.tolist()]
    got = [frozenset(leaves[start[j] : start[j + 1]].tolist()) for j in label]
    assert got == expected
    assert len(start) - 1 == len(set(expected))


def test_many_groups_make_the_table_grow():
    """A chain of closed and open tests: every subset of the open ones is a reach of its own."""
    rng = np.random.default_rng(0)
    n = 12
    out, node = TreeWriter(), 0
    out.add(0, 0)
    for feature in range(n):
        out.test(node, n, float(feature), missing_left=False)  # closed: both ways
        side, down = out.add(0, 0), out.add(0, 0)
        out.left[node], out.right[node] = side, down
        out.test(side, feature, 0.0, missing_left=False)
        out.left[side], out.right[side] = out.add(0, 0), out.add(0, 0)
        node = down
    tree = out.finish()
    rows = np.column_stack([rng.integers(0, 2, (20_000, n)), np.zeros(20_000)]).astype(float)
    closed = np.arange(n + 1) == n
    label, start, leaves = group_by_reach(rows, closed, np.ones(len(tree.left), bool), tree.arrays)
    _, expected = np.unique(rows, axis=0, return_inverse=True)
    assert len(start) - 1 == expected.max() + 1 > 3000
    assert len(np.unique(label * 5000 + expected.ravel())) == len(start) - 1
    assert (np.diff(start) == n + 1).all()
    assert len(leaves) == start[-1]


@pytest.mark.parametrize("seed", range(10))
def test_one_test_goes_as_the_plain_one(seed):
    rng = np.random.default_rng(seed)
    tree, plain = random_tree(rng, most=9)
    values = [*random_values(rng, 50).tolist(), -0.0, 1e-36, -1e-36, 2e-35, 1e300]
    for node, split in plain.items():
        expected = [split.goes_left(value) for value in values]
        assert [bool(goes_left(value, node, tree.arrays)) for value in values] == expected
        assert tree.goes_left(node, np.array(values)).tolist() == expected
