import numpy as np
import pytest

from shoal.anonymize.lattice._lattice_kernels import (
    additive_loss,
    failing_rows,
    join_halves,
    minorities,
    squares,
)
from tests.reference import lattice as twin


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(("n_first", "n_second"), [(4, 7), (600, 700), (90_000, 80_000)])
def test_halves_are_joined_and_numbered_like_their_twins(n_first, n_second, seed):
    rng = np.random.default_rng(seed)
    n = 9_000 if n_first == 600 else 200  # enough groups for the table to grow
    first = rng.integers(0, n_first, n).astype(np.int32)
    second = rng.integers(0, n_second, n).astype(np.int32)
    sizes = rng.integers(1, 9, n)
    group_of, rows = join_halves(first, n_first, second, n_second, sizes)
    assert group_of.tolist() == twin.join(first, second)
    assert rows.tolist() == np.bincount(group_of, weights=sizes).tolist()


@pytest.mark.parametrize("seed", range(10))
def test_losses_are_those_of_the_definitions(seed):
    rng = np.random.default_rng(seed)
    _, group_of = np.unique(rng.integers(0, 8, 50), return_inverse=True)
    classes = rng.integers(0, 4, (50, 3))
    classes[:, 0] += 1
    sizes = classes.sum(axis=1)
    rows = np.bincount(group_of, weights=sizes).astype(np.int64)
    fine = rng.random(len(rows)) < 0.6
    first, second, penalty = rng.random((3, 50))
    expected = twin.losses(group_of, fine, sizes, classes, first + second, penalty)
    assert failing_rows(rows, fine) == expected["failing"]
    found = additive_loss(group_of, fine, sizes, first, second, penalty)
    assert found == pytest.approx(expected["additive"])
    assert squares(rows, fine, int(sizes.sum())) == expected["squares"]
    assert minorities(group_of, rows, fine, classes) == expected["minorities"]
