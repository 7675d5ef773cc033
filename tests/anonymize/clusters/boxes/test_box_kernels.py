import numpy as np
import pytest

from shoal.anonymize.clusters._group_loss import pair_loss
from shoal.anonymize.clusters._starts import all_allowed
from shoal.anonymize.clusters.boxes._box_kernels import (
    can_spare,
    is_fine,
    mark_below,
    mark_box,
    move,
    recount,
    take_back,
)
from shoal.anonymize.clusters.boxes._exchange import make_boxes
from tests.anonymize.clusters.boxes.test_exchange import problem_of, walked


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


@pytest.mark.parametrize("many", [False, True])
def test_a_box_has_the_cells_within_its_ends(monkeypatch, many):
    if many:
        monkeypatch.setattr("shoal.anonymize.clusters.boxes._exchange._MOST_CODES", 4)
    problem = problem_of(3, 0)
    boxes = make_boxes(problem, walked(problem).group_of)
    n = len(problem.keys)
    mask = np.zeros((1, boxes.places.member.shape[1]), np.uint64)
    for low, high in zip(boxes.low, boxes.high, strict=True):
        listed = mark_box(boxes, low, high, mask)
        expected = slow_box(problem.keys, low, high)
        assert cells_of(mask[0], n) == expected
        assert set(boxes.cells[:listed].tolist()) == expected


@pytest.mark.parametrize("ranges", [False, True])
def test_boxes_begin_as_the_groups_and_reach_as_far_as_their_labels(ranges):
    problem = problem_of(4, 1, ranges=ranges)
    number = np.unique(walked(problem).group_of, return_inverse=True)[1]
    boxes = make_boxes(problem, number)
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
        number = np.unique(walked(problem).group_of, return_inverse=True)[1]
        boxes = make_boxes(problem, number)
        for cell in range(len(number)):
            rest = np.flatnonzero((number == number[cell]) & (np.arange(len(number)) != cell))
            slow = len(rest) > 0 and all_allowed(problem.take(rest), np.zeros(len(rest), int))
            assert can_spare(boxes, cell) == slow


def test_moves_are_counted_and_taken_back():
    problem = problem_of(6, 1)
    boxes = make_boxes(problem, walked(problem).group_of)
    places = boxes.places
    before = [np.copy(part) for part in (places.group_of, places.member, places.size)]
    histogram = boxes.histogram.copy()
    loss = float((places.size * places.loss).sum())
    rng = np.random.default_rng(0)
    for cell in rng.integers(0, len(problem.keys), 40).tolist():
        to = int(rng.integers(0, 3))
        if to != places.group_of[cell]:
            recount(boxes, cell, places.group_of[cell], to)
            move(places, cell, to)
    assert float((places.size * places.loss).sum()) == pytest.approx(loss + places.change[0])
    take_back(boxes)
    after = (places.group_of, places.member, places.size)
    assert all((one == other).all() for one, other in zip(before, after, strict=True))
    assert (boxes.histogram == histogram).all()
    assert places.log[0] == 0
