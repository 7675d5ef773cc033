import numpy as np
import pytest

from shoal.anonymize.clusters._group_loss import pair_loss
from shoal.anonymize.clusters._starts import all_allowed
from shoal.anonymize.clusters.boxes._box_kernels import (
    Lookup,
    can_spare,
    is_fine,
    list_box,
    mark_below,
    move,
    recount,
    take_back,
)
from tests.anonymize.clusters.boxes.test_exchange import boxes_of, problem_of, walked


def cells_of(mask, n):
    return {cell for cell in range(n) if int(mask[cell >> 6]) >> (cell & 63) & 1}


def slow_box(keys, low, high):
    return set(np.flatnonzero(((keys >= low) & (keys <= high)).all(axis=1)).tolist())


@pytest.mark.parametrize("n", [60, 64, 130])
def test_masks_say_which_cells_lie_below_a_code(n):
    keys = np.random.default_rng(n).integers(0, 5, (n, 2)).astype(np.int32)
    below = mark_below(keys, np.array([0, -1]), np.array([5, 5]))
    assert len(below) == 6
    for code in range(6):
        assert cells_of(below[code], n) == set(np.flatnonzero(keys[:, 0] < code).tolist())


@pytest.mark.parametrize(
    ("most_codes", "most_places"), [(1_024, 2**18), (9, 2**18), (4, 2**18), (0, 0), (1_024, 0)]
)
def test_a_box_has_the_cells_within_its_ends(monkeypatch, most_codes, most_places):
    monkeypatch.setattr("shoal.anonymize.clusters.boxes._exchange._MOST_CODES", most_codes)
    monkeypatch.setattr("shoal.anonymize.clusters.boxes._exchange._MOST_PLACES", most_places)
    problem = problem_of(3, 0, n=300)
    problem, boxes = boxes_of(problem, walked(problem).group_of)
    rng = np.random.default_rng(0)
    drawn = problem.keys[rng.integers(0, len(problem.keys), (2, 40))]
    lows = np.concatenate([boxes.low, drawn.min(axis=0)])
    highs = np.concatenate([boxes.high, drawn.max(axis=0)])
    for low, high in zip(lows, highs, strict=True):
        listed = boxes.cells[: list_box(boxes.lookup, low, high, boxes.cells)].tolist()
        assert len(set(listed)) == len(listed)
        assert set(listed) == slow_box(problem.keys, low, high)


@pytest.mark.parametrize("ranges", [False, True])
def test_boxes_begin_as_the_groups_and_reach_as_far_as_their_labels(ranges):
    problem = problem_of(4, 1, ranges=ranges)
    problem, boxes = boxes_of(problem, walked(problem).group_of)
    number = boxes.places.group_of
    for box in range(int(number.max()) + 1):
        own = problem.keys[number == box]
        low, high = own.min(axis=0), own.max(axis=0)
        loss = sum(pair_loss(problem.loss, j, low[j], high[j]) for j in range(len(low)))
        wide = sum(
            pair_loss(problem.loss, j, boxes.low[box, j], boxes.high[box, j])
            for j in range(len(low))
        )
        assert boxes.places.loss[box] == pytest.approx(loss)
        assert wide == pytest.approx(loss)
        assert (boxes.low[box] <= low).all()
        assert (boxes.high[box] >= high).all()
        assert boxes.places.size[box] == problem.compiled.sizes[number == box].sum()
        assert is_fine(boxes, box)


def test_a_cell_can_be_spared_when_its_group_is_allowed_without_it():
    for model in (0, 1):
        problem = problem_of(5, model, n=60)
        problem, boxes = boxes_of(problem, walked(problem).group_of)
        number = boxes.places.group_of.copy()
        for cell in range(len(number)):
            rest = np.flatnonzero((number == number[cell]) & (np.arange(len(number)) != cell))
            slow = len(rest) > 0 and all_allowed(problem.take(rest), np.zeros(len(rest), int))
            assert can_spare(boxes, cell) == slow


def test_moves_are_counted_and_taken_back():
    problem = problem_of(6, 1)
    problem, boxes = boxes_of(problem, walked(problem).group_of)
    places = boxes.places
    before = [np.copy(part) for part in (places.group_of, places.size)]
    histogram = boxes.histogram.copy()
    loss = float((places.size * places.loss).sum())
    rng = np.random.default_rng(0)
    for cell in rng.integers(0, len(problem.keys), 40).tolist():
        to = int(rng.integers(0, 3))
        if to != places.group_of[cell]:
            recount(boxes, cell, places.group_of[cell], to)
            move(places, cell, to)
    assert float((places.size * places.loss).sum()) == pytest.approx(loss + places.change[0])
    assert_listed(places)
    take_back(boxes)
    after = (places.group_of, places.size)
    assert all((one == other).all() for one, other in zip(before, after, strict=True))
    assert (boxes.histogram == histogram).all()
    assert places.log[0] == 0
    assert_listed(places)


def test_a_box_with_more_codes_than_cells_has_the_cells_within_its_ends():
    rng = np.random.default_rng(1)
    keys = np.column_stack([rng.integers(0, 500, 90), rng.integers(0, 6, (90, 2)).T[0]])
    keys = keys[np.lexsort((keys[:, 1], keys[:, 0]))].astype(np.int32)
    n_codes, start = np.array([500, 6]), np.array([-1, 0])
    first = np.searchsorted(keys[:, 0].astype(np.int64) * 7 + keys[:, 1], np.arange(500 * 7 + 1))
    lookup = Lookup(
        keys,
        n_codes,
        np.array([0, 1]),
        first,
        7,
        mark_below(keys, start, n_codes),
        start,
        np.empty((2, 2), np.int64),
        np.zeros(3, np.int64),
    )
    cells = np.empty(90, np.int64)
    for _ in range(60):
        ends = rng.integers(0, n_codes, (2, 2)).astype(np.int32)
        low, high = ends.min(axis=0), ends.max(axis=0)
        listed = cells[: list_box(lookup, low, high, cells)].tolist()
        assert sorted(listed) == sorted(slow_box(keys, low, high))


def assert_listed(places):
    """Every box lists its cells, forwards and backwards."""
    for box, head in enumerate(places.head.tolist()):
        listed, cell, last = [], head, -1
        while cell >= 0:
            assert places.before[cell] == last
            listed.append(cell)
            last, cell = cell, int(places.after[cell])
        assert sorted(listed) == np.flatnonzero(places.group_of == box).tolist()
