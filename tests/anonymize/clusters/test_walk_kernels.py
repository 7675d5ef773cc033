import numpy as np
import pytest

from shoal.anonymize.clusters._starts import mark_walk
from shoal.anonymize.clusters._walk_kernels import (
    Walk,
    list_cells,
    mark_alive,
    walk_steps,
)
from tests.anonymize import group_cases
from tests.reference import groups as twin


def random_walk(rng, group_of, axis, keep_alive):
    """Steps over random parts; a wider step comes after a narrower one of the same node."""
    n_words = (len(group_of) + 63) // 64
    first = rng.integers(0, 3, (3, len(group_of))).astype(np.int32)
    second = rng.integers(0, 2, (2, len(group_of))).astype(np.int32)
    nodes = [(a, b) for a in range(3) for b in range(2)]
    rng.shuffle(nodes)
    steps = [(a, b, width) for width in (0.0, 0.2, 0.5, 1.0) for a, b in nodes]
    a, b, width = (np.array(part) for part in zip(*steps, strict=True))
    masks = [np.zeros((n, n_words), np.uint64) for n in (3, 2, 6 if keep_alive else 0)]
    visited, remaining = np.zeros(6, np.int8), np.zeros((1, n_words), np.uint64)
    parts = first, second, np.full(2, 2), a.astype(np.int32), b.astype(np.int32)
    return Walk(axis, *parts, width.astype(float), *masks, visited, remaining, group_of, True)


@pytest.mark.parametrize("keep_alive", [True, False])
@pytest.mark.parametrize("model", [0, 1])
@pytest.mark.parametrize("seed", range(8))
def test_a_walk_releases_what_its_slow_twin_releases(seed, model, keep_alive):
    rng = np.random.default_rng(seed)
    cells = group_cases.cells(seed, 90)
    compiled = group_cases.compiled_of(group_cases.models()[model], cells)
    columns, *_ = group_cases.columns_of(cells)
    slow = group_cases.slow_groups(cells, columns, compiled, np.empty(0), 0)
    axis = np.sort(rng.random(cells.n_groups).round(1))
    group_of = np.full(cells.n_groups, -1, np.int64)
    walk = random_walk(rng, group_of, axis, keep_alive)
    least = compiled.minimum_size
    mark_walk(compiled, walk, cells.n_groups)
    n_groups = walk_steps(compiled, walk, 0, 10, 0)
    n_groups = walk_steps(compiled, walk, 10, len(walk.first), n_groups)
    parts = (
        list(zip(walk.first_part[a].tolist(), walk.second_part[b].tolist(), strict=True))
        for a, b in zip(walk.first, walk.second, strict=True)
    )
    expected = np.full(cells.n_groups, -1)
    assert n_groups == twin.walk(
        zip(parts, walk.width, strict=True), axis, slow.rows, slow.is_allowed, least, expected, 0
    )
    assert group_of.tolist() == expected.tolist()
    assert twin.cells_of(walk.remaining[0]) == set(np.flatnonzero(group_of < 0).tolist())


@pytest.mark.parametrize("seed", range(5))
def test_living_cells_are_those_in_large_parts(seed):
    rng = np.random.default_rng(seed)
    parts = rng.integers(0, 9, (4, 150)).astype(np.int32)
    sizes = rng.integers(1, 4, 150)
    group_of = np.where(rng.random(150) < 0.6, -1, 0)
    alive = np.zeros((4, 3), np.uint64)
    mark_alive(sizes, group_of, 18, parts, alive)
    assert [twin.cells_of(mask) for mask in alive] == twin.alive(parts, sizes, group_of, 18)


def test_cells_are_listed_that_are_in_all_masks():
    rng = np.random.default_rng(0)
    flags = rng.random((3, 130)) < 0.5
    masks = [twin.mask_of(np.flatnonzero(row).tolist(), 130) for row in flags]
    cells = np.empty(130, np.int64)
    n_cells = list_cells(*masks, cells)
    assert cells[:n_cells].tolist() == np.flatnonzero(flags.all(axis=0)).tolist()
