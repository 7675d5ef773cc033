import numpy as np
import pytest

from shoal.anonymize.greedy._top_down_kernels import split_groups
from tests.reference import cuts as twin


@pytest.mark.parametrize("seed", range(20))
def test_groups_are_split_and_numbered_like_their_twins(seed):
    rng = np.random.default_rng(seed)
    # leaves 0 to 3 lie below the node that is split, 4 and 5 elsewhere; a group is on one side
    child_of = np.array([0, 0, 1, 2, -1, -1], np.int32)
    group_of = rng.integers(-1, 6, 40)
    below = rng.random(6) < 0.5
    leaves = np.where(below[group_of], rng.integers(0, 4, 40), rng.integers(4, 6, 40))
    _, group_of[group_of >= 0] = np.unique(group_of[group_of >= 0], return_inverse=True)
    n_groups = int(group_of.max()) + 1
    new, n_new = split_groups(leaves.astype(np.int32), child_of, group_of, n_groups, 3)
    expected = twin.split(leaves.tolist(), child_of.tolist(), group_of.tolist())
    assert new.tolist() == expected
    assert n_new == max(expected) + 1
