"""Which arrays of children are a tree."""

import numpy as np
import pytest

from shoal.audit._compiled_parts import check_children
from shoal.errors import TableError


def test_trees():
    check_children(np.array([-1]), np.array([-1]))
    check_children(np.array([1, -1, 3, -1, -1]), np.array([2, -1, 4, -1, -1]))
    check_children(np.array([4, -1, -1, -1, 1]), np.array([3, -1, -1, -1, 2]))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ([], []),
        ([1, -1], [-1, -1]),
        ([1, -1, -1], [1, -1, -1]),
        ([1, -1, -1], [3, -1, -1]),
        ([0, -1, -1], [1, -1, -1]),
        ([1, 3, -1, 1, -1], [2, 4, -1, 2, -1]),
        ([-1, 2, 1], [-1, 2, 1]),
        ([-1, 3, 4, 1, 2], [-1, 4, 3, 2, 1]),
    ],
)
def test_no_trees(left, right):
    with pytest.raises(TableError):
        check_children(np.array(left, int), np.array(right, int))


def test_a_leaf_has_no_other_number_than_minus_one_for_children():
    """scikit-learn follows -31 out of the tree, and the process crashes."""
    left, right = np.array([1, -1, -31]), np.array([2, -1, -1])
    with pytest.raises(TableError, match="a child is no node"):
        check_children(left, right)
    check_children(np.maximum(left, -1), right)
