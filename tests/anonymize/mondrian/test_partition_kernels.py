import numpy as np
import pytest

from shoal.anonymize.mondrian._drop_kernels import entropy_drops, loss_drops
from shoal.anonymize.mondrian._partition import make_columns
from shoal.anonymize.mondrian._partition_kernels import divide, measure_regions
from shoal.anonymize.mondrian._region_arrays import Frontier, RegionTask, RegionWork
from shoal.privacy import KAnonymity
from shoal.privacy.compiled._compile import compile_model
from tests.anonymize.strategies import compress, twin_cells, twin_columns
from tests.reference import mondrian as twin

SEEDS = range(8)
WEIGHT = np.array([0.5, 1.0, 0.2])


def case(seed):
    """Cells in two regions, each cut into a few parts at random."""
    rng = np.random.default_rng(seed)
    ages = [None, *range(20, 27)]
    people = [
        (ages[a], "abcdefg"[p], "uvw"[s], ["yes", "no"][i])
        for a, p, s, i in rng.integers(0, [8, 7, 3, 2], (40, 4)).tolist()
    ]
    cells = compress(people)
    n = cells.n_groups
    middle = n // 2
    begin, end = np.array([0, middle]), np.array([middle, n])
    n_parts = np.array([2, 3])
    part = np.concatenate([np.arange(middle) % 2, np.arange(n - middle) % 3])
    part[:middle], part[middle:] = rng.permutation(part[:middle]), rng.permutation(part[middle:])
    none = np.full(2, -1, np.int64)
    frontier = Frontier(begin, end, np.zeros(2, np.int64), n_parts, none)
    codes = np.zeros(n, np.int32)
    order = rng.permutation(n)
    keys, sizes = np.ascontiguousarray(cells.keys[order].T), cells.sizes[order]
    spare = np.zeros(n, np.int64)
    work = RegionWork(order, keys, sizes, part, spare, codes, codes.copy())
    return cells, frontier, work


def regions(frontier, work):
    for begin, end in zip(frontier.begin, frontier.end, strict=True):
        yield work.order[begin:end].tolist(), work.part[begin:end].tolist()


@pytest.mark.parametrize("seed", SEEDS)
def test_bounds_are_the_least_and_largest_codes(seed):
    cells, frontier, work = case(seed)
    columns = make_columns(cells, {})
    low, high, _ = measure_regions(columns, work.keys, frontier.begin, frontier.end)
    for number, (region, _) in enumerate(regions(frontier, work)):
        expected = twin.bounds(cells.keys.T.tolist(), region)
        assert (low[number].tolist(), high[number].tolist()) == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_parts_lie_together_and_keep_their_order(seed):
    cells, frontier, work = case(seed)
    expected = [part for region in regions(frontier, work) for part in twin.divided(*region)]
    begin, end = divide(work, frontier)
    parts = [work.order[a:b].tolist() for a, b in zip(begin, end, strict=True)]
    assert parts == expected
    assert np.array_equal(work.keys, cells.keys[work.order].T)  # codes and rows went with them
    assert np.array_equal(work.sizes, cells.sizes[work.order])


@pytest.mark.parametrize("seed", SEEDS)
def test_losses_and_drops_are_those_of_the_plain_twin(seed):
    cells, frontier, work = case(seed)
    columns, plain, listed = make_columns(cells, {}), twin_columns(cells), twin_cells(cells)
    low, high, losses = measure_regions(columns, work.keys, frontier.begin, frontier.end)
    task = RegionTask(columns, compile_model(KAnonymity(2), cells), WEIGHT, 1.0, True, False)
    drops = loss_drops(task, work, frontier, low, high)
    ill = cells.histograms["ill"]
    gains = entropy_drops(work, frontier, ill.coding.n_codes, ill.start, ill.codes, ill.counts)
    for number, (region, part) in enumerate(regions(frontier, work)):
        inside = [listed[cell] for cell in region]
        parts = [[listed[cell] for cell in own] for own in twin.divided(region, part)]
        for at, column in enumerate(plain):
            expected = column.loss({key[at] for key, _ in inside})
            assert losses[number, at] == pytest.approx(expected)
        assert drops[number] == pytest.approx(twin.drop(inside, parts, plain, WEIGHT))
        assert gains[number] == pytest.approx(twin.gain(inside, parts))
