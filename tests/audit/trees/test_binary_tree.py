"""Words for paths, and points enough to try every outcome of a tree's tests."""

import numpy as np
import pytest

from shoal.audit.trees._binary_tree import TreeWriter


def chain(*against, strict=False, **more):
    """One feature tested again and again on the way down to the right."""
    out, node = TreeWriter(), 0
    out.add(7, 0)
    for number, value in enumerate(against):
        out.test(node, 0, value, missing_left=False, **more)
        out.left[node], out.right[node] = out.add(100 + number, 0), out.add(200 + number, 0)
        node = out.right[node]
    return out.finish(strict=strict)


def test_paths_in_words():
    tree = chain(1.5, [3, 1])
    first, second, last = tree.leaves.tolist()
    assert tree.path(first, ("age",)) == "age <= 1.5"
    assert tree.path(second, ("age",)) == "age > 1.5 and age in categories 1, 3"
    assert tree.path(last, ("age",)) == "age > 1.5 and age not in categories 1, 3"
    assert tree.number[tree.leaves].tolist() == [100, 101, 201]
    below = float(np.nextafter(np.float32(2), np.float32(0)))
    assert chain(below, strict=True).path(2, ("age",)) == "age >= 2"
    assert chain().path(0, ()) == "no test"
    assert (chain().depth, tree.depth) == (0, 2)


def test_of_bounds_on_one_side_the_tightest_is_told():
    tree = chain(1.5, 2.5, 3.5)
    assert tree.path(tree.leaves.tolist()[-1], ("age",)) == "age > 3.5"
    assert tree.path(tree.leaves.tolist()[-2], ("age",)) == "age > 2.5 and age <= 3.5"


@pytest.mark.parametrize("seed", range(20))
def test_turning_points_have_every_outcome(seed):
    """A fine grid finds no combination of outcomes that these points do not have."""
    rng = np.random.default_rng(seed)
    cuts = np.round(rng.uniform(-3, 3, 4), 1).tolist()
    tree = chain(*cuts, rng.choice(4, 2, replace=False).tolist(), zero_missing=bool(seed % 2))
    inner = np.flatnonzero(tree.left >= 0).tolist()

    def outcomes(values):
        return set(zip(*(tree.goes_left(node, values).tolist() for node in inner), strict=True))

    points = tree.turning_points(0)
    assert outcomes(np.linspace(-4, 6, 2001)) <= outcomes(np.append(points, [-4.0, 6.0]))


def test_neighbours_in_single_precision_are_told_apart():
    cut = float(np.float32(0.1))
    points = chain(cut).turning_points(0)
    rounded = np.unique(points.astype(np.float32))
    assert np.float32(0.1) in rounded
    assert np.nextafter(np.float32(0.1), np.float32(1)) in rounded
